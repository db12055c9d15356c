//! One document at a time: `find_by_id`, `insert_one`, `update_one`, many times in a row.

use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;

use bson::doc;
use bson::oid::ObjectId;
use odm::Collection;

use super::Work;
use crate::Result;
use crate::bench::Bench;
use crate::measure::{Run, Side, Tally, medians};
use crate::model::{Post, Sample};
use crate::report::Row;
use crate::seed::{empty, object_id, samples, stored};

pub(super) const WORKS: &[Work] = &[
    Work { names: &["find_by_id"], run: |bench| Box::pin(find_by_id(bench)) },
    Work { names: &["insert_one"], run: |bench| Box::pin(insert_one(bench)) },
    Work { names: &["update_one"], run: |bench| Box::pin(update_one(bench)) },
];

/// A prime: steps of it visit every post of a collection in no order.
const STRIDE: u32 = 7_919;

fn repetitions(bench: &Bench) -> u32 {
    bench.settings.sized(2_000, 500)
}

async fn row(bench: &Bench, work: &'static str, what: &str, sides: [Side; 2]) -> Result<Vec<Row>> {
    let [library, driver] = medians(bench.settings.runs, sides).await?;
    let what = format!("{} {what}", repetitions(bench));
    Ok(vec![Row { work, what, library, driver }])
}

async fn find_by_id(bench: &Bench) -> Result<Vec<Row>> {
    let posts = bench.posts().await?.clone();
    let count = bench.post_count();
    let ids: Arc<[ObjectId]> =
        (0..repetitions(bench)).map(|number| object_id(number * STRIDE % count)).collect();

    let (driver, driver_ids) = (posts.driver().clone_with_type::<Post>(), Arc::clone(&ids));
    let library = Side::new(move || find_by_library(posts.clone(), Arc::clone(&ids)));
    let driver = Side::new(move || find_by_driver(driver.clone(), Arc::clone(&driver_ids)));
    row(bench, "find_by_id", "finds", [library, driver]).await
}

async fn find_by_library(posts: Collection<Post>, ids: Arc<[ObjectId]>) -> Result<Run> {
    let started = Instant::now();
    let mut tally = Tally::default();
    for &id in ids.iter() {
        if let Some(post) = posts.get(id).await? {
            tally.count(black_box(&post).votes());
        }
    }
    Ok(Run::since(started, tally))
}

async fn find_by_driver(posts: mongodb::Collection<Post>, ids: Arc<[ObjectId]>) -> Result<Run> {
    let started = Instant::now();
    let mut tally = Tally::default();
    for &id in ids.iter() {
        if let Some(post) = posts.find_one(doc! { "_id": id }).await? {
            tally.count(black_box(&post).votes());
        }
    }
    Ok(Run::since(started, tally))
}

/// Both sides of a work that writes: the library's and the driver's handle of one collection, and
/// the same documents.
fn writers<L, D>(
    bench: &Bench,
    database: &str,
    library: fn(Collection<Post>, Arc<[Post]>) -> L,
    driver: fn(mongodb::Collection<Post>, Arc<[Post]>) -> D,
) -> [Side; 2]
where
    L: Future<Output = Result<Run>> + Send + 'static,
    D: Future<Output = Result<Run>> + Send + 'static,
{
    let posts = bench.database(database).collection::<Post>();
    let bare = posts.driver().clone_with_type::<Post>();
    let documents: Arc<[Post]> = samples(0..repetitions(bench)).into();
    let same = Arc::clone(&documents);
    [
        Side::new(move || library(posts.clone(), Arc::clone(&documents))),
        Side::new(move || driver(bare.clone(), Arc::clone(&same))),
    ]
}

async fn insert_one(bench: &Bench) -> Result<Vec<Row>> {
    let sides = writers(bench, "insert_one", insert_by_library, insert_by_driver);
    row(bench, "insert_one", "inserts", sides).await
}

async fn insert_by_library(posts: Collection<Post>, documents: Arc<[Post]>) -> Result<Run> {
    empty(&posts.driver()).await?;
    let started = Instant::now();
    for document in documents.iter() {
        posts.insert_one(document).await?;
    }
    let run = Run::since(started, Tally::default());
    Ok(run.with_tally(stored(&posts.driver()).await?))
}

async fn insert_by_driver(posts: mongodb::Collection<Post>, documents: Arc<[Post]>) -> Result<Run> {
    empty(&posts).await?;
    let started = Instant::now();
    for document in documents.iter() {
        posts.insert_one(document).await?;
    }
    let run = Run::since(started, Tally::default());
    Ok(run.with_tally(stored(&posts).await?))
}

async fn update_one(bench: &Bench) -> Result<Vec<Row>> {
    let sides = writers(bench, "update_one", update_by_library, update_by_driver);
    row(bench, "update_one", "increments by `_id`", sides).await
}

async fn update_by_library(posts: Collection<Post>, documents: Arc<[Post]>) -> Result<Run> {
    empty(&posts.driver()).await?;
    posts.insert_many(documents.iter()).await?;
    let p = Post::fields();
    let started = Instant::now();
    for document in documents.iter() {
        posts.update_one(p.id().eq(document.id), p.votes().inc(1)).await?;
    }
    let run = Run::since(started, Tally::default());
    Ok(run.with_tally(stored(&posts.driver()).await?))
}

async fn update_by_driver(posts: mongodb::Collection<Post>, documents: Arc<[Post]>) -> Result<Run> {
    empty(&posts).await?;
    posts.insert_many(documents.iter()).await?;
    let started = Instant::now();
    for document in documents.iter() {
        let increment = doc! { "$inc": { "votes": 1 } };
        posts.update_one(doc! { "_id": document.id }, increment).await?;
    }
    let run = Run::since(started, Tally::default());
    Ok(run.with_tally(stored(&posts).await?))
}
