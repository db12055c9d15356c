//! One task on one model: what each side does, on a collection that is made ready before each run.

use std::future::Future;
use std::hint::black_box;
use std::marker::PhantomData;
use std::sync::Arc;
use std::time::Instant;

use bson::oid::ObjectId;
use bson::{Document, doc};
use futures::TryStreamExt;
use futures::future::LocalBoxFuture;
use mongodb::IndexModel;
use odm::{Collection, Filter, Update};
use serde_json::{Map, Value};

use super::contest::{Contest, Contestant, Order, Outcome};
use super::model::{IMAGE_BYTES, Sample};
use crate::Result;
use crate::bench::Bench;
use crate::measure::{Run, Side, Tally, medians_of};
use crate::seed::empty;

/// How many bytes of documents are inserted by one command.
const CHUNK_BYTES: usize = 30_000_000;

/// A task: `M` is the library's model, `R` the row that the bare driver reads.
pub(super) struct Task<M: odm::Document, R> {
    pub(super) name: &'static str,
    /// In a full run, and in a quick one.
    pub(super) operations: (u32, u32),
    pub(super) image: bool,
    pub(super) verb: Verb<M>,
    pub(super) row: PhantomData<fn() -> R>,
}

/// What is done with each document, by its number.
pub(super) enum Verb<M> {
    Create,
    Update {
        library: fn(u32) -> (Filter<M>, Update<M>),
        driver: fn(u32) -> (Document, Document),
        field: &'static str,
    },
    Find {
        library: fn(u32) -> Filter<M>,
        driver: fn(u32) -> Document,
        field: &'static str,
    },
}

impl<M> Clone for Verb<M> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<M> Copy for Verb<M> {}

impl<M: odm::Document + Sample, R: Sample> Contest for Task<M, R> {
    fn name(&self) -> &'static str {
        self.name
    }

    fn template(&self) -> Result<(&'static str, Map<String, Value>)> {
        match serde_json::to_value(R::numbered(0))? {
            Value::Object(mut fields) => {
                fields.remove("_id");
                Ok((M::MODEL.collection, fields))
            }
            _ => Err("a document is no object".into()),
        }
    }

    fn run<'a>(
        &'a self,
        bench: &'a Bench,
        others: &'a [&'a dyn Contestant],
    ) -> LocalBoxFuture<'a, Result<Outcome>> {
        Box::pin(self.measure(bench, others))
    }
}

impl<M: odm::Document + Sample, R: Sample> Task<M, R> {
    async fn measure(&self, bench: &Bench, others: &[&dyn Contestant]) -> Result<Outcome> {
        let order = self.order(bench);
        let ground = Ground::<M, R>::new(bench, &order, self.verb);
        if let Verb::Find { field, .. } = self.verb {
            ground.fill().await?;
            if field != "_id" {
                let index = IndexModel::builder().keys(doc! { field: 1 }).build();
                ground.rows.create_index(index).await?;
            }
        }

        let mut sides = vec![
            ground.side(|ground| ground.by_library()),
            ground.side(|ground| ground.by_driver()),
        ];
        for other in others {
            let entry = Arc::new(other.entry(order.clone()));
            sides.push(ground.side(move |_| entry()));
        }
        let times = medians_of(bench.settings.runs, &sides).await?;
        empty(&ground.rows).await?;
        let what = match order.image {
            0 => format!("{} times {}", order.count, order.verb),
            bytes => format!("{} times {} of {} MB", order.count, order.verb, bytes / 1_000_000),
        };
        Ok(Outcome { what, times })
    }

    fn order(&self, bench: &Bench) -> Order {
        let (full, quick) = self.operations;
        let (verb, field) = match self.verb {
            Verb::Create => ("create", ""),
            Verb::Update { field, .. } => ("update", field),
            Verb::Find { field, .. } => ("find", field),
        };
        Order {
            verb,
            model: M::MODEL.collection,
            field,
            count: bench.settings.sized(full, quick),
            image: if self.image { IMAGE_BYTES } else { 0 },
        }
    }
}

/// The collection of a task, by the library and by the driver, and what it is filled with.
struct Ground<M: odm::Document, R: Send + Sync> {
    models: Collection<M>,
    rows: mongodb::Collection<R>,
    verb: Verb<M>,
    count: u32,
    image: Arc<[u8]>,
}

impl<M: odm::Document, R: Send + Sync> Clone for Ground<M, R> {
    fn clone(&self) -> Self {
        Self {
            models: self.models.clone(),
            rows: self.rows.clone(),
            verb: self.verb,
            count: self.count,
            image: Arc::clone(&self.image),
        }
    }
}

impl<M: odm::Document + Sample, R: Sample> Ground<M, R> {
    fn new(bench: &Bench, order: &Order, verb: Verb<M>) -> Self {
        let models = bench.database("odm").collection::<M>();
        let rows = models.driver().clone_with_type::<R>();
        let image: Arc<[u8]> = (0..order.image).map(|place| (place % 251) as u8).collect();
        Self { models, rows, verb, count: order.count, image }
    }

    fn numbered<S: Sample>(&self, number: u32) -> S {
        let mut document = S::numbered(number);
        if !self.image.is_empty() {
            document.set_image(&self.image);
        }
        document
    }

    async fn fill(&self) -> Result {
        empty(&self.rows).await?;
        let chunk = CHUNK_BYTES / (10_000 + self.image.len());
        let numbers: Vec<u32> = (0..self.count).collect();
        for numbers in numbers.chunks(chunk) {
            let rows: Vec<R> = numbers.iter().map(|&number| self.numbered(number)).collect();
            self.rows.insert_many(rows).await?;
        }
        Ok(())
    }

    /// A side: what is done on the collection, after it was made ready and before it is looked at.
    fn side<F>(&self, act: impl Fn(Self) -> F + Clone + Send + Sync + 'static) -> Side
    where
        F: Future<Output = Result<Run>> + Send + 'static,
    {
        let ground = self.clone();
        Side::new(move || {
            let (ground, act) = (ground.clone(), act.clone());
            async move {
                match ground.verb {
                    Verb::Find { .. } => return act(ground).await,
                    Verb::Create => empty(&ground.rows).await?,
                    Verb::Update { .. } => ground.fill().await?,
                }
                let run = act(ground.clone()).await?;
                Ok(run.with_tally(ground.stored().await?))
            }
        })
    }

    async fn by_library(self) -> Result<Run> {
        match self.verb {
            Verb::Create => {
                let template: M = self.numbered(0);
                let started = Instant::now();
                for _ in 0..self.count {
                    let mut model = template.clone();
                    Sample::set_id(&mut model, ObjectId::new());
                    self.models.insert_one(&model).await?;
                }
                Ok(Run::since(started, Tally::default()))
            }
            Verb::Update { library, .. } => {
                let started = Instant::now();
                for number in 0..self.count {
                    let (filter, update) = library(number);
                    self.models.update_one(filter, update).await?;
                }
                Ok(Run::since(started, Tally::default()))
            }
            Verb::Find { library, .. } => {
                let started = Instant::now();
                let mut tally = Tally::default();
                for number in 0..self.count {
                    if let Some(model) = self.models.find_one(library(number)).await? {
                        tally.count(black_box(&model).weight());
                    }
                }
                Ok(Run::since(started, tally))
            }
        }
    }

    async fn by_driver(self) -> Result<Run> {
        match self.verb {
            Verb::Create => {
                let template: R = self.numbered(0);
                let started = Instant::now();
                for _ in 0..self.count {
                    let mut row = template.clone();
                    row.set_id(ObjectId::new());
                    self.rows.insert_one(&row).await?;
                }
                Ok(Run::since(started, Tally::default()))
            }
            Verb::Update { driver, .. } => {
                let started = Instant::now();
                for number in 0..self.count {
                    let (filter, update) = driver(number);
                    self.rows.update_one(filter, update).await?;
                }
                Ok(Run::since(started, Tally::default()))
            }
            Verb::Find { driver, .. } => {
                let started = Instant::now();
                let mut tally = Tally::default();
                for number in 0..self.count {
                    if let Some(row) = self.rows.find_one(driver(number)).await? {
                        tally.count(black_box(&row).weight());
                    }
                }
                Ok(Run::since(started, tally))
            }
        }
    }

    /// What the collection holds: each document by its string's length, a number and its image.
    async fn stored(&self) -> Result<Tally> {
        let [text, number] = R::PATHS.map(|path| format!("${path}"));
        let image = doc! { "$ifNull": [{ "$binarySize": "$image_field" }, 0] };
        let weight = doc! { "$add": [{ "$strLenBytes": text }, number, image] };
        let weight = doc! { "$toLong": weight };
        let sums = doc! { "_id": null, "documents": { "$sum": 1 }, "sum": { "$sum": weight } };
        let pipeline = [doc! { "$group": sums }];
        let mut cursor = self.rows.aggregate(pipeline).with_type::<Tally>().await?;
        Ok(cursor.try_next().await?.unwrap_or_default())
    }
}
