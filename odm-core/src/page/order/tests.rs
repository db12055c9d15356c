//! Orders and projections, without a server.

use bson::{Document, doc};

use super::Order;
use crate::error::{ErrorKind, Result};
use crate::model::{Field, Model, Shape};

const FIELDS: &[Field] = &[
    Field::of::<i32>().named("id", "_id", ""),
    Field::of::<Vec<String>>().named("tags", "tags", ""),
    Field::of::<i32>().named("votes", "votes", ""),
];
static SHAPE: Shape = Shape::new("Post", "", FIELDS);
static MODEL: Model = Model::new("Post", "posts", &SHAPE);

fn order(sort: Document) -> Result<Order> {
    Order::plan(Some(&sort), &MODEL, "posts")
}

#[test]
fn the_id_comes_last_in_the_direction_of_the_key_before_it() -> Result<()> {
    let cases = [
        (doc! {}, doc! { "_id": 1 }),
        (doc! { "votes": 1 }, doc! { "votes": 1, "_id": 1 }),
        (doc! { "votes": 1, "title": -1 }, doc! { "votes": 1, "title": -1, "_id": -1 }),
        (doc! { "votes": -1, "_id": 1 }, doc! { "votes": -1, "_id": 1 }),
        // Nothing after an `_id` decides.
        (doc! { "_id": -1, "votes": 1 }, doc! { "_id": -1 }),
    ];
    for (sort, sent) in cases {
        let order = order(sort)?;
        assert_eq!(order.sort(false), sent);
        let reversed: Document = sent
            .iter()
            .map(|(path, n)| (path.clone(), (-n.as_i32().unwrap_or(0)).into()))
            .collect();
        assert_eq!(order.sort(true), reversed);
    }
    Ok(())
}

#[test]
fn computed_keys_and_arrays_are_refused() {
    for sort in [
        doc! { "score": { "$meta": "textScore" } },
        doc! { "votes": "hashed" },
        doc! { "tags": 1 },
        doc! { "tags.0": -1 },
    ] {
        let error = order(sort.clone()).err();
        assert_eq!(error.map(|error| error.kind()), Some(ErrorKind::InvalidArgument), "{sort}");
    }
}

#[test]
fn a_projection_gets_the_keys_that_it_lacks() -> Result<()> {
    let order = order(doc! { "a.b": 1, "votes": 1 })?;
    // The projection, what is sent, and what the view must not see.
    let cases = [
        (
            doc! { "title": 1, "_id": 0 },
            doc! { "title": 1, "a.b": 1, "votes": 1, "_id": 1 },
            vec!["a", "votes", "_id"],
        ),
        (doc! { "a": 1, "votes": 1, "_id": 1 }, doc! { "a": 1, "votes": 1, "_id": 1 }, vec![]),
        (
            doc! { "a.c": 1, "_id": 1 },
            doc! { "a.c": 1, "_id": 1, "a.b": 1, "votes": 1 },
            vec!["votes"],
        ),
        (
            doc! { "a.b.c": 1, "a.b.d": 1, "votes": true, "_id": 1 },
            doc! { "a.b": 1, "votes": true, "_id": 1 },
            vec![],
        ),
    ];
    for (mut projection, sent, hidden) in cases {
        assert_eq!(order.project(&mut projection)?, hidden);
        let sorted = |document: &Document| {
            let mut keys: Vec<_> = document.iter().map(|(key, n)| format!("{key}: {n}")).collect();
            keys.sort();
            keys
        };
        assert_eq!(sorted(&projection), sorted(&sent));
    }
    for computed in [doc! { "votes": { "$add": [1, 2] } }, doc! { "a": "$b" }] {
        let error = order.project(&mut computed.clone()).err();
        assert_eq!(error.map(|error| error.kind()), Some(ErrorKind::InvalidArgument), "{computed}");
    }
    Ok(())
}

#[test]
fn tokens_of_other_orders_are_refused() -> Result<()> {
    let own = order(doc! { "votes": 1 })?;
    let token = own.token(vec![5.into(), 7.into()])?;
    assert!(own.beyond(&token, false).is_ok());
    let others = [
        order(doc! { "votes": -1 })?,
        order(doc! { "_id": 1 })?,
        Order::plan(Some(&doc! { "votes": 1 }), &MODEL, "others")?,
    ];
    for other in others {
        assert!(other.beyond(&token, false).is_err());
    }
    // As many values as keys.
    let short = own.token(vec![5.into()])?;
    assert!(own.beyond(&short, false).is_err());
    Ok(())
}
