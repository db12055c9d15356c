//! Classes of field types: which operators fit which fields.

use std::collections::{BTreeSet, HashSet, VecDeque};

use bson::Bson;

use super::{Coded, Coding, FieldType, Nullable, Opaque};

/// A field type that wraps one other and is stored as it. `#[derive(Embedded)]` implements it for
/// newtypes, so that the operators of what they hold fit them too.
pub trait Newtype: FieldType {
    /// The type of the only field.
    type Inner;
}

/// A field type that is stored as a string, or as an array of strings.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is neither a string nor a list of strings",
    label = "patterns match strings only",
    note = "`regex`, `starts_with`, `ends_with` and `contains_str` are for `String` fields, and for `Option`s and lists of them; a number or a date is compared by `eq`, `gte` and `lt`"
)]
pub trait Text: FieldType {}

/// A field type that is stored as an integer, or as an array of integers.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is neither an integer nor a list of integers",
    label = "`modulo` divides integers only",
    note = "`modulo` is for integer fields, and for `Option`s and lists of them"
)]
pub trait Integral: FieldType {}

/// A field type whose bits can be told: integers and binary data, or arrays of them.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no bits that the server can test",
    label = "bitwise operators need an integer or `Binary`",
    note = "`bits_all_set`, `bits_any_set`, `bits_all_clear` and `bits_any_clear` are for integer and `bson::Binary` fields, and for `Option`s and lists of them"
)]
pub trait Bits: FieldType {}

/// A field type that holds a place: a GeoJSON geometry, or a legacy pair of coordinates.
#[diagnostic::on_unimplemented(
    message = "`{Self}` holds no place on a map",
    label = "geospatial operators need a GeoJSON geometry or a coordinate pair",
    note = "declare the field as a type of `odm::geo`, such as `Point`, as a legacy pair `[f64; 2]`, or as an `Option` or list of one"
)]
pub trait Geospatial: FieldType {}

/// Implements a class for types, and for what holds values of it.
macro_rules! class {
    ($class:ident: $($type:ty)*) => {
        $(
            #[diagnostic::do_not_recommend]
            impl $class for $type {}
        )*
        // Of these nothing is known, so every operator may fit.
        #[diagnostic::do_not_recommend]
        impl $class for Bson {}
        #[diagnostic::do_not_recommend]
        impl<F: Coding> $class for Coded<F> {}
        #[diagnostic::do_not_recommend]
        impl<T> $class for Opaque<T> where Self: FieldType {}
        #[diagnostic::do_not_recommend]
        impl<T: Newtype<Inner: $class>> $class for T {}
        #[diagnostic::do_not_recommend]
        impl<T: $class> $class for Option<T> {}
        #[diagnostic::do_not_recommend]
        impl<T: $class> $class for Nullable<T> {}
        #[diagnostic::do_not_recommend]
        impl<T: $class> $class for Vec<T> {}
        #[diagnostic::do_not_recommend]
        impl<T: $class> $class for VecDeque<T> where Self: FieldType {}
        #[diagnostic::do_not_recommend]
        impl<T: $class> $class for BTreeSet<T> where Self: FieldType {}
        #[diagnostic::do_not_recommend]
        impl<T: $class, S> $class for HashSet<T, S> where Self: FieldType {}
    };
}

class!(Text: String char);
class!(Integral: i8 i16 i32 i64 u8 u16 u32 u64);
class!(Bits: i8 i16 i32 i64 u8 u16 u32 u64 bson::Binary bson::Uuid);
class!(Geospatial:);
