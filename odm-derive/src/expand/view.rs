//! The expansion of `View`.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::{DeriveInput, Path, parse_quote};

use super::document::nested_path;
use crate::attr::ViewAttrs;
use crate::errors::Errors;
use crate::input::{View, ViewField};

/// ```text
/// impl View for PostTitle {
///     type Of = Post;
///     fn select(selection: &mut Selection) {
///         let __fields = Post::fields();
///         selection.take("title", shown::<String, _, _, _>(&__fields.title()));
///     }
/// }
/// ```
pub(crate) fn expand(view: &View<'_>) -> TokenStream {
    let Some(of) = &view.attrs.of else { return TokenStream::new() };
    let ident = view.ident;
    let names = view.fields.iter().map(|field| name_check(field, of));
    let fields = view.fields.iter().map(|field| take(field, of));
    let strict = view.is_strict.then(|| {
        quote!(
            const STRICT: __odm::bool = true;
        )
    });
    let refs = super::refs::of_view(view);
    let nested = view.is_nestable().then(|| {
        quote! {
            #[diagnostic::do_not_recommend]
            impl __odm::ViewField for #ident {
                type Of = #of;
                fn select(selection: &mut __odm::Selection) -> __odm::bool {
                    selection.nested::<Self>()
                }
                fn visit_refs(&mut self, path: &[&__odm::str], visit: __odm::Visit<'_>) {
                    __odm::View::visit_refs(self, path, visit);
                }
            }
        }
    });
    let (first, _) = super::ends(&parse_quote!(#of));
    let root = quote_spanned!(first=> <#of>::fields());
    let code = quote! {
        #(#names)*
        impl __odm::View for #ident {
            type Of = #of;
            #strict
            fn select(__selection: &mut __odm::Selection) {
                let __fields = #root;
                #(#fields)*
            }
            #refs
        }
        #nested
    };
    super::in_scope(&view.attrs.krate, &code)
}

/// The view reads what the model stores: the two have one name.
fn name_check(field: &ViewField<'_>, of: &Path) -> Option<TokenStream> {
    if field.attrs.path.is_some() || field.attrs.computed.is_some() {
        return None;
    }
    let (rust_name, name) = (field.rust_name(), &field.name);
    let message = format!(
        "the model does not store `{rust_name}` under the name {name:?} that the view reads: give the \
         field of the view the `#[serde(rename = \"…\")]` of the model's"
    );
    let assert = quote_spanned! {field.ident.span()=>
        ::core::assert!(
            __odm::is_stored_as(<#of as __odm::Described>::SHAPE, #rust_name, #name),
            #message
        )
    };
    Some(quote!(const _: () = #assert;))
}

fn take(field: &ViewField<'_>, of: &Path) -> TokenStream {
    let (name, ty) = (&field.name, field.ty);
    if let Some(computed) = &field.attrs.computed {
        return quote! {
            __selection.compute(#name, __odm::computed::<#of, _, _>(&__fields, #computed));
        };
    }
    let path = match &field.attrs.path {
        Some(names) => {
            let path = nested_path(names);
            let span = names.last().map_or_else(|| field.ident.span(), |name| name.span());
            quote_spanned!(span=> __odm::single(#path))
        }
        None => nested_path(std::slice::from_ref(field.ident)),
    };
    let (first, last) = super::ends(ty);
    let shown = match field.is_coded {
        true => quote_spanned!(first=> __odm::shown_coded::<#ty, _, _, _>),
        false => quote_spanned!(first=> __odm::shown::<#ty, _, _, _>),
    };
    let arguments = quote_spanned!(last=> (#path));
    quote!(__selection.take(#name, #shown #arguments);)
}

/// After an error: the traits alone, so that no other errors follow.
pub(crate) fn fallback(input: &DeriveInput, error: Option<&syn::Error>) -> TokenStream {
    let error = error.map(syn::Error::to_compile_error).unwrap_or_default();
    let attrs = ViewAttrs::from_syn(&input.attrs, &mut Errors::default());
    let is_known = input.generics.params.is_empty() && !matches!(input.data, syn::Data::Union(_));
    let (Some(of), true) = (&attrs.of, is_known) else { return error };
    let ident = &input.ident;
    let code = quote! {
        impl __odm::View for #ident {
            type Of = #of;
            fn select(_: &mut __odm::Selection) {}
        }
        impl __odm::ViewField for #ident {
            type Of = #of;
        }
    };
    let code = super::in_scope(&attrs.krate, &code);
    quote!(#error #code)
}
