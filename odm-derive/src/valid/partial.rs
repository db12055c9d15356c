//! Partial filters: operators that the server refuses in them, found by their names.
//!
//! What names cannot tell is refused when the index is planned.

use proc_macro2::{Delimiter, Ident, TokenStream, TokenTree};

use crate::errors::Errors;

/// Operators with an argument; without one, the name is that of a field.
const REFUSED: [&str; 6] = ["ne", "nin", "nor", "all", "size", "elem_match"];

/// Operators without an argument.
const REFUSED_ALONE: [&str; 3] = ["is_missing", "is_none", "not"];

pub(super) fn check(body: TokenStream, errors: &mut Errors) {
    let tokens: Vec<_> = body.into_iter().collect();
    for (position, token) in tokens.iter().enumerate() {
        let before = position.checked_sub(1).and_then(|before| tokens.get(before));
        match token {
            TokenTree::Ident(name) if is_punct(before, '.') => {
                check_method(name, tokens.get(position + 1), errors);
            }
            // After a name it calls a macro.
            TokenTree::Punct(punct)
                if punct.as_char() == '!' && !matches!(before, Some(TokenTree::Ident(_))) =>
            {
                errors.at(punct, "the server takes no negation in a partial filter");
            }
            TokenTree::Group(group) => check(group.stream(), errors),
            _ => {}
        }
    }
}

fn check_method(name: &Ident, after: Option<&TokenTree>, errors: &mut Errors) {
    let Some(TokenTree::Group(arguments)) = after else {
        return;
    };
    if arguments.delimiter() != Delimiter::Parenthesis {
        return;
    }
    let arguments = arguments.stream().to_string();
    let called = name.to_string();
    let refused = match called.as_str() {
        "exists" => arguments == "false",
        called if arguments.is_empty() => REFUSED_ALONE.contains(&called),
        called => REFUSED.contains(&called),
    };
    if refused {
        let message = format!(
            "the server takes no `{name}({arguments})` in a partial filter: use `eq`, `gt`, \
             `gte`, `lt`, `lte`, `in_` or `exists(true)`, joined by `&` and `|`"
        );
        errors.at(name, message);
    }
}

fn is_punct(token: Option<&TokenTree>, expected: char) -> bool {
    matches!(token, Some(TokenTree::Punct(punct)) if punct.as_char() == expected)
}
