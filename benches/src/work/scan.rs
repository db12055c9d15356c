//! Reading every post: against the driver's typed cursor, its raw batches, and without a version.

use std::hint::black_box;
use std::time::Instant;

use bson::doc;
use futures::TryStreamExt;
use odm::{Collection, Filter};

use super::Work;
use crate::Result;
use crate::bench::Bench;
use crate::measure::{Run, Side, Tally, medians};
use crate::model::{Post, Sample};
use crate::report::Row;

pub(super) const WORKS: &[Work] = &[
    Work { names: &["scan"], run: |bench| Box::pin(scan(bench)) },
    Work { names: &["scan_floor"], run: |bench| Box::pin(scan_floor(bench)) },
    Work { names: &["scan_versioned"], run: |bench| Box::pin(scan_versioned(bench)) },
];

async fn scan(bench: &Bench) -> Result<Vec<Row>> {
    let posts = bench.posts().await?;
    let library = library_side(posts);
    let driver = posts.driver().clone_with_type::<Post>();
    let driver = Side::new(move || read_by_driver(driver.clone()));
    row(bench, "scan", "typed cursor", library, driver).await
}

async fn scan_floor(bench: &Bench) -> Result<Vec<Row>> {
    let posts = bench.posts().await?.clone();
    let driver = posts.driver();
    let library = Side::new(move || {
        let posts = posts.clone();
        async move { Ok(read_by_library(posts).await?.documents_only()) }
    });
    let floor = Side::new(move || read_raw_batches(driver.clone()));
    row(bench, "scan_floor", "undecoded batches for the driver", library, floor).await
}

async fn scan_versioned(bench: &Bench) -> Result<Vec<Row>> {
    let versioned = library_side(bench.versioned_posts().await?);
    let unversioned = library_side(bench.posts().await?);
    row(bench, "scan_versioned", "unversioned for the driver", versioned, unversioned).await
}

async fn row(
    bench: &Bench,
    work: &'static str,
    against: &str,
    library: Side,
    driver: Side,
) -> Result<Vec<Row>> {
    let [library, driver] = medians(bench.settings.runs, [library, driver]).await?;
    let what = format!("{} posts, {against}", bench.post_count());
    Ok(vec![Row { work, what, library, driver }])
}

fn library_side<T: Sample>(posts: &Collection<T>) -> Side {
    let posts = posts.clone();
    Side::new(move || read_by_library(posts.clone()))
}

async fn read_by_library<T: Sample>(posts: Collection<T>) -> Result<Run> {
    let started = Instant::now();
    let mut tally = Tally::default();
    let mut stream = posts.find(Filter::new()).stream().await?;
    while let Some(post) = stream.try_next().await? {
        tally.count(black_box(&post).votes());
    }
    Ok(Run::since(started, tally))
}

async fn read_by_driver(posts: mongodb::Collection<Post>) -> Result<Run> {
    let started = Instant::now();
    let mut tally = Tally::default();
    let mut cursor = posts.find(doc! {}).await?;
    while let Some(post) = cursor.try_next().await? {
        tally.count(black_box(&post).votes());
    }
    Ok(Run::since(started, tally))
}

async fn read_raw_batches(posts: mongodb::Collection<bson::Document>) -> Result<Run> {
    let started = Instant::now();
    let mut tally = Tally::default();
    let mut batches = posts.find(doc! {}).batch().await?;
    while let Some(batch) = batches.try_next().await? {
        for post in batch.doc_slices()? {
            black_box(post?);
            tally.count(0);
        }
    }
    Ok(Run::since(started, tally))
}
