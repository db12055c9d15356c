//! Indexes: keys and options.

use proc_macro2::{Ident, TokenStream};
use syn::parse::{Parse, ParseStream, Parser};
use syn::punctuated::Punctuated;
use syn::{Expr, ExprClosure, Lit, LitStr, Token};

use super::{Item, Value, list_items, once, set, unknown};
use crate::errors::Errors;

/// One index as declared.
pub(crate) struct IndexAttr {
    /// The word that declares it.
    pub(crate) declared_by: Ident,
    pub(crate) keys: Vec<Key>,
    /// The options in a list of keys that are words alone, as keys are.
    pub(crate) words: Vec<Ident>,
    pub(crate) unique: bool,
    pub(crate) sparse: bool,
    pub(crate) hidden: bool,
    pub(crate) descending: bool,
    pub(crate) name: Option<LitStr>,
    pub(crate) partial: Option<ExprClosure>,
    /// Seconds, and the word that declares them.
    pub(crate) ttl: Option<(i64, Ident)>,
}

/// One key: a path in Rust names.
pub(crate) struct Key {
    pub(crate) path: Vec<Ident>,
    pub(crate) descending: bool,
}

pub(crate) const OPTIONS: [&str; 7] =
    ["unique", "sparse", "hidden", "desc", "name", "partial", "ttl"];

/// Options without a value.
const WORDS: [&str; 4] = ["unique", "sparse", "hidden", "desc"];

/// An entry of `index(…)`.
enum Entry {
    Key(Key),
    Option(Item),
}

impl Parse for Entry {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let sign = input.peek(Token![-]) || input.peek(Token![+]);
        if !sign && input.peek(syn::Ident) && is_option(input) {
            return input.parse().map(Self::Option);
        }
        let descending = input.peek(Token![-]);
        if sign {
            input.step(|cursor| {
                cursor.punct().map(|(_, rest)| ((), rest)).ok_or_else(|| cursor.error("a sign"))
            })?;
        }
        if !input.peek(syn::Ident) {
            let message =
                "expected a key, such as `author`, `-when` or `comments.who`, or an option";
            return Err(input.error(message));
        }
        let path = Punctuated::<Ident, Token![.]>::parse_separated_nonempty(input)?;
        if !(input.is_empty() || input.peek(Token![,])) {
            return Err(input.error("expected a comma after the key"));
        }
        Ok(Self::Key(Key { path: path.into_iter().collect(), descending }))
    }
}

/// Whether what follows is an option and not a key: one of [`WORDS`] alone, or anything with a value.
fn is_option(input: ParseStream<'_>) -> bool {
    let ahead = input.fork();
    let Ok(word) = ahead.parse::<Ident>() else {
        return false;
    };
    let is_alone = ahead.is_empty() || ahead.peek(Token![,]);
    ahead.peek(Token![=])
        || ahead.peek(syn::token::Paren)
        || (is_alone && WORDS.contains(&word.to_string().as_str()))
}

impl IndexAttr {
    pub(crate) fn new(declared_by: &Ident) -> Self {
        Self {
            declared_by: declared_by.clone(),
            keys: Vec::new(),
            words: Vec::new(),
            unique: false,
            sparse: false,
            hidden: false,
            descending: false,
            name: None,
            partial: None,
            ttl: None,
        }
    }

    /// `index(author, -when, unique)` on a struct.
    pub(super) fn from_list(
        declared_by: &Ident,
        tokens: TokenStream,
        errors: &mut Errors,
    ) -> Option<Self> {
        let mut index = Self::new(declared_by);
        let entries = Punctuated::<Entry, Token![,]>::parse_terminated.parse2(tokens);
        let mut options = Vec::new();
        for entry in errors.ok(entries)? {
            match entry {
                Entry::Key(key) => index.keys.push(key),
                Entry::Option(item) if item.name == "desc" => {
                    errors.at(&item.name, "a descending key is written with a minus: `-when`");
                }
                Entry::Option(item) => options.push(item),
            }
        }
        for option in once(options, &[], errors) {
            if matches!(option.value, Value::None) {
                index.words.push(option.name.clone());
            }
            index.option(&option, errors);
        }
        if index.keys.is_empty() {
            errors.at(declared_by, "the index has no key: `index(author, -when)`");
            return None;
        }
        Some(index)
    }

    /// `index(unique, …)` on a field: options alone.
    pub(super) fn options(&mut self, tokens: TokenStream, errors: &mut Errors) {
        for item in once(list_items(tokens, errors), &[], errors) {
            self.option(&item, errors);
        }
    }

    pub(super) fn is_option(word: &str) -> bool {
        OPTIONS.contains(&word)
    }

    pub(super) fn option(&mut self, item: &Item, errors: &mut Errors) {
        let name = &item.name;
        match name.to_string().as_str() {
            "unique" => self.unique = item.word(errors),
            "sparse" => self.sparse = item.word(errors),
            "hidden" => self.hidden = item.word(errors),
            "desc" => self.descending = item.word(errors),
            "name" => set(&mut self.name, item.string(errors), name, errors),
            "partial" => set(&mut self.partial, item.closure(errors), name, errors),
            "ttl" => {
                let seconds = seconds(item, errors).map(|seconds| (seconds, name.clone()));
                set(&mut self.ttl, seconds, name, errors);
            }
            _ => unknown(name, "option of an index", &OPTIONS, errors),
        }
    }
}

/// A number of seconds, or a span of time such as `"30d"`; as much as the server takes.
fn seconds(item: &Item, errors: &mut Errors) -> Option<i64> {
    let parsed = match &item.value {
        Value::Expr(Expr::Lit(expr)) => match &expr.lit {
            Lit::Int(number) => number.base10_parse::<i64>().ok(),
            Lit::Str(text) => humantime::parse_duration(&text.value())
                .ok()
                .filter(|duration| duration.subsec_nanos() == 0)
                .and_then(|duration| i64::try_from(duration.as_secs()).ok()),
            _ => None,
        },
        _ => None,
    };
    let accepted = parsed.filter(|&seconds| i32::try_from(seconds).is_ok());
    if accepted.is_none() {
        let message = "expected whole seconds up to 2147483647: `ttl = \"30d\"` or `ttl = 3600`";
        errors.at(item.value_or_name(), message);
    }
    accepted
}
