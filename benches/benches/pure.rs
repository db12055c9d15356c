//! What needs no server, by criterion: codec and builders, each against the bare driver's way.
//!
//! `cargo xtask bench-pure`. It needs the feature `criterion`, so that no other command compiles it.

// What criterion's macros write has no documentation, and the included files have more than is used.
#![allow(missing_docs, dead_code, unused_imports)]

use std::error::Error;
use std::hint::black_box;

use bson::{DateTime, doc};
use criterion::{Criterion, criterion_group, criterion_main};
use odm::Filter;
use odm::prelude::*;

use model::{Post, Sample};

// The same models and documents as those of the benchmark program, which needs more of them.
#[path = "../src/measure.rs"]
mod measure;
#[path = "../src/model.rs"]
mod model;
#[path = "../src/seed.rs"]
mod seed;

type Result<T = ()> = std::result::Result<T, Box<dyn Error + Send + Sync>>;

fn codec(c: &mut Criterion) {
    let post = Post::numbered(1);
    let Ok(raw) = post.encode() else { return };

    let mut group = c.benchmark_group("decode a post");
    group.bench_function("library", |b| b.iter(|| Post::decode(black_box(&raw))));
    group.bench_function("serde", |b| {
        b.iter(|| bson::deserialize_from_slice::<Post>(black_box(raw.as_bytes())));
    });
    group.finish();

    let mut group = c.benchmark_group("encode a post");
    group.bench_function("library", |b| b.iter(|| black_box(&post).encode()));
    group.bench_function("serde", |b| {
        b.iter(|| bson::serialize_to_raw_document_buf(black_box(&post)));
    });
    group.finish();
}

fn filters(c: &mut Criterion) {
    let id = Post::numbered(1).id;
    let mut group = c.benchmark_group("filter by `_id`");
    group.bench_function("library", |b| b.iter(|| Post::fields().id().eq(black_box(id))));
    group.bench_function("doc!", |b| b.iter(|| doc! { "_id": black_box(id) }));
    group.finish();

    let when = DateTime::from_millis(1_600_000_000_000);
    let mut group = c.benchmark_group("filter of three conditions");
    group.bench_function("library", |b| {
        b.iter(|| -> Filter<Post> {
            let p = Post::fields();
            p.author().eq(black_box("alex")) & p.votes().gt(3) & p.when().gte(when)
        });
    });
    group.bench_function("doc!", |b| {
        b.iter(|| {
            doc! {
                "author": black_box("alex"), "votes": { "$gt": 3 }, "when": { "$gte": when },
            }
        });
    });
    group.finish();
}

fn updates(c: &mut Criterion) {
    let mut group = c.benchmark_group("update of two fields");
    group.bench_function("library", |b| {
        b.iter(|| {
            let p = Post::fields();
            p.title().set(black_box("title")) + p.votes().inc(1)
        });
    });
    group.bench_function("doc!", |b| {
        b.iter(|| doc! { "$set": { "title": black_box("title") }, "$inc": { "votes": 1 } });
    });
    group.finish();
}

criterion_group!(benches, codec, filters, updates);
criterion_main!(benches);
