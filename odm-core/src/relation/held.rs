//! Every reference that the documents of a model hold, with the way that leads to it.

use std::fmt;

use super::{MAP_VALUES, Place, Reference};
use crate::model::{Field, Kind, Model, Shape};

/// One name of a path, and what is stored under it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Segment {
    /// The stored name.
    pub(crate) name: &'static str,
    /// What the path leads through; nothing at its end.
    pub(crate) through: Through,
    optional: bool,
}

/// What lies at a name of a path, before its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Through {
    Document,
    /// An array of embedded documents.
    Array,
    /// A map of embedded documents, or of lists of them.
    Map,
}

/// A reference that the documents of a model hold, at one path.
#[derive(Debug, Clone)]
pub(crate) struct Held {
    segments: Vec<Segment>,
    /// What is referred to, and where the reference is stored.
    pub(crate) reference: Reference,
    /// Whether the field leads into several collections: DBRefs alone tell into which.
    pub(crate) is_one_of_several: bool,
}

/// The references of a model.
#[derive(Debug, Clone, Default)]
pub(crate) struct References {
    pub(crate) held: Vec<Held>,
    /// The paths below which references may lie that no path of fixed length leads to: an embedded
    /// document that holds itself, or a flattened map.
    pub(crate) unreachable: Vec<String>,
}

impl Held {
    pub(crate) fn segments(&self) -> &[Segment] {
        &self.segments
    }

    /// Whether the path leads through the values of a map, which the server cannot name.
    pub(crate) fn is_in_map(&self) -> bool {
        self.segments.iter().any(|segment| segment.through == Through::Map)
    }

    /// Whether one reference can be taken away by an update. That of an `_id` cannot, since no
    /// update changes it.
    pub(crate) fn can_unlink(&self) -> bool {
        let is_id = self.segments.first().is_some_and(|segment| segment.name == "_id");
        self.reference.place.can_unlink() && !self.is_in_map() && !is_id
    }

    /// The path in stored names, with `$*` for the values of a map.
    pub(crate) fn path(&self) -> String {
        dotted(&self.segments)
    }
}

impl fmt::Display for Held {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.path())
    }
}

impl References {
    /// The references of a model's documents of its current schema version.
    pub(crate) fn of(model: &Model) -> Self {
        let mut references = Self::default();
        references.walk(model.shape, &[], &mut Vec::new());
        references
    }

    fn walk(
        &mut self,
        shape: &'static Shape,
        before: &[Segment],
        around: &mut Vec<&'static Shape>,
    ) {
        if around.iter().any(|outer| std::ptr::eq(*outer, shape)) {
            self.unreachable.push(dotted(before));
            return;
        }
        around.push(shape);
        let variants = shape.variants.iter().flat_map(|variant| variant.fields);
        for field in shape.fields.iter().chain(variants) {
            match field.flatten {
                true => self.flattened(field, before, around),
                false => self.field(field, before, around),
            }
        }
        around.pop();
    }

    fn field(&mut self, field: &Field, before: &[Segment], around: &mut Vec<&'static Shape>) {
        let segments = |through| {
            let segment = Segment { name: field.name, through, optional: field.optional };
            before.iter().copied().chain([segment]).collect::<Vec<_>>()
        };
        if let Some(reference) = field.reference {
            let segments = segments(Through::Document);
            self.held.push(Held { segments, reference, is_one_of_several: false });
        } else if let Some(shape) = (field.shape)() {
            let through = match field.kind {
                Kind::Array => Through::Array,
                _ => Through::Document,
            };
            self.walk(shape, &segments(through), around);
        } else if let Some(values) = (field.values)() {
            self.walk(values, &segments(Through::Map), around);
        }
    }

    /// The fields of a flattened one stand in its place. A variant of an enum of references is
    /// stored in place of the whole enum.
    fn flattened(&mut self, field: &Field, before: &[Segment], around: &mut Vec<&'static Shape>) {
        if let Some(shape) = (field.shape)() {
            self.walk(shape, before, around);
        } else if let Some(mut reference) = field.reference {
            match (reference.place, before.split_last()) {
                (Place::One, Some((last, _))) if reference.is_db_ref => {
                    reference.place = last.place();
                    let mut segments = before.to_vec();
                    segments.iter_mut().rev().take(1).for_each(|last| {
                        last.through = Through::Document;
                    });
                    self.held.push(Held { segments, reference, is_one_of_several: true });
                }
                _ => self.unreachable.push(dotted(before)),
            }
        } else if (field.values)().is_some() {
            self.unreachable.push(dotted(before));
        }
    }
}

impl Segment {
    /// Where references are that are stored under the name itself.
    fn place(self) -> Place {
        match self.through {
            Through::Array => Place::List,
            Through::Map => Place::Map,
            Through::Document if self.optional => Place::Optional,
            Through::Document => Place::One,
        }
    }
}

fn dotted(segments: &[Segment]) -> String {
    let mut names = Vec::with_capacity(segments.len());
    for segment in segments {
        names.push(segment.name);
        if segment.through == Through::Map {
            names.push(MAP_VALUES);
        }
    }
    names.join(".")
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::model::Variant;

    const TARGET: &Model = &Model::new("User", "users", &Shape::new("User", "", &[]));

    /// A field without a type's data.
    pub(in crate::relation) const fn plain(name: &'static str, kind: Kind) -> Field {
        let mut field = Field::of::<i32>().named(name, name, "");
        field.kind = kind;
        field
    }

    pub(in crate::relation) const fn refers(name: &'static str, place: Place) -> Field {
        let mut field = plain(name, Kind::ObjectId);
        field.reference = Some(Reference::new(|| TARGET, place, true));
        field
    }

    pub(in crate::relation) const fn db_ref(mut field: Field) -> Field {
        field.kind = Kind::Any;
        field.reference = match field.reference {
            Some(reference) => Some(reference.db_ref()),
            None => None,
        };
        field
    }

    pub(in crate::relation) const fn embeds(
        name: &'static str,
        kind: Kind,
        shape: fn() -> Option<&'static Shape>,
    ) -> Field {
        let mut field = plain(name, kind);
        field.shape = shape;
        field
    }

    const fn map_of(name: &'static str, values: fn() -> Option<&'static Shape>) -> Field {
        let mut field = plain(name, Kind::Document);
        field.values = values;
        field
    }

    static LINE: Shape = Shape::new(
        "Line",
        "",
        &[
            refers("product", Place::Optional),
            refers("tags", Place::List),
            embeds("parts", Kind::Array, || Some(&PART)),
        ],
    );
    static PART: Shape = Shape::new("Part", "", &[refers("maker", Place::One)]);
    static NODE: Shape = Shape::new(
        "Node",
        "",
        &[refers("user", Place::One), embeds("inner", Kind::Array, || Some(&NODE))],
    );
    static SUBJECT: Shape = Shape::new("Subject", "", &[]).variants(&[Variant::new(
        "User",
        "User",
        "",
        &[db_ref(refers("0", Place::One)).named("0", "", "").flatten()],
    )]);
    static ROOT: Shape = Shape::new(
        "Order",
        "",
        &[
            refers("_id", Place::Optional),
            refers("owner", Place::One),
            embeds("flat", Kind::Document, || Some(&PART)).named("flat", "", "").flatten(),
            embeds("lines", Kind::Array, || Some(&LINE)),
            map_of("desks", || Some(&PART)),
            embeds("tree", Kind::Document, || Some(&NODE)),
            embeds("about", Kind::Any, || Some(&SUBJECT)),
            embeds("more", Kind::Array, || Some(&SUBJECT)),
            refers("by_name", Place::Map),
        ],
    );

    #[test]
    fn every_reference_is_found_with_its_path() {
        let references = References::of(&Model::new("Order", "orders", &ROOT));
        let found: Vec<_> = references
            .held
            .iter()
            .map(|held| (held.path(), held.reference.place, held.can_unlink()))
            .collect();
        let expected = [
            ("_id", Place::Optional, false),
            ("owner", Place::One, false),
            ("maker", Place::One, false),
            ("lines.product", Place::Optional, true),
            ("lines.tags", Place::List, true),
            ("lines.parts.maker", Place::One, false),
            ("desks.$*.maker", Place::One, false),
            ("tree.user", Place::One, false),
            ("about", Place::One, false),
            ("more", Place::List, true),
            ("by_name", Place::Map, false),
        ];
        assert_eq!(found, expected.map(|(path, place, can)| (path.to_owned(), place, can)));
        assert_eq!(references.unreachable, ["tree.inner"]);
        let several: Vec<_> =
            references.held.iter().filter(|h| h.is_one_of_several).map(Held::path).collect();
        assert_eq!(several, ["about", "more"]);
    }
}
