//! The tasks of the MongoDB ODM Performance Benchmark 1.0, by the library and by the bare driver:
//! `specifications/source/benchmarking/odm-benchmarking.md` of the `mongodb` organisation.
//!
//! What is the same: the tasks, the shape of the documents, and that documents of one task differ
//! in nothing but their `_id` and the keys that they are found by. What differs:
//!
//! - The texts are made here, in the shape of those of the specification's files.
//! - An iteration has fewer operations than 10,000, and there are as many iterations as runs were
//!   asked for: the sides take turns, which matters more to a ratio than long iterations.
//! - `field_fk` and both paths of `unique_id` have an index. The specification does not say so, and
//!   without one a task measures how fast the server scans a collection.
//! - Updates are sent as updates of one field. A mapper that would save the whole document does so
//!   only where it has no other way.
//! - Two groups of tasks are added: `large_find`, and `huge_…`, where the large document has a binary
//!   field of 3 MB.
//! - The score is a time and not MB/s, as only the ratios are of interest.

#[macro_use]
mod fields;
mod contest;
mod model;
mod task;

use bson::doc;

use super::Work;
use crate::Result;
use crate::bench::Bench;
use crate::report::Row;
use crate::seed::object_id;
pub(crate) use contest::{Contest, Contestant, Order};
use model::{ARRAY, Large, Nested, Small, SmallFk, SmallFkRow, foreign_id, unique_id};
use task::{Task, Verb};

/// What an update sets a string to, by the specification.
const UPDATED: &str = "updated_value";

/// A task for the library's model and the bare driver's, of so many operations a run.
macro_rules! task {
    ($name:literal, $model:ty, $row:ty, $full:literal, $quick:literal, $verb:expr) => {
        &Task::<$model, $row> {
            name: $name,
            operations: ($full, $quick),
            image: false,
            verb: $verb,
            row: std::marker::PhantomData,
        }
    };
    (huge $name:literal, $full:literal, $quick:literal, $verb:expr) => {
        &Task::<Large, Large> {
            name: $name,
            operations: ($full, $quick),
            image: true,
            verb: $verb,
            row: std::marker::PhantomData,
        }
    };
}

/// An update of one field of a flat document, by its `_id`.
macro_rules! update_flat {
    ($model:ty) => {
        Verb::Update {
            library: |number| {
                let m = <$model>::fields();
                (m.id().eq(object_id(number)), m.field1().set(UPDATED))
            },
            driver: |number| {
                (doc! { "_id": object_id(number) }, doc! { "$set": { "field1": UPDATED } })
            },
            field: "field1",
        }
    };
}

macro_rules! find_by_id {
    ($model:ty) => {
        Verb::Find {
            library: |number| <$model>::fields().id().eq(object_id(number)),
            driver: |number| doc! { "_id": object_id(number) },
            field: "_id",
        }
    };
}

/// The tasks in the specification's order.
pub(crate) const TASKS: &[&dyn Contest] = &[
    task!("odm_small_create", Small, Small, 1_000, 200, Verb::Create),
    task!("odm_small_update", Small, Small, 1_000, 200, update_flat!(Small)),
    task!("odm_small_find", Small, Small, 1_000, 200, find_by_id!(Small)),
    task!(
        "odm_small_find_foreign_key",
        SmallFk,
        SmallFkRow,
        1_000,
        200,
        Verb::Find {
            library: |number| SmallFk::fields().field_fk().eq(foreign_id(number)),
            driver: |number| doc! { "field_fk": foreign_id(number) },
            field: "field_fk",
        }
    ),
    task!("odm_large_create", Large, Large, 500, 100, Verb::Create),
    task!("odm_large_update", Large, Large, 500, 100, update_flat!(Large)),
    task!("odm_large_find", Large, Large, 500, 100, find_by_id!(Large)),
    task!(huge "odm_huge_create", 20, 4, Verb::Create),
    task!(huge "odm_huge_update", 20, 4, update_flat!(Large)),
    task!(huge "odm_huge_find", 20, 4, find_by_id!(Large)),
    task!("odm_nested_create", Nested, Nested, 500, 100, Verb::Create),
    task!(
        "odm_nested_update",
        Nested,
        Nested,
        500,
        100,
        Verb::Update {
            library: |number| {
                let m = Nested::fields();
                (m.id().eq(object_id(number)), m.embedded_str_doc_1().field1().set(UPDATED))
            },
            driver: |number| {
                let set = doc! { "$set": { "embedded_str_doc_1.field1": UPDATED } };
                (doc! { "_id": object_id(number) }, set)
            },
            field: "embedded_str_doc_1.field1",
        }
    ),
    task!(
        "odm_nested_find",
        Nested,
        Nested,
        500,
        100,
        Verb::Find {
            library: |number| {
                Nested::fields().embedded_str_doc_1().unique_id().eq(unique_id(number, 1))
            },
            driver: |number| doc! { "embedded_str_doc_1.unique_id": unique_id(number, 1) },
            field: "embedded_str_doc_1.unique_id",
        }
    ),
    task!(
        "odm_nested_find_in_array",
        Nested,
        Nested,
        500,
        100,
        Verb::Find {
            library: |number| {
                let array = Nested::fields().embedded_str_doc_array();
                array.any().unique_id().eq(unique_id(number, ARRAY))
            },
            driver: |number| doc! { "embedded_str_doc_array.unique_id": unique_id(number, ARRAY) },
            field: "embedded_str_doc_array.unique_id",
        }
    ),
];

macro_rules! works {
    ($($name:literal)+) => {
        &[$(Work { names: &[$name], run: |bench| Box::pin(measure(bench, $name)) }),+]
    };
}

pub(super) const WORKS: &[Work] = works! {
    "odm_small_create" "odm_small_update" "odm_small_find" "odm_small_find_foreign_key"
    "odm_large_create" "odm_large_update" "odm_large_find"
    "odm_huge_create" "odm_huge_update" "odm_huge_find"
    "odm_nested_create" "odm_nested_update" "odm_nested_find" "odm_nested_find_in_array"
};

async fn measure(bench: &Bench, name: &'static str) -> Result<Vec<Row>> {
    let task = TASKS.iter().find(|task| task.name() == name).ok_or("a work without its task")?;
    let result = task.run(bench, &[]).await?;
    match result.times[..] {
        [library, driver] => Ok(vec![Row { work: name, what: result.what, library, driver }]),
        _ => Err("a task of two sides has not two times".into()),
    }
}

#[cfg(test)]
mod tests {
    use odm::prelude::*;

    use super::model::{Large, Nested, Sample, Small};
    use super::{TASKS, WORKS};
    use crate::Result;

    #[test]
    fn each_task_is_a_work() {
        let tasks: Vec<_> = TASKS.iter().map(|task| task.name()).collect();
        let works: Vec<_> = WORKS.iter().flat_map(|work| work.names).copied().collect();
        assert_eq!(tasks, works);
    }

    #[test]
    fn documents_have_the_size_that_the_specification_says() -> Result {
        let sizes = [
            Small::numbered(1).encode()?.as_bytes().len(),
            Large::numbered(1).encode()?.as_bytes().len(),
            Nested::numbered(1).encode()?.as_bytes().len(),
        ];
        for (size, expected) in sizes.into_iter().zip([250, 8_000, 8_000]) {
            assert!(size.abs_diff(expected) * 6 < expected, "{size} bytes, not {expected}");
        }
        Ok(())
    }
}
