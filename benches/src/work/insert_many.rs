//! Many documents by one action.

use std::sync::Arc;
use std::time::Instant;

use odm::Collection;

use super::Work;
use crate::Result;
use crate::bench::Bench;
use crate::measure::{Run, Side, Tally, medians};
use crate::model::Post;
use crate::report::Row;
use crate::seed::{empty, samples, stored};

pub(super) const WORKS: &[Work] =
    &[Work { names: &["insert_many"], run: |bench| Box::pin(insert_many(bench)) }];

async fn insert_many(bench: &Bench) -> Result<Vec<Row>> {
    let count = bench.settings.sized(10_000, 2_000);
    let posts = bench.database("insert_many").collection::<Post>();
    let bare = posts.driver().clone_with_type::<Post>();
    let documents: Arc<[Post]> = samples(0..count).into();
    let same = Arc::clone(&documents);

    let library = Side::new(move || by_library(posts.clone(), Arc::clone(&documents)));
    let driver = Side::new(move || by_driver(bare.clone(), Arc::clone(&same)));
    let [library, driver] = medians(bench.settings.runs, [library, driver]).await?;
    let what = format!("{count} posts");
    Ok(vec![Row { work: "insert_many", what, library, driver }])
}

async fn by_library(posts: Collection<Post>, documents: Arc<[Post]>) -> Result<Run> {
    empty(&posts.driver()).await?;
    let started = Instant::now();
    posts.insert_many(documents.iter()).await?;
    let run = Run::since(started, Tally::default());
    Ok(run.with_tally(stored(&posts.driver()).await?))
}

async fn by_driver(posts: mongodb::Collection<Post>, documents: Arc<[Post]>) -> Result<Run> {
    empty(&posts).await?;
    let started = Instant::now();
    posts.insert_many(documents.iter()).await?;
    let run = Run::since(started, Tally::default());
    Ok(run.with_tally(stored(&posts).await?))
}
