//! A lookup without its types.

use std::fmt;
use std::sync::Arc;

use bson::{Bson, Document as BsonDocument, RawBsonRef, RawDocument, RawDocumentBuf};

use super::erased::{Erased, OfView};
use super::stored::{self, SortKey, visit_values};
use super::{Key, Place, Relation, Slot};
use crate::driver::{Call, Target, Visible};
use crate::error::{Error, Result};
use crate::migrate::{self, Read, ReadFn};
use crate::model::{Document, Model};
use crate::path::{Name, Relates};
use crate::view::{self, View};

/// What to load at one path.
#[derive(Clone)]
pub(crate) struct Node {
    /// The path of the slots in the parent, in stored names.
    pub(super) path: String,
    pub(super) target: &'static Model,
    pub(super) local: Local,
    /// The path in the target that is joined by.
    pub(super) foreign: String,
    /// Whether one side holds DBRefs: the slots, or the path in the target.
    pub(super) is_db_ref: bool,
    /// The collection that DBRefs in the target must name to lead back.
    parents: &'static str,
    /// Whether the slots are the values of a map, which the server does not see as such.
    in_map: bool,
    read: ReadFn<Arc<dyn Erased>>,
    pub(super) wants: Wants,
    pub(super) filter: Option<BsonDocument>,
    /// Paths, and whether each is descending.
    pub(super) sort: Vec<(String, bool)>,
    pub(super) limit: Option<u32>,
    pub(super) projection: Option<BsonDocument>,
    pub(super) skip_errors: bool,
    /// Whether deleted targets are found too.
    pub(super) with_deleted: bool,
    pub(super) required: bool,
    pub(super) parent_sort: Option<BsonDocument>,
    pub(super) children: Vec<Node>,
    /// Tells the nodes of one find apart, outer before inner.
    pub(super) number: usize,
    /// Whether the view that it is read as refuses unknown fields.
    is_strict: bool,
}

/// What the parent is joined by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Local {
    /// The keys in the slots themselves.
    Slots,
    /// A field of the parent, by its stored name.
    Parent(&'static str),
}

/// What is loaded of the targets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wants {
    Documents,
    Count,
    Graph { max_depth: u8 },
}

/// A target as it was found.
pub(super) struct Found {
    /// Nobody else has it yet.
    pub(super) value: Result<Arc<dyn Erased>>,
    pub(super) write_back: Option<Box<migrate::WriteBack>>,
    /// The `_id`.
    pub(super) id: Key,
    /// The values that it is joined by, where that is not the `_id`.
    pub(super) keys: Option<Vec<Key>>,
    /// Its place in the order; empty where there is none.
    pub(super) order: Vec<SortKey>,
    /// The document as it is stored, for a graph lookup, which reads it once for each depth.
    pub(super) stored: Option<RawDocumentBuf>,
}

impl Node {
    pub(super) fn of<C: Relation>(name: &Name) -> Result<Self> {
        let path = name.checked()?.to_owned();
        let (local, foreign) = match name.relates() {
            None => (Local::Slots, "_id".to_owned()),
            Some(Relates::Key(key)) => (Local::Slots, key.to_owned()),
            Some(Relates::Inverse(inverse)) if C::PLACE == Place::Inverse => {
                let inverse = inverse();
                return Ok(Self {
                    is_db_ref: inverse.is_db_ref,
                    parents: inverse.of.collection,
                    ..Self::new::<C::Target>(path, Local::Parent(inverse.key), inverse.path)
                });
            }
            Some(Relates::Inverse(_)) => (Local::Slots, "_id".to_owned()),
        };
        Ok(Self {
            is_db_ref: C::IS_DB_REF,
            in_map: C::PLACE == Place::Map,
            ..Self::new::<C::Target>(path, local, foreign)
        })
    }

    fn new<T: Document>(path: String, local: Local, foreign: String) -> Self {
        Self {
            path,
            target: T::MODEL,
            local,
            foreign,
            is_db_ref: false,
            parents: "",
            in_map: false,
            read: |raw| {
                let Read { value, write_back } = migrate::read::<T>(raw)?;
                Ok(Read { value: Arc::new(value), write_back })
            },
            wants: Wants::Documents,
            filter: None,
            sort: Vec::new(),
            limit: None,
            projection: None,
            skip_errors: false,
            with_deleted: false,
            required: false,
            parent_sort: None,
            children: Vec::new(),
            number: 0,
            is_strict: false,
        }
    }

    /// Reads views in place of documents.
    pub(super) fn project<T: Document, V: View<Of = T>>(&mut self, projection: BsonDocument) {
        self.projection = Some(projection);
        self.read = |raw| {
            let Read { value, write_back } = view::read::<T, V>(raw)?;
            Ok(Read { value: Arc::new(OfView(value)), write_back })
        };
        self.is_strict = V::STRICT;
    }

    /// Reads with the fields of a view those that it is joined and sorted by.
    fn complete_projection(&mut self) -> Result<()> {
        let Some(mut projection) = self.projection.take() else { return Ok(()) };
        let needed = ["_id", self.foreign.as_str()];
        let needed = needed.into_iter().chain(self.sort.iter().map(|(path, _)| path.as_str()));
        for path in needed.filter(|path| !covers(&projection, path)).collect::<Vec<_>>() {
            if self.is_strict && (path != "_id" || projection.contains_key("_id")) {
                let message = "a view that refuses unknown fields needs those that a lookup joins \
                               and sorts by: add the field to the view";
                return Err(Error::invalid(message).with_path(path));
            }
            // Beside a path, the server takes none inside of it.
            let inner = |name: &str| name.strip_prefix(path).is_some_and(|r| r.starts_with('.'));
            let kept = projection.into_iter().filter(|(name, _)| !inner(name));
            projection = kept.collect();
            projection.insert(path, 1);
        }
        self.projection = Some(projection);
        Ok(())
    }

    /// Adds a node to others: what is asked for inside of one path is asked for at once.
    pub(crate) fn add_to(mut self, nodes: &mut Vec<Self>) -> Result<()> {
        self.check()?;
        self.complete_projection()?;
        let same =
            |node: &&mut Self| node.path == self.path && std::ptr::eq(node.target, self.target);
        match nodes.iter_mut().find(same) {
            None => nodes.push(self),
            Some(node) if node.is_plain() && self.is_plain() => {
                self.children.into_iter().try_for_each(|child| child.add_to(&mut node.children))?;
            }
            Some(_) => {
                let message = "one path cannot be looked up twice with filters, sorts, limits or \
                               projections of their own";
                return Err(Error::invalid(message).with_path(self.path));
            }
        }
        Ok(())
    }

    fn check(&self) -> Result<()> {
        if let Some(projection) = &self.projection {
            self.children.iter().try_for_each(|child| child.check_projected(projection))?;
        }
        let is_inverse = matches!(self.local, Local::Parent(_));
        let refused = match self.wants {
            Wants::Documents => None,
            Wants::Count if !is_inverse => {
                Some("only what refers back is counted: a list of references has a length")
            }
            Wants::Count if !self.children.is_empty() || self.projection.is_some() => {
                Some("what is only counted has no fields to look up or to project")
            }
            Wants::Count if self.limit.is_some() => Some("what is counted has no limit"),
            Wants::Count => None,
            Wants::Graph { .. }
                if !self.children.is_empty()
                    || self.projection.is_some()
                    || self.limit.is_some()
                    || self.is_db_ref
                    || self.in_map
                    || self.path.contains(MAP_VALUES) =>
            {
                Some(
                    "a graph lookup takes a filter and a sort, and follows plain references: no \
                     DBRefs or maps, no limit, projection or inner lookup",
                )
            }
            Wants::Graph { .. } => None,
        };
        match refused {
            Some(message) => Err(Error::invalid(message).with_path(&self.path)),
            None => Ok(()),
        }
    }

    /// Whether nothing is said of it but its path and what is inside.
    fn is_plain(&self) -> bool {
        self.wants == Wants::Documents
            && self.filter.is_none()
            && self.sort.is_empty()
            && self.limit.is_none()
            && self.projection.is_none()
            && !self.skip_errors
            && !self.with_deleted
            && !self.required
            && self.parent_sort.is_none()
    }

    /// Numbers the node and those inside of it, from `next` on.
    pub(crate) fn renumber(&mut self, next: &mut usize) {
        self.number = *next;
        *next += 1;
        self.children.iter_mut().for_each(|child| child.renumber(next));
    }

    pub(super) fn segments(&self) -> Vec<&str> {
        self.path.split('.').collect()
    }

    /// Whether the slot is for what the node loads. A field may lead into several collections.
    pub(super) fn is_for(&self, slot: &dyn Slot) -> bool {
        std::ptr::eq(self.target, slot.target())
    }

    /// What a slot holds, as a key.
    pub(super) fn key_of(&self, slot: &dyn Slot) -> Result<Option<Key>> {
        let key = slot.key()?.filter(|key| *key != Bson::Null);
        Ok(key.map(|key| Key::of(&key)))
    }

    /// Whether the documents of a parent have an order of their own. Where a key is not unique after
    /// all, a reference leads to the first.
    pub(super) fn is_ordered(&self) -> bool {
        matches!(self.local, Local::Parent(_)) || self.limit.is_some() || self.foreign != "_id"
    }

    /// The call on the collection of the targets, which sees what the node asks for.
    pub(super) fn seen_by(&self, call: Call) -> Call {
        match self.with_deleted {
            true => call.seeing(Visible::All),
            false => call,
        }
    }

    pub(crate) fn sorts_parents(&self) -> bool {
        self.parent_sort.is_some()
    }

    pub(crate) fn is_required(&self) -> bool {
        self.required
    }

    /// Why `$lookup` cannot follow the node, if it cannot.
    pub(crate) fn refuses(&self, target: &Target) -> Option<&'static str> {
        self.refuses_join(target, false)
    }

    /// Whether it decides which parents are found, or in which order.
    pub(crate) fn decides(&self) -> bool {
        self.required || self.parent_sort.is_some()
    }

    /// Whether a parent read by this projection has what is looked up.
    pub(crate) fn check_projected(&self, projection: &BsonDocument) -> Result<()> {
        let refused = match self.local {
            Local::Parent(_) => Some("what refers back is looked up from whole documents"),
            Local::Slots if covers(projection, &self.path) => None,
            Local::Slots => Some("the view has no such field to look up"),
        };
        refused.map_or(Ok(()), |message| Err(Error::invalid(message).with_path(&self.path)))
    }

    /// The sort as the server takes it, with `_id` as its last key.
    pub(super) fn server_sort(&self) -> BsonDocument {
        let direction = |descending| if descending { -1 } else { 1 };
        let mut sort: BsonDocument = self
            .sort
            .iter()
            .map(|(path, descending)| (path.clone(), direction(*descending).into()))
            .collect();
        if !sort.contains_key("_id") {
            sort.insert("_id", 1);
        }
        sort
    }

    /// Reads a target. Its keys are what is stored; those of a document that was upgraded are what
    /// the upgraded one would store.
    pub(super) fn read(&self, raw: &RawDocument) -> Found {
        let id = key_at(raw, "_id");
        let (value, write_back) = match (self.read)(raw) {
            Ok(Read { value, write_back }) => (Ok(value), write_back),
            Err(error) => (Err(error), None),
        };
        let upgraded = match &value {
            Ok(value) if !migrate::is_current(raw, self.target) => value.encode().ok().flatten(),
            _ => None,
        };
        let stored: &RawDocument = upgraded.as_deref().unwrap_or(raw);
        let keys = match self.foreign.as_str() {
            "_id" => None,
            foreign => Some(self.keys_at(stored, foreign)),
        };
        let order = match self.is_ordered() || matches!(self.wants, Wants::Graph { .. }) {
            true => stored::sort_keys(stored, &self.sort),
            false => Vec::new(),
        };
        let kept = matches!(self.wants, Wants::Graph { .. }).then(|| raw.to_owned());
        Found { value, write_back, id, keys, order, stored: kept }
    }

    pub(super) fn keys_at(&self, stored: &RawDocument, path: &str) -> Vec<Key> {
        let mut keys = Vec::new();
        visit_values(stored, path, &mut |value| {
            let value = match (self.is_db_ref, value) {
                (true, RawBsonRef::Document(document)) => match self.id_of(document) {
                    Some(id) => id,
                    None => return,
                },
                (_, value) => value,
            };
            if let Some(key) = Key::of_raw(value).filter(|key| !keys.contains(key)) {
                keys.push(key);
            }
        });
        keys
    }

    /// The id in a DBRef, if it leads to the parents; a document that is none is an id itself.
    pub(super) fn id_of<'a>(&self, document: &'a RawDocument) -> Option<RawBsonRef<'a>> {
        match document.get_str("$ref") {
            Ok(collection) if collection == self.parents => document.get("$id").ok().flatten(),
            Ok(_) => None,
            Err(_) => Some(RawBsonRef::Document(document)),
        }
    }

    fn refuses_join(&self, target: &Target, is_inner: bool) -> Option<&'static str> {
        let is_position = |name: &str| name.bytes().all(|byte| byte.is_ascii_digit());
        let children = || self.children.iter().find_map(|node| node.refuses_join(target, true));
        match () {
            () if !target.is_beside(self.target) => Some("it reaches into another database"),
            () if self.path.split('.').any(is_position) => {
                Some("it reaches to a position in a list")
            }
            () if self.in_map || self.path.contains(MAP_VALUES) => {
                Some("it reaches to the values of a map")
            }
            () if is_inner && (self.limit.is_some() || self.wants != Wants::Documents) => {
                Some("it has a limit, a count or a graph inside of another lookup")
            }
            () if self.is_db_ref && self.required => {
                Some("it is required, and a DBRef may lead into another collection")
            }
            () if self.is_db_ref
                && matches!(self.local, Local::Parent(_))
                && (self.limit.is_some() || self.wants == Wants::Count) =>
            {
                Some("it counts or limits DBRefs, which may lead into another collection")
            }
            () if self.filter.as_ref().is_some_and(|filter| !can_match(filter)) => {
                Some("its filter has `$where`, `$near` or `$nearSphere`")
            }
            () => children(),
        }
    }
}

/// What stands in a path for the values of a map.
pub(crate) const MAP_VALUES: &str = "$*";

/// The value at a path as a key; that of null, if there is none.
fn key_at(raw: &RawDocument, path: &str) -> Key {
    let value = raw.get(path).ok().flatten();
    value.and_then(Key::of_raw).unwrap_or_else(|| Key::of(&Bson::Null))
}

/// Whether an aggregation takes the filter.
pub(crate) fn can_match(filter: &BsonDocument) -> bool {
    const FIND_ONLY: [&str; 3] = ["$where", "$near", "$nearSphere"];
    filter.iter().all(|(key, value)| {
        let inner = match value {
            Bson::Document(inner) => can_match(inner),
            Bson::Array(parts) => parts.iter().filter_map(Bson::as_document).all(can_match),
            _ => true,
        };
        inner && !FIND_ONLY.contains(&key.as_str())
    })
}

/// Whether a projection includes the path, or what it lies in.
fn covers(projection: &BsonDocument, path: &str) -> bool {
    projection.iter().any(|(included, value)| {
        let is_around = path.strip_prefix(included.as_str());
        !is_excluded(value)
            && is_around.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    })
}

fn is_excluded(value: &Bson) -> bool {
    matches!(value, Bson::Int32(0) | Bson::Boolean(false))
}

impl fmt::Debug for Node {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Node")
            .field("path", &self.path)
            .field("target", &self.target.name)
            .field("filter", &self.filter)
            .field("children", &self.children)
            .finish_non_exhaustive()
    }
}
