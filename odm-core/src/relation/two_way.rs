//! Relations that both sides hold: their two fields, and the changes of each, as BSON.
//!
//! The declaration is on one side (`#[odm(inverse = …)]` on a stored reference); either side may be
//! the near one here. The action `link` and the repair of one-sided links send what is made here.

use bson::{Bson, Document, doc};

use super::held::{Held, References, Through};
use super::unlink::{Unlink, plan_unlink};
use super::{Inverse, Place};
use crate::error::{Error, Result};
use crate::filter::equal_to;
use crate::model::Model;

/// A relation whose two sides hold references to each other.
#[derive(Debug, Clone)]
pub(crate) struct TwoWay {
    pub(crate) near: Side,
    pub(crate) far: Side,
}

/// One side of a two-way relation.
#[derive(Debug, Clone)]
pub(crate) struct Side {
    pub(crate) model: &'static Model,
    /// The field that refers to the other side.
    pub(crate) held: Held,
}

impl TwoWay {
    /// The relation that a model has at a path. Either side may have declared it.
    pub(crate) fn find(near: &'static Model, path: &str, far: &'static Model) -> Result<Self> {
        let is_declared = |inverse: &Inverse| inverse.is_stored && inverse.field == path;
        if let Some(inverse) = (near.inverses)().iter().find(|inverse| is_declared(inverse)) {
            return Self::of(inverse);
        }
        let leads_here = |inverse: &Inverse| {
            inverse.is_stored && std::ptr::eq(inverse.model, near) && inverse.path == path
        };
        if let Some(inverse) = (far.inverses)().iter().find(|inverse| leads_here(inverse)) {
            return Self::of(inverse).map(Self::swapped);
        }
        let message = format!(
            "the relation is not declared two-way: add `#[odm(inverse = …)]` to this field, with the \
             field of `{}` that refers back",
            far.name
        );
        Err(Error::invalid(message).with_path(path))
    }

    /// The relation that a model declares.
    pub(crate) fn of(inverse: &Inverse) -> Result<Self> {
        Ok(Self {
            near: Side::of(inverse.of, inverse.field)?,
            far: Side::of(inverse.model, &inverse.path)?,
        })
    }

    /// The same relation from its other side.
    pub(crate) fn swapped(self) -> Self {
        Self { near: self.far, far: self.near }
    }

    /// The name of the key of near documents that far ones hold.
    pub(crate) fn near_key(&self) -> &'static str {
        self.far.held.reference.key
    }

    /// The name of the key of far documents that near ones hold.
    pub(crate) fn far_key(&self) -> &'static str {
        self.near.held.reference.key
    }
}

impl Side {
    fn of(model: &'static Model, path: &str) -> Result<Self> {
        let held = References::of(model).held;
        let is_kept = |held: &Held| {
            let is_own =
                matches!(held.segments(), [segment] if segment.through == Through::Document);
            let place = held.reference.place;
            let is_kept = matches!(place, Place::One | Place::Optional | Place::List);
            is_own && is_kept && !held.is_one_of_several && path != "_id"
        };
        let found = held.into_iter().find(|held| held.path() == path);
        found.filter(is_kept).map(|held| Self { model, held }).ok_or_else(|| {
            let message = format!(
                "both sides are kept only where each is a field of the document itself, with one \
                 reference, an optional one or a list: not so in `{}`",
                model.name
            );
            Error::invalid(message).with_path(path)
        })
    }

    /// The stored name of the field.
    pub(crate) fn field(&self) -> &'static str {
        self.held.segments().first().map_or("", |segment| segment.name)
    }

    /// Whether it holds one reference at most.
    pub(crate) fn is_single(&self) -> bool {
        self.held.reference.place != Place::List
    }

    /// The condition on documents that hold this key.
    pub(crate) fn holds(&self, key: &Bson, database: &str) -> Document {
        let field = self.field();
        let bare = doc! { field: equal_to(key.clone()) };
        if !self.held.reference.is_db_ref {
            return bare;
        }
        let db_ref = doc! { "$or": [
            { format!("{field}.$db"): Bson::Null }, { format!("{field}.$db"): database },
        ] };
        doc! { "$or": [bare, {
            format!("{field}.$id"): equal_to(key.clone()),
            format!("{field}.$ref"): (self.held.reference.target)().collection,
            "$and": [db_ref],
        }] }
    }

    /// The stages that make a document hold this key, in addition to others where there is a list.
    /// Nothing is changed where it does.
    pub(crate) fn put(&self, key: &Bson, database: &str) -> Vec<Document> {
        let field = self.field();
        let path = format!("${field}");
        let (is_held, added) = match self.is_single() {
            true => {
                let held = self.id_of(&path, database);
                (doc! { "$eq": [held, { "$literal": key }] }, self.literal(key))
            }
            false => {
                let list = doc! { "$cond": [{ "$isArray": &path }, &path, []] };
                let ids = self.ids(&path, database);
                let more = doc! { "$concatArrays": [list, [self.literal(key)]] };
                (doc! { "$in": [{ "$literal": key }, ids] }, more)
            }
        };
        vec![doc! { "$set": { field: { "$cond": [is_held, path, added] } } }]
    }

    /// The keys at a path to the field, as a list.
    pub(crate) fn ids(&self, path: &str, database: &str) -> Bson {
        let list = doc! { "$cond": [{ "$isArray": path }, path, [path]] };
        match self.held.reference.is_db_ref {
            false => list.into(),
            true => {
                let id = self.id_of("$$ref", database);
                doc! { "$map": { "input": list, "as": "ref", "in": id } }.into()
            }
        }
    }

    fn id_of(&self, value: &str, database: &str) -> Bson {
        match self.held.reference.is_db_ref {
            false => value.into(),
            true => {
                id_of_db_ref(value, (self.held.reference.target)(), database, value.into()).into()
            }
        }
    }

    /// The writes that take this key away; none where a reference must be there.
    pub(crate) fn take(&self, key: &Bson, database: &str) -> Vec<Unlink> {
        plan_unlink(&self.held, std::slice::from_ref(key), database)
    }

    /// The reference as it is stored, as an expression.
    fn literal(&self, key: &Bson) -> Document {
        let target = (self.held.reference.target)();
        if !self.held.reference.is_db_ref {
            return doc! { "$literal": key };
        }
        let mut db_ref = doc! { "$ref": target.collection, "$id": key };
        db_ref.extend(target.database.map(|database| ("$db".to_owned(), database.into())));
        doc! { "$literal": db_ref }
    }
}

/// The expression of the id in a DBRef that leads to this model, else null; of any other value,
/// `bare`. `database` is where the model is stored.
pub(crate) fn id_of_db_ref(value: &str, target: &Model, database: &str, bare: Bson) -> Document {
    let field = |name: &str| {
        doc! { "$getField": { "field": { "$literal": name }, "input": value } }
    };
    let leads_there = doc! { "$and": [
        { "$eq": ["$$collection", { "$literal": target.collection }] },
        { "$in": [
            { "$ifNull": ["$$database", Bson::Null] }, [Bson::Null, { "$literal": database }],
        ] },
    ] };
    let of_document = doc! { "$let": {
        "vars": { "collection": field("$ref"), "id": field("$id"), "database": field("$db") },
        "in": { "$cond": [
            { "$eq": [{ "$type": "$$collection" }, "missing"] },
            bare.clone(),
            { "$cond": [leads_there, { "$ifNull": ["$$id", Bson::Null] }, Bson::Null] },
        ] },
    } };
    doc! { "$cond": [{ "$eq": [{ "$type": value }, "object"] }, of_document, bare] }
}
