//! One post in memory, decoded and encoded many times: the library's codec against bson's serde.

use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;

use bson::RawDocumentBuf;
use odm::prelude::*;

use super::Work;
use crate::Result;
use crate::bench::Bench;
use crate::measure::{Run, Side, Tally, medians};
use crate::model::{Post, Sample};
use crate::report::Row;

pub(super) const WORKS: &[Work] = &[
    Work { names: &["decode"], run: |bench| Box::pin(decode(bench)) },
    Work { names: &["encode"], run: |bench| Box::pin(encode(bench)) },
];

async fn decode(bench: &Bench) -> Result<Vec<Row>> {
    let raw = Post::numbered(1).encode()?;
    let library = side(bench, raw.clone(), |raw| {
        let post = Post::decode(black_box(raw))?;
        Ok(black_box(&post).votes().into())
    });
    let driver = side(bench, raw, |raw| {
        let post: Post = bson::deserialize_from_slice(black_box(raw).as_bytes())?;
        Ok(black_box(&post).votes().into())
    });
    row(bench, "decode", [library, driver]).await
}

async fn encode(bench: &Bench) -> Result<Vec<Row>> {
    let post = Post::numbered(1);
    let library = side(bench, post.clone(), |post| length(&black_box(post).encode()?));
    let driver =
        side(bench, post, |post| length(&bson::serialize_to_raw_document_buf(black_box(post))?));
    row(bench, "encode", [library, driver]).await
}

fn length(raw: &RawDocumentBuf) -> Result<i64> {
    Ok(i64::try_from(black_box(raw).as_bytes().len())?)
}

fn repetitions(bench: &Bench) -> u32 {
    bench.settings.sized(100_000, 20_000)
}

async fn row(bench: &Bench, work: &'static str, sides: [Side; 2]) -> Result<Vec<Row>> {
    let [library, driver] = medians(bench.settings.runs, sides).await?;
    let what = format!("{} times in memory", repetitions(bench));
    Ok(vec![Row { work, what, library, driver }])
}

/// A side that does `once` to the same input many times, and sums what it returns.
fn side<I: Send + Sync + 'static>(
    bench: &Bench,
    input: I,
    once: impl Fn(&I) -> Result<i64> + Copy + Send + 'static,
) -> Side {
    let (input, repetitions) = (Arc::new(input), repetitions(bench));
    Side::new(move || {
        let input = Arc::clone(&input);
        async move {
            let started = Instant::now();
            let mut tally = Tally::default();
            for _ in 0..repetitions {
                tally.count(once(&input)?);
            }
            Ok(Run::since(started, tally))
        }
    })
}
