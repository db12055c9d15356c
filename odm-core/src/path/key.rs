//! What may be passed where a field's value is expected.

/// A value that can stand for a field whose filters and updates take `K`.
///
/// Every `K` can, and what Rust would borrow for it: `&str` for a `String`, a value for an
/// `Option` of it.
#[diagnostic::on_unimplemented(
    message = "a field that takes `{K}` cannot be used with a `{Self}`",
    label = "expected a value for `{K}`",
    note = "the value must have the type of the field; a number is not a string, and a `u32` is not an `i64`"
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

impl IntoKey<String> for &str {
    fn into_key(self) -> String {
        self.to_owned()
    }
}

impl IntoKey<Option<String>> for &str {
    fn into_key(self) -> Option<String> {
        Some(self.to_owned())
    }
}

impl<const N: usize> IntoKey<Vec<String>> for [&str; N] {
    fn into_key(self) -> Vec<String> {
        self.map(str::to_owned).into()
    }
}

impl IntoKey<Vec<String>> for Vec<&str> {
    fn into_key(self) -> Vec<String> {
        self.into_iter().map(str::to_owned).collect()
    }
}

impl IntoKey<Vec<String>> for &[&str] {
    fn into_key(self) -> Vec<String> {
        self.iter().map(|&item| item.to_owned()).collect()
    }
}

impl<K, const N: usize> IntoKey<Vec<K>> for [K; N] {
    fn into_key(self) -> Vec<K> {
        self.into()
    }
}

impl<K: Clone> IntoKey<Vec<K>> for &[K] {
    fn into_key(self) -> Vec<K> {
        self.to_vec()
    }
}

impl<K> IntoKey<Option<Vec<K>>> for Vec<K> {
    fn into_key(self) -> Option<Vec<K>> {
        Some(self)
    }
}

/// Lets a value, or a reference to it, stand for an `Option` of it.
macro_rules! into_option {
    ($($type:ty),+ $(,)?) => {$(
        impl IntoKey<Option<$type>> for $type {
            fn into_key(self) -> Option<$type> {
                Some(self)
            }
        }

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
);
