//! The stages that take the references at a path out of documents, one in each row.

use bson::{Bson, Document, doc};

use crate::relation::{Held, Place, Through, id_of_db_ref};

/// The field of a row that has the reference's key.
pub(super) const VALUE: &str = "v";

/// The field of a row that has a key of the document itself.
pub(super) const OWN: &str = "k";

/// How deep lists within lists are taken apart.
const DEEPEST: usize = 3;

/// The stages after which each row has the `_id` of a document and one key that it refers to, in
/// [`VALUE`]; `own` is a field that is kept as [`OWN`]. Null and what is missing have no row.
///
/// `database` is where the targets are stored.
pub(super) fn values(
    held: &Held,
    database: &str,
    current: Option<Document>,
    own: Option<&str>,
) -> Vec<Document> {
    let mut stages: Vec<_> =
        current.map(|current| doc! { "$match": current }).into_iter().collect();
    let mut begun = false;
    let mut names: Vec<&str> = Vec::new();
    let mut nested = false;
    for segment in held.segments() {
        names.push(segment.name);
        if segment.through == Through::Document {
            continue;
        }
        stages.push(go_to(&std::mem::take(&mut names), &mut begun, own));
        nested = true;
        match segment.through {
            Through::Map => stages.extend(of_map()),
            _ => stages.push(unwind()),
        }
    }
    stages.push(go_to(&names, &mut begun, own));
    let levels = match held.reference.place {
        Place::Fixed => DEEPEST,
        Place::List => 1,
        Place::Map => {
            stages.extend(of_map());
            1
        }
        _ => usize::from(nested),
    };
    stages.extend((0..levels).map(|_| unwind()));
    if held.reference.is_db_ref {
        let bare = match held.is_one_of_several {
            // It does not tell into which collection it leads.
            true => Bson::Null,
            false => Bson::from(format!("${VALUE}")),
        };
        let target = (held.reference.target)();
        let id = id_of_db_ref(&format!("${VALUE}"), target, database, bare);
        stages.push(doc! { "$set": { VALUE: id } });
    }
    stages.push(doc! { "$match": { VALUE: { "$ne": Bson::Null } } });
    stages
}

/// Goes on to a path below the value, or below the document at first.
fn go_to(names: &[&str], begun: &mut bool, own: Option<&str>) -> Document {
    let path = names.join(".");
    if *begun {
        return doc! { "$set": { VALUE: format!("${VALUE}.{path}") } };
    }
    *begun = true;
    let mut projection = doc! { VALUE: format!("${path}") };
    projection.extend(own.map(|own| (OWN.to_owned(), Bson::from(format!("${own}")))));
    doc! { "$project": projection }
}

fn unwind() -> Document {
    doc! { "$unwind": format!("${VALUE}") }
}

/// The values of a map, and the elements of those that are lists.
fn of_map() -> [Document; 4] {
    let value = format!("${VALUE}");
    let entries = doc! { "$cond": [
        { "$eq": [{ "$type": &value }, "object"] }, { "$objectToArray": &value }, [],
    ] };
    [
        doc! { "$set": { VALUE: entries } },
        unwind(),
        doc! { "$set": { VALUE: format!("${VALUE}.v") } },
        unwind(),
    ]
}
