//! References resolved: each strategy of the library against the better of two written by hand.

mod hand;
mod model;

use std::future::Future;
use std::time::Instant;

use odm::LookupStrategy;
use odm::prelude::*;

use super::Work;
use crate::Result;
use crate::bench::Bench;
use crate::measure::{Run, Side, Tally, medians};
use crate::report::Row;
use crate::seed::empty;
use hand::{by_batches, by_lookup};
use model::{Anthology, Author, Book, Parent, ParentRow};

/// How many parents refer to how many authors, and how many times a run asks for them all.
struct Shape {
    name: &'static str,
    works: [&'static str; 3],
    parents: u32,
    authors: u32,
    queries: u32,
}

macro_rules! works {
    ($($name:literal: $parent:ty, $parents:literal, $authors:literal, $queries:literal;)+) => {
        &[$({
            const SHAPE: Shape = Shape {
                name: $name,
                works: [
                    concat!("lookup_", $name, "_auto"),
                    concat!("lookup_", $name, "_lookup"),
                    concat!("lookup_", $name, "_batches"),
                ],
                parents: $parents,
                authors: $authors,
                queries: $queries,
            };
            Work { names: &SHAPE.works, run: |bench| Box::pin(measure::<$parent>(bench, &SHAPE)) }
        }),+]
    };
}

pub(super) const WORKS: &[Work] = works! {
    "10000_to_1000": Book, 10_000, 1_000, 2;
    "10000_to_10000": Book, 10_000, 10_000, 2;
    "1000_x_10": Anthology, 1_000, 10_000, 4;
    "100_to_100": Book, 100, 100, 100;
    "1_to_1": Book, 1, 1, 400;
};

async fn measure<P: Parent>(bench: &Bench, shape: &Shape) -> Result<Vec<Row>> {
    let database = bench.database(&format!("lookup_{}", shape.name));
    let queries = bench.settings.sized(shape.queries, shape.queries.div_ceil(4));
    seed::<P>(database.driver(), shape).await?;

    // The number of parents is named to each side, so that `Auto` may see that there is only one.
    let limit = shape.parents;
    let parents = database.collection::<P>();
    let library = |strategy| {
        let parents = parents.clone();
        side(queries, move || P::look_up(parents.clone(), strategy, limit))
    };
    let (one, other) = (database.driver().clone(), database.driver().clone());
    let sides = [
        library(LookupStrategy::Auto),
        library(LookupStrategy::Lookup),
        library(LookupStrategy::Batches),
        side(queries, move || by_lookup::<P>(one.clone(), limit)),
        side(queries, move || by_batches::<P>(other.clone(), limit)),
    ];

    let [auto, lookup, batches, lookup_by_hand, batches_by_hand] =
        medians(bench.settings.runs, sides).await?;
    let (driver, by) = match lookup_by_hand < batches_by_hand {
        true => (lookup_by_hand, "`$lookup`"),
        false => (batches_by_hand, "`$in`"),
    };
    let rows = shape.works.into_iter().zip([auto, lookup, batches]);
    Ok(rows
        .map(|(work, library)| {
            let what = format!("{queries} queries, the driver by {by}");
            Row { work, what, library, driver }
        })
        .collect())
}

/// A side that asks many times, as one query of a few parents is too short to be measured.
fn side<F>(queries: u32, query: impl Fn() -> F + Clone + Send + Sync + 'static) -> Side
where
    F: Future<Output = Result<Tally>> + Send + 'static,
{
    Side::new(move || {
        let query = query.clone();
        async move {
            let started = Instant::now();
            let mut tally = Tally::default();
            for _ in 0..queries {
                tally = tally + query().await?;
            }
            Ok(Run::since(started, tally))
        }
    })
}

async fn seed<P: Parent>(database: &mongodb::Database, shape: &Shape) -> Result {
    let authors = database.collection::<Author>(Author::MODEL.collection);
    empty(&authors).await?;
    authors.insert_many((0..shape.authors).map(Author::numbered)).await?;

    let parents = database.collection::<P::Row>(P::MODEL.collection);
    empty(&parents).await?;
    let rows = (0..shape.parents).map(|number| P::Row::numbered(number, shape.authors));
    parents.insert_many(rows).await?;
    Ok(())
}
