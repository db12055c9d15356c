//! What may be passed where a field's value is expected.

use std::collections::{BTreeMap, HashMap};

/// A value that can stand for a field whose filters and updates take `K`.
///
/// Every `K` can, and what Rust would borrow for it: `&str` for a `String`, a value for an
/// `Option` of it.
#[diagnostic::on_unimplemented(
    message = "expected `{K}`, the type that the field takes, found `{Self}`",
    label = "expected `{K}`",
    note = "a value must have the type of its field, so that it is stored and compared as the field is: convert it, by `.into()` or `try_into()`"
)]
pub trait IntoKey<K> {
    /// The value as the field takes it.
    fn into_key(self) -> K;
}

impl<K> IntoKey<K> for K {
    fn into_key(self) -> K {
        self
    }
}

impl<K: Clone> IntoKey<K> for &K {
    fn into_key(self) -> K {
        self.clone()
    }
}

#[diagnostic::do_not_recommend]
impl IntoKey<String> for &str {
    fn into_key(self) -> String {
        self.to_owned()
    }
}

#[diagnostic::do_not_recommend]
impl IntoKey<Option<String>> for &str {
    fn into_key(self) -> Option<String> {
        Some(self.to_owned())
    }
}

#[diagnostic::do_not_recommend]
impl<const N: usize> IntoKey<Vec<String>> for [&str; N] {
    fn into_key(self) -> Vec<String> {
        self.map(str::to_owned).into()
    }
}

#[diagnostic::do_not_recommend]
impl IntoKey<Vec<String>> for Vec<&str> {
    fn into_key(self) -> Vec<String> {
        self.into_iter().map(str::to_owned).collect()
    }
}

#[diagnostic::do_not_recommend]
impl IntoKey<Vec<String>> for &[&str] {
    fn into_key(self) -> Vec<String> {
        self.iter().map(|&item| item.to_owned()).collect()
    }
}

#[diagnostic::do_not_recommend]
impl<K, const N: usize> IntoKey<Vec<K>> for [K; N] {
    fn into_key(self) -> Vec<K> {
        self.into()
    }
}

#[diagnostic::do_not_recommend]
impl<K: Clone> IntoKey<Vec<K>> for &[K] {
    fn into_key(self) -> Vec<K> {
        self.to_vec()
    }
}

#[diagnostic::do_not_recommend]
impl<K> IntoKey<Option<Vec<K>>> for Vec<K> {
    fn into_key(self) -> Option<Vec<K>> {
        Some(self)
    }
}

impl<T, S> IntoKey<Option<HashMap<String, T, S>>> for HashMap<String, T, S> {
    fn into_key(self) -> Option<HashMap<String, T, S>> {
        Some(self)
    }
}

impl<T> IntoKey<Option<BTreeMap<String, T>>> for BTreeMap<String, T> {
    fn into_key(self) -> Option<BTreeMap<String, T>> {
        Some(self)
    }
}

/// Lets a value, or a reference to it, stand for an `Option` of it.
macro_rules! into_option {
    ($($type:ty),+ $(,)?) => {$(
        #[diagnostic::do_not_recommend]
        impl IntoKey<Option<$type>> for $type {
            fn into_key(self) -> Option<$type> {
                Some(self)
            }
        }

        #[diagnostic::do_not_recommend]
        impl IntoKey<Option<$type>> for &$type {
            fn into_key(self) -> Option<$type> {
                Some(self.clone())
            }
        }
    )+};
}

into_option!(
    bool,
    i8,
    i16,
    i32,
    i64,
    u8,
    u16,
    u32,
    u64,
    f32,
    f64,
    char,
    String,
    bson::oid::ObjectId,
    bson::DateTime,
    bson::Decimal128,
    bson::Uuid,
    bson::Binary,
    bson::Timestamp,
    bson::Regex,
    bson::Document,
    bson::Bson,
);
