//! Names of fields, collections and databases: what the server and MongoDB's paths can hold.

use heck::ToSnakeCase;
use syn::LitStr;

use crate::errors::Errors;
use crate::input::{Content, Data, Field, Input};

pub(super) fn check(input: &Input<'_>, errors: &mut Errors) {
    if let Some(collection) = &input.attrs.collection {
        check_collection(collection, errors);
    }
    if let Some(database) = &input.attrs.database {
        check_database(database, errors);
    }
    if let Some(field) = &input.attrs.version_field
        && let Some(reason) = refused(&field.value())
    {
        errors.at(field, format!("the name {:?} {reason}", field.value()));
    }
    match &input.data {
        Data::Struct(fields) => check_fields(fields, None, errors),
        Data::Newtype(_) | Data::UnitEnum(_) => {}
        Data::TaggedEnum(tag, variants) => {
            for variant in variants {
                let name = variant.ident.to_string().to_snake_case();
                if name == tag.to_snake_case() && !matches!(variant.content, Content::Unit) {
                    let message = format!(
                        "the variant and the tag would both have the path `{name}`: rename one"
                    );
                    errors.at(variant.ident, message);
                }
                if let Content::Struct(fields) = &variant.content {
                    check_fields(fields, Some(tag), errors);
                }
            }
        }
    }
}

fn check_fields(fields: &[Field<'_>], tag: Option<&String>, errors: &mut Errors) {
    for (position, field) in fields
        .iter()
        .enumerate()
        .filter(|(_, field)| !field.flatten)
    {
        if let Some(reason) = refused(&field.name) {
            let message = format!(
                "the stored name {:?} {reason}: choose another by `#[serde(rename = \"…\")]`",
                field.name
            );
            errors.at(field.ident, message);
        }
        if tag == Some(&field.name) {
            let message = format!(
                "`{}` is the name of the enum's tag: rename the field",
                field.name
            );
            errors.at(field.ident, message);
        }
        let names = std::iter::once(&field.name).chain(&field.aliases);
        for name in names {
            if let Some(other) = fields[..position].iter().find(|other| other.has_name(name)) {
                let message = format!(
                    "`{name}` is also the stored name of `{}`: one value would overwrite the other",
                    other.ident
                );
                errors.at(field.ident, message);
                break;
            }
        }
    }
}

/// Why a name cannot be that of a field.
fn refused(name: &str) -> Option<&'static str> {
    match name {
        "" => Some("is empty"),
        name if name.starts_with('$') => Some("begins with `$`, as operators do"),
        name if name.contains('.') => Some("contains `.`, which separates the names of a path"),
        name if name.contains('\0') => Some("contains a null character"),
        _ => None,
    }
}

/// Source: [naming restrictions](https://www.mongodb.com/docs/manual/reference/limits/#naming-restrictions).
fn check_collection(collection: &LitStr, errors: &mut Errors) {
    let name = collection.value();
    let reason = match name.as_str() {
        "" => "is empty",
        name if name.starts_with("system.") => "begins with `system.`, which is the server's own",
        name if name.contains('$') => "contains `$`",
        name if name.contains('\0') => "contains a null character",
        name if name.len() > 200 => "is longer than 200 bytes",
        _ => return,
    };
    errors.at(
        collection,
        format!("the collection's name {name:?} {reason}"),
    );
}

fn check_database(database: &LitStr, errors: &mut Errors) {
    const REFUSED: &str = "/\\. \"$*<>:|?\0";
    let name = database.value();
    let reason = if name.is_empty() {
        "is empty"
    } else if name.contains(|c| REFUSED.contains(c)) {
        "contains a character that the server refuses: one of / \\ . \" $ * < > : | ? or a space"
    } else if name.chars().any(char::is_uppercase) {
        "is not in lower case: the server refuses names that differ by case alone"
    } else if name.len() > 63 {
        "is longer than 63 bytes"
    } else {
        return;
    };
    errors.at(database, format!("the database's name {name:?} {reason}"));
}
