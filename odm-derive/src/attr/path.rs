//! A path in Rust names: `address.city`.

use proc_macro2::Ident;
use syn::punctuated::Punctuated;
use syn::{Expr, Lit, Member, Token};

use super::{Item, Value};

impl Item {
    /// The item as `name = address.city`, or with the path as a text.
    pub(super) fn path(&self) -> Option<Vec<Ident>> {
        match &self.value {
            Value::Expr(Expr::Lit(expr)) => match &expr.lit {
                Lit::Str(text) => {
                    let parse = Punctuated::<Ident, Token![.]>::parse_separated_nonempty;
                    text.parse_with(parse).ok().map(|path| path.into_iter().collect())
                }
                _ => None,
            },
            Value::Expr(expr) => names(expr),
            Value::None | Value::List(_) => None,
        }
    }
}

/// The names of `address.city`.
pub(super) fn names(expr: &Expr) -> Option<Vec<Ident>> {
    match expr {
        Expr::Path(path) => path.path.get_ident().map(|name| vec![name.clone()]),
        Expr::Field(field) => match &field.member {
            Member::Named(name) => {
                let mut outer = names(&field.base)?;
                outer.push(name.clone());
                Some(outer)
            }
            Member::Unnamed(_) => None,
        },
        _ => None,
    }
}
