//! The expansion of `Document`.

use heck::ToSnakeCase;
use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::parse_quote;

use super::{Declared, fields as paths, relation, rule, shape, stamp};
use crate::attr::{IndexAttr, SchemaVersion};
use crate::input::{Field, Input};

pub(super) fn expand(input: &Input<'_>, fields: &[Field<'_>]) -> TokenStream {
    let (ident, vis) = (input.ident, input.vis);
    let (name, doc) = (input.rust_name(), &input.doc);
    let declared: Vec<_> = fields.iter().map(|field| Declared::of(ident, field)).collect();
    let codings = declared.iter().map(|declared| &declared.coding);
    let paths_name = super::paths_name(ident);
    let mut accessors = paths::accessors(vis, fields, &declared);
    accessors.extend(relation::accessors(vis, &input.inverses));
    let paths_type = paths::expand_type(vis, &paths_name, ident, &accessors);
    let table = shape::table_with(fields, &declared, &|field| is_unique(input, field));
    let (inverses, of_model) = relation::inverses(input, fields);
    let reference_checks = relation::checks(fields, &declared);
    let element_checks = super::elements::checks(fields, &declared);
    let version_field = input.attrs.schema_version.is_some().then(|| input.version_field());
    let flatten_checks = shape::flatten_checks(fields, &declared, version_field.as_deref());
    let model = model(input, fields);
    let (rules, with_rules) = rule::rules(input, fields);
    let (referrers, with_referrers) = rule::referrers(input);
    let (stamps, with_stamps) = stamp::stamps(input, fields, &declared);
    let model = quote!(#model #of_model #with_rules #with_referrers #with_stamps);
    let indexes = indexes(input, fields, &paths_name);
    let strict = input.is_strict.then(|| quote!(.strict()));
    let document_impl = document_impl(input, fields, &declared);
    let step_check = step_check(input);
    quote! {
        #(#codings)*
        #paths_type
        #flatten_checks
        #reference_checks
        #element_checks
        #inverses
        #rules
        #referrers
        #stamps
        static __SHAPE: __odm::Shape = {
            const FIELDS: &[__odm::Field] = &#table;
            __odm::Shape::new(#name, #doc, FIELDS) #strict
        };
        #[diagnostic::do_not_recommend]
        impl __odm::Described for #ident {
            const SHAPE: &'static __odm::Shape = &__SHAPE;
        }
        static __MODEL: __odm::Model = #model;
        #indexes
        impl #ident {
            /// The paths to the fields, for filters, updates and sorts.
            #vis fn fields() -> #paths_name<#ident> {
                #paths_name(__odm::Path::root())
            }
        }
        #document_impl
        #step_check
    }
}

fn model(input: &Input<'_>, fields: &[Field<'_>]) -> TokenStream {
    let name = input.rust_name();
    let collection = match &input.attrs.collection {
        Some(collection) => collection.to_token_stream(),
        None => default_collection(&name).to_token_stream(),
    };
    let database = input.attrs.database.as_ref().map(|database| quote!(.database(#database)));
    let version_field = input.version_field();
    let version = input.attrs.schema_version.as_ref().map(|version| match version {
        SchemaVersion::Number(number) => {
            quote!(.version(__odm::Version::number(#version_field, #number)))
        }
        SchemaVersion::Text(text) => {
            quote!(.version(__odm::Version::text(#version_field, #text)))
        }
    });
    let previous = input
        .attrs
        .from
        .as_ref()
        .map(|from| quote!(.previous(|| __odm::Some(<#from as __odm::Document>::MODEL))));
    let indexes = has_indexes(input, fields).then(|| quote!(.indexes(__indexes)));
    let concerns = concerns(input);
    quote! {
        __odm::Model::new(#name, #collection, &__SHAPE)
            #database #version #previous #indexes #concerns
    }
}

fn concerns(input: &Input<'_>) -> TokenStream {
    let read = input.attrs.read_concern.as_ref().map(|level| quote!(.read_concern(#level)));
    let write = input.attrs.write_concern.as_ref().map(|members| quote!(.write_concern(#members)));
    let prefer = input.attrs.read_preference.as_ref().map(|mode| quote!(.read_preference(#mode)));
    match (&read, &write, &prefer) {
        (None, None, None) => TokenStream::new(),
        _ => quote!(.concerns(__odm::Concerns::NONE #read #write #prefer)),
    }
}

/// Whether no two documents share the field's value.
fn is_unique(input: &Input<'_>, field: &Field<'_>) -> bool {
    let is_whole = |index: &IndexAttr| index.unique && index.partial.is_none();
    let names_it = |index: &IndexAttr| match index.keys.as_slice() {
        [key] => matches!(key.path.as_slice(), [name] if name == field.ident),
        _ => false,
    };
    field.is_id()
        || field.attrs.index.as_ref().is_some_and(is_whole)
        || input.attrs.indexes.iter().any(|index| is_whole(index) && names_it(index))
}

/// `BlogPost` is stored in `blog_posts`.
fn default_collection(name: &str) -> String {
    pluralizer::pluralize(&name.to_snake_case(), 2, false)
}

fn has_indexes(input: &Input<'_>, fields: &[Field<'_>]) -> bool {
    !input.attrs.indexes.is_empty() || fields.iter().any(|field| field.attrs.index.is_some())
}

fn document_impl(input: &Input<'_>, fields: &[Field<'_>], all: &[Declared]) -> TokenStream {
    let id = fields.iter().zip(all).find(|(field, _)| field.is_id());
    let Some((field, declared)) = id else {
        return without_id(input);
    };
    let (ident, id_ident) = (input.ident, field.ident);
    // `self` is found only from where it was declared: in a struct that a macro writes, the type's
    // tokens may come from another place than the derive.
    let span = declared.ends.0;
    let (declared, get, check) = match field.option() {
        Some(inner) if declared.coding.is_none() => {
            let check = quote!(const _: () = __odm::is_generated::<#inner>(););
            (&Declared::new(inner), quote_spanned!(span=> self.#id_ident.as_ref()), check)
        }
        _ => {
            let get = quote_spanned!(span=> __odm::Some(&self.#id_ident));
            (declared, get, id_check(declared))
        }
    };
    let (ty, key) = (&declared.ty, declared.get("Key"));
    let id = quote_spanned! {span=>
        fn id(&self) -> __odm::Option<&#key> {
            #get
        }
    };
    let (step, visit_refs) = (step(input), super::refs::of_struct(fields, all, &input.inverses));
    let (readings, read) = super::read::of_document(input, fields, all);
    let write = super::write::of_document(input, fields, all);
    let take_stamps = super::stamp::take(input, fields);
    quote! {
        #check
        #readings
        impl __odm::Document for #ident {
            type Id = #ty;
            const MODEL: &'static __odm::Model = &__MODEL;
            #id
            #step
            #read
            #write
            #take_stamps
            #visit_refs
        }
    }
}

/// The schema version before, and the step from there.
fn step(input: &Input<'_>) -> TokenStream {
    let Some(from) = &input.attrs.from else {
        return quote! {
            type Previous = __odm::First;
            fn upgrade(previous: __odm::First) -> __odm::Upgraded<Self> {
                match previous {}
            }
        };
    };
    let (first, last) = super::ends(&parse_quote!(#from));
    let (open, close) = (quote_spanned!(first=> <Self as), quote_spanned!(last=> >::step));
    quote! {
        type Previous = #from;
        fn upgrade(previous: #from) -> __odm::Upgraded<Self> {
            #open __odm::StepFrom<#from> #close(previous)
        }
    }
}

/// The chain of versions has no gap.
fn step_check(input: &Input<'_>) -> TokenStream {
    let Some(from) = &input.attrs.from else { return TokenStream::new() };
    Declared::new(&parse_quote!(#from)).assert(
        &quote!(__odm::follows(&__MODEL, <#from as __odm::Document>::MODEL)),
        "the schema version must be the next after that of the struct it is from (a struct without \
         one counts as 1), and be stored in the same field",
    )
}

/// `valid` has refused a struct without `_id`: so that no other errors follow from it.
fn without_id(input: &Input<'_>) -> TokenStream {
    let (ident, step) = (input.ident, step(input));
    quote! {
        impl __odm::Document for #ident {
            type Id = __odm::Bson;
            const MODEL: &'static __odm::Model = &__MODEL;
            fn id(&self) -> __odm::Option<&__odm::Bson> {
                __odm::None
            }
            #step
        }
    }
}

fn id_check(declared: &Declared) -> TokenStream {
    let field = declared.get("FIELD");
    declared.assert(
        &quote!(__odm::is_id(&#field)),
        "an `_id` cannot be an array, a regular expression or null",
    )
}

/// `fn __indexes() -> Vec<Index> { let __fields = Post::fields(); … }`
fn indexes(input: &Input<'_>, fields: &[Field<'_>], paths: &Ident) -> TokenStream {
    if !has_indexes(input, fields) {
        return TokenStream::new();
    }
    let ident = input.ident;
    let live = stamp::soft_delete(input, fields);
    let live = live.map(|field| quote!(.live(#field)));
    let of_live = |index: &IndexAttr| if index.unique { live.clone() } else { None };
    let of_fields = fields.iter().filter_map(|field| {
        let index = field.attrs.index.as_ref()?;
        let code = index_of(ident, paths, index, &[(field_path(field), index.descending)]);
        let live = of_live(index);
        Some(quote!(#code #live))
    });
    let of_struct = input.attrs.indexes.iter().map(|index| {
        let keys: Vec<_> =
            index.keys.iter().map(|key| (nested_path(&key.path), key.descending)).collect();
        let (code, live) = (index_of(ident, paths, index, &keys), of_live(index));
        quote!(#code #live)
    });
    quote! {
        fn __indexes() -> __odm::Vec<__odm::Index> {
            let __fields = #ident::fields();
            __odm::Vec::from([#(#of_fields,)* #(#of_struct,)*])
        }
    }
}

/// `&__fields.when()`, as a whole at the type: it is what an option of an index may not fit.
pub(super) fn field_path(field: &Field<'_>) -> TokenStream {
    let (first, last) = super::ends(field.ty);
    let mut name = field.ident.clone();
    name.set_span(last);
    let root = quote_spanned!(first=> &__fields);
    let call = quote_spanned!(last=> .#name());
    quote!(#root #call)
}

/// `&__fields.comments().who()`, each call at the span of its name, so that an unknown one is
/// underlined.
pub(super) fn nested_path(path: &[Ident]) -> TokenStream {
    let first = path.first().map_or_else(Span::call_site, Ident::span);
    path.iter().fold(
        quote_spanned!(first=> &__fields),
        |outer, name| quote_spanned!(name.span()=> #outer.#name()),
    )
}

fn index_of(
    ident: &Ident,
    paths: &Ident,
    index: &IndexAttr,
    keys: &[(TokenStream, bool)],
) -> TokenStream {
    let keys_code = keys.iter().map(|(key, descending)| {
        let direction = if *descending { -1i32 } else { 1i32 };
        quote!(.key(#key, #direction))
    });
    let flag = |set: bool, method: TokenStream| set.then_some(method);
    let unique = flag(index.unique, quote!(.unique()));
    let sparse = flag(index.sparse, quote!(.sparse()));
    let hidden = flag(index.hidden, quote!(.hidden()));
    let name = index.name.as_ref().map(|name| quote!(.name(#name)));
    let partial = index.partial.as_ref().map(|closure| {
        quote!(.partial({
            let filter: fn(&#paths<#ident>) -> __odm::Filter<#ident> = #closure;
            filter(&__fields)
        }))
    });
    let ttl = index.ttl.as_ref().zip(keys.first()).map(
        |((seconds, word), (key, _))| quote_spanned!(word.span()=> .expire_after(#key, #seconds)),
    );
    quote!(__odm::Index::new() #(#keys_code)* #unique #sparse #hidden #name #partial #ttl)
}
