//! The types that a field of a view can have, and which of them fit a field of the model.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};
use std::hash::BuildHasher;

use bson::Bson;

use super::Selection;
use crate::model::Document;
use crate::path::{Coded, Coding, Direct, FieldType, Nullable, Opaque, geo};
use crate::relation::{DbRef, Ref, RefId, RefKey, Visit};

/// A type that a field of a [`View`](super::View) can have.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a type that a field of a view can have",
    label = "neither a type of a model's fields nor a view",
    note = "the type of the model's field, or an `Option` of it",
    note = "for a part of an embedded document, a view of it: `#[derive(Deserialize, View)] #[odm(of = Embedded)]`, without `path` and `computed`",
    note = "where the model's field has `#[serde(with = …)]` or `#[odm(opaque)]`, the field of the view needs it too"
)]
pub trait ViewField {
    /// The type that it shows: itself, and in place of a view what that is of.
    type Of: 'static;

    /// Adds the fields of a view; `false` if there is none inside.
    #[doc(hidden)]
    fn select(_selection: &mut Selection) -> bool {
        false
    }

    /// Hands each reference at the path below this value to `visit`.
    #[doc(hidden)]
    fn visit_refs(&mut self, _path: &[&str], _visit: Visit<'_>) {}
}

/// A type of a model's field that a view may read as a `T`.
#[diagnostic::on_unimplemented(
    message = "the model's field is `{Self}`, which a view cannot read as `{T}`",
    label = "the model's field is `{Self}`",
    note = "a field of a view has the type of the model's field, an `Option` of it, or a view of it"
)]
pub trait Shows<T> {}
#[diagnostic::do_not_recommend]
impl<T> Shows<T> for T {}
#[diagnostic::do_not_recommend]
impl<T> Shows<Option<T>> for T {}

/// A type of a model's field, stored by functions of serde, that a view may read as a `T` by them.
#[diagnostic::on_unimplemented(
    message = "the model's field is `{Self}`, which a view cannot read by functions of serde as `{T}`",
    label = "the model's field is `{Self}`",
    note = "`#[serde(with = …)]` and `#[odm(opaque)]` are for fields that have it in the model too, with the same type"
)]
pub trait ShowsCoded<T> {}
#[diagnostic::do_not_recommend]
impl<T, F: Coding<Value = T>> ShowsCoded<T> for Coded<F> {}
#[diagnostic::do_not_recommend]
impl<T> ShowsCoded<T> for Opaque<T> {}

/// Paths that name one value, which a view may read into a field.
#[diagnostic::on_unimplemented(
    message = "this path goes through an array, and a field of a view holds one value",
    label = "goes through an array",
    note = "declare the array itself as a field, with a view of its elements as their type"
)]
pub trait Single {}
#[diagnostic::do_not_recommend]
impl Single for Direct {}

/// Types that show themselves.
macro_rules! whole {
    ($($type:ty),+ $(,)?) => {$(
        #[diagnostic::do_not_recommend]
        impl ViewField for $type {
            type Of = Self;
        }
    )+};
}

whole!(
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
    bson::JavaScriptCodeWithScope,
    bson::Document,
    Bson,
    geo::Point,
    geo::LineString,
    geo::Polygon,
    geo::MultiPoint,
    geo::MultiLineString,
    geo::MultiPolygon,
    geo::Geometry,
    geo::GeometryCollection,
);

#[diagnostic::do_not_recommend]
impl<T: Document, K: RefKey<T>> ViewField for Ref<T, K>
where
    K::Value: RefId,
{
    type Of = Self;

    fn visit_refs(&mut self, path: &[&str], visit: Visit<'_>) {
        FieldType::visit_refs(self, path, visit);
    }
}

#[diagnostic::do_not_recommend]
impl<T: Document<Id: RefId>> ViewField for DbRef<T> {
    type Of = Self;

    fn visit_refs(&mut self, path: &[&str], visit: Visit<'_>) {
        FieldType::visit_refs(self, path, visit);
    }
}

/// Types that show what is in them. The server takes no names below the keys of a map, so there the
/// whole values come.
macro_rules! around {
    ($(
        <$inner:ident $(, $other:ident: $bound:ident)?> $type:ty => $of:ty, $select:expr, $visit:expr;
    )+) => {$(
        #[diagnostic::do_not_recommend]
        impl<$inner: ViewField $(, $other: $bound + 'static)?> ViewField for $type {
            type Of = $of;

            fn select(selection: &mut Selection) -> bool {
                let select: fn(&mut Selection) -> bool = $select;
                select(selection)
            }

            fn visit_refs(&mut self, path: &[&str], visit: Visit<'_>) {
                let each: fn(&mut Self, &mut dyn FnMut(&mut $inner)) = $visit;
                each(self, &mut |inner| inner.visit_refs(path, visit));
            }
        }
    )+};
}

around! {
    <T> Option<T> => Option<T::Of>, T::select, |value, each| value.iter_mut().for_each(each);
    <T> Nullable<T> => Nullable<T::Of>, T::select, |value, each| {
        if let Nullable::Value(value) = value {
            each(value);
        }
    };
    <T> Box<T> => Box<T::Of>, T::select, |value, each| each(value);
    <T> Vec<T> => Vec<T::Of>, T::select, |list, each| list.iter_mut().for_each(each);
    <T> VecDeque<T> => VecDeque<T::Of>, T::select, |list, each| list.iter_mut().for_each(each);
    <T> BTreeSet<T> => BTreeSet<T::Of>, T::select, |_, _| {};
    <T, S: BuildHasher> HashSet<T, S> => HashSet<T::Of, S>, T::select, |_, _| {};
    <T> BTreeMap<String, T> => BTreeMap<String, T::Of>, |_| false, |map, each| {
        map.values_mut().for_each(each);
    };
    <T, S: BuildHasher> HashMap<String, T, S> => HashMap<String, T::Of, S>, |_| false, |map, each| {
        map.values_mut().for_each(each);
    };
}

#[diagnostic::do_not_recommend]
impl<T: ViewField, const N: usize> ViewField for [T; N] {
    type Of = [T::Of; N];

    fn select(selection: &mut Selection) -> bool {
        T::select(selection)
    }

    fn visit_refs(&mut self, path: &[&str], visit: Visit<'_>) {
        self.iter_mut().for_each(|element| element.visit_refs(path, visit));
    }
}
