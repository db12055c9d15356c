//! The filters of several places, without a server.

use bson::{Bson, Document, doc, oid::ObjectId};

use super::{Position, beyond};

fn position<'a>(path: &'a str, value: &'a Bson, descending: bool) -> Position<'a> {
    Position { path, value, descending }
}

/// What is beyond one value.
fn beyond_one(value: impl Into<Bson>, descending: bool) -> Document {
    let filter = beyond(&[position("a", &value.into(), descending)], false);
    let branches = filter.get_array("$or").ok();
    branches.and_then(|b| b.first()?.as_document().cloned()).unwrap_or_default()
}

/// The comparisons whose opposite must hold.
fn excluded(filter: &Document) -> Vec<Document> {
    let ranges = filter.get_array("$and").into_iter().flatten();
    let excluded = ranges.filter_map(|range| {
        range.as_document()?.get_document("a").ok()?.get_document("$not").ok().cloned()
    });
    excluded.collect()
}

/// The constants that are excluded; NaN as text, since it is not equal to itself.
fn constants(filter: &Document) -> Vec<String> {
    let constants = filter.get_document("a").and_then(|a| a.get_array("$nin"));
    constants.into_iter().flatten().map(ToString::to_string).collect()
}

#[test]
fn after_a_value_are_the_rest_of_its_class_and_later_classes() {
    let infinite = doc! { "$gte": f64::NEG_INFINITY };
    let cases: [(Bson, Vec<Document>, Vec<&str>); 7] = [
        (Bson::MinKey, vec![], vec!["MinKey"]),
        (Bson::Null, vec![], vec!["null", "MinKey"]),
        (Bson::Double(f64::NAN), vec![], vec!["NaN", "MinKey", "null"]),
        (5.into(), vec![doc! { "$lte": 5 }], vec!["NaN", "MinKey", "null"]),
        ("x".into(), vec![doc! { "$lte": "x" }, infinite.clone()], vec!["MinKey", "null", "NaN"]),
        (
            doc! { "$gt": "" }.into(),
            vec![doc! { "$lte": { "$gt": "" } }, infinite, doc! { "$gte": "" }],
            vec!["MinKey", "null", "NaN"],
        ),
        (Bson::Undefined, vec![], vec!["MinKey"]),
    ];
    for (value, ranges, values) in cases {
        let filter = beyond_one(value.clone(), false);
        assert_eq!(excluded(&filter), ranges, "{value}");
        assert_eq!(constants(&filter), values, "{value}");
    }
}

#[test]
fn before_a_value_are_the_rest_of_its_class_and_earlier_classes() {
    let id = ObjectId::new();
    let filter = beyond_one(id, true);
    let ranges = excluded(&filter);
    assert_eq!(ranges.first(), Some(&doc! { "$gte": id }));
    assert_eq!(ranges.get(1), Some(&doc! { "$gte": false }));
    assert_eq!(ranges.len(), 5, "{filter}");
    assert_eq!(constants(&filter), ["MaxKey"]);
    // NaN is before every other number, and so is not excluded.
    assert_eq!(constants(&beyond_one(5, true)), ["MaxKey"]);
    let before_nan = beyond_one(f64::NAN, true);
    assert_eq!(constants(&before_nan), ["NaN", "MaxKey"]);
    assert_eq!(excluded(&before_nan).first(), Some(&doc! { "$gte": f64::NEG_INFINITY }));
}

#[test]
fn a_regular_expression_is_compared_by_an_expression() {
    let regex = Bson::RegularExpression(bson::Regex {
        pattern: bson::raw::cstr!("^a").into(),
        options: bson::raw::cstr!("").into(),
    });
    let filter = beyond_one(regex.clone(), true);
    let expected = doc! {
        "a": { "$type": ["regex"] },
        "$expr": { "$gte": ["$a", { "$literal": regex }] },
    };
    assert_eq!(filter.get_array("$nor").ok(), Some(&vec![expected.into()]));
}

#[test]
fn several_keys_are_equal_up_to_the_one_that_decides() {
    let (null, one, id) = (Bson::Null, Bson::Int32(1), Bson::Int32(7));
    let positions =
        [position("a", &null, false), position("b.c", &one, true), position("_id", &id, true)];
    let is_null = doc! { "$eq": null, "$not": { "$type": ["undefined"] } };
    for inclusive in [false, true] {
        let filter = beyond(&positions, inclusive);
        let branches = filter.get_array("$or").cloned().unwrap_or_default();
        let branches: Vec<_> = branches.iter().filter_map(Bson::as_document).collect();
        assert_eq!(branches.len(), if inclusive { 4 } else { 3 });
        assert!(branches[0].keys().all(|key| key != "b.c" && key != "_id"), "{filter}");
        assert_eq!(branches[1].get_document("a").ok(), Some(&is_null));
        assert!(branches[1].contains_key("$and"));
        assert_eq!(branches[2].get_document("b.c").ok(), Some(&doc! { "$eq": 1 }));
        let equal = doc! { "a": is_null.clone(), "b.c": { "$eq": 1 }, "_id": { "$eq": 7 } };
        assert_eq!(branches.get(3), inclusive.then_some(&&equal));
    }
}
