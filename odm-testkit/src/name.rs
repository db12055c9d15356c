//! Names a test's database: in comes the type name of the test's closure, out goes a valid and
//! unique name that tells which test it was.

use std::hash::{BuildHasher, RandomState};

/// MongoDB's limit for the name of a database.
const MAX_BYTES: usize = 63;
/// `_` and eight hexadecimal digits.
const SUFFIX_BYTES: usize = 9;

/// A new name for the database of the test whose closure has the type name `closure`.
pub(crate) fn unique(closure: &str) -> String {
    let random = RandomState::new().hash_one(std::process::id()) & 0xffff_ffff;
    format!("{}_{random:08x}", stem(closure))
}

/// `it::filter_ops::guarded_vote::{{closure}}` → `filter_ops_guarded_vote`.
fn stem(closure: &str) -> String {
    let path = closure.split("::{{").next().unwrap_or_default();
    let inner = match path.split_once("::") {
        // A function at the root of its crate: the crate's name says more than `main` alone.
        Some((_, inner)) if inner.contains("::") => inner,
        _ => path,
    };
    let words = inner.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let stem = words.collect::<Vec<_>>().join("_").to_ascii_lowercase();
    // The end of the path is the test, its beginning only a module.
    let cut = stem.len().saturating_sub(MAX_BYTES - SUFFIX_BYTES);
    stem[cut..].trim_start_matches('_').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stems() {
        let long = format!("it::{}::votes::{{{{closure}}}}", "module_".repeat(12));
        for (closure, expected) in [
            ("it::filter_ops::guarded_vote::{{closure}}", "filter_ops_guarded_vote"),
            ("it::a::b::Upper::{{closure}}::{{closure}}", "a_b_upper"),
            ("blog::main::{{closure}}", "blog_main"),
            (
                "it::generic::of<alloc::string::String>::{{closure}}",
                "generic_of_alloc_string_string",
            ),
            ("it::r#type::x::{{closure}}", "r_type_x"),
            ("solo", "solo"),
            (&long, "module_module_module_module_module_module_module_votes"),
        ] {
            assert_eq!(stem(closure), expected, "{closure}");
        }
    }

    #[test]
    fn names_are_valid_and_differ() {
        let closure = format!("it::{}::{{{{closure}}}}", "long::".repeat(30));
        let (one, two) = (unique(&closure), unique(&closure));
        assert_ne!(one, two);
        assert!(one.len() <= MAX_BYTES, "{one}");
        assert!(one.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_'));
    }
}
