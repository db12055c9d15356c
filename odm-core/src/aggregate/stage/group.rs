//! Stages that make one document of many.

use std::marker::PhantomData;

use bson::{Bson, Document as BsonDocument, doc};

use super::super::assign::{self, Accumulated};
use super::super::{IntoExpr, Pipeline};
use crate::error::{Error, Result};
use crate::model::{Embedded, Shape};

impl<M, D> Pipeline<M, D> {
    /// One document of type `O` for each value of the key, which is its `_id`: `$group`. The key may
    /// be a path, an expression, a document of them ([`Expr::object`](crate::Expr::object)), or null
    /// (`Bson::Null`) for one group of all.
    ///
    /// # Errors
    /// The action returns [`ErrorKind::InvalidArgument`](crate::ErrorKind::InvalidArgument) if a
    /// field of `O`, which is neither `_id` nor an `Option`, gets no accumulator.
    ///
    /// Source: [`$group`](https://www.mongodb.com/docs/manual/reference/operator/aggregation/group/).
    ///
    /// ```
    /// use odm::{Accumulator, Pipeline, prelude::*};
    /// # use serde::{Deserialize, Serialize};
    /// # #[derive(Serialize, Deserialize, Document)]
    /// # struct Post { #[serde(rename = "_id")] id: i32, tags: Vec<String>, votes: i32 }
    /// #[derive(Serialize, Deserialize, Embedded)]
    /// struct Tag {
    ///     #[serde(rename = "_id")]
    ///     name: String,
    ///     posts: i32,
    ///     votes: i32,
    /// }
    ///
    /// let (p, t) = (Post::fields(), Tag::fields());
    /// let pipeline = Pipeline::new().unwind(p.tags()).group::<Tag>(p.tags(), [
    ///     t.posts().accumulate(Accumulator::count()),
    ///     t.votes().accumulate(Accumulator::sum(p.votes())),
    /// ]);
    /// assert_eq!(
    ///     pipeline.to_string(),
    ///     concat!(
    ///         r#"[{ "$unwind": "$tags" }, { "$group": { "_id": "$tags", "#,
    ///         r#""posts": { "$count": {} }, "votes": { "$sum": "$votes" } } }]"#,
    ///     ),
    /// );
    /// ```
    pub fn group<O: Embedded>(
        self,
        key: impl IntoExpr<D>,
        values: impl IntoIterator<Item = Accumulated<D, O>>,
    ) -> Pipeline<M, O> {
        let values = assign::flat(values.into_iter().map(|value| value.entry));
        self.stage_into(group(key.into_expr().into_bson(), values, O::SHAPE))
    }

    /// One document of type `O` for each range of a value, whose lower bound is its `_id`:
    /// `$bucket`. Without accumulators it has a field `count`.
    ///
    /// Source: [`$bucket`](https://www.mongodb.com/docs/manual/reference/operator/aggregation/bucket/).
    ///
    /// ```
    /// use odm::aggregate::Bucket;
    /// use odm::{Pipeline, prelude::*};
    /// # use serde::{Deserialize, Serialize};
    /// # #[derive(Serialize, Deserialize, Document)]
    /// # struct Art { #[serde(rename = "_id")] id: i32, price: i32 }
    /// #[derive(Serialize, Deserialize, Embedded)]
    /// struct Prices {
    ///     #[serde(rename = "_id")]
    ///     from: i32,
    ///     count: i32,
    /// }
    ///
    /// let pipeline = Pipeline::new()
    ///     .bucket::<Prices>(Bucket::by(Art::fields().price(), [0, 100, 500]).default_id(-1), []);
    /// assert_eq!(
    ///     pipeline.to_string(),
    ///     concat!(
    ///         r#"[{ "$bucket": { "groupBy": "$price", "boundaries": [{ "$literal": 0 }, "#,
    ///         r#"{ "$literal": 100 }, { "$literal": 500 }], "default": { "$literal": -1 } } }]"#,
    ///     ),
    /// );
    /// ```
    pub fn bucket<O: Embedded>(
        self,
        bucket: Bucket<D>,
        values: impl IntoIterator<Item = Accumulated<D, O>>,
    ) -> Pipeline<M, O> {
        let values = assign::flat(values.into_iter().map(|value| value.entry));
        self.stage_into(buckets("$bucket", bucket.arguments, values, O::SHAPE))
    }

    /// One document of type `O` for each of so many ranges of a value, with about as many documents
    /// each; its `_id` is `{min, max}`: `$bucketAuto`. Without accumulators it has a field `count`.
    ///
    /// Source: [`$bucketAuto`](https://www.mongodb.com/docs/manual/reference/operator/aggregation/bucketAuto/).
    pub fn bucket_auto<O: Embedded>(
        self,
        bucket: BucketAuto<D>,
        values: impl IntoIterator<Item = Accumulated<D, O>>,
    ) -> Pipeline<M, O> {
        let values = assign::flat(values.into_iter().map(|value| value.entry));
        self.stage_into(buckets("$bucketAuto", bucket.arguments, values, O::SHAPE))
    }

    /// One document of type `O` for each value, which is its `_id`, with its number as `count`; the
    /// most frequent first: `$sortByCount`.
    ///
    /// Source: [`$sortByCount`](https://www.mongodb.com/docs/manual/reference/operator/aggregation/sortByCount/).
    pub fn sort_by_count<O: Embedded>(self, value: impl IntoExpr<D>) -> Pipeline<M, O> {
        let stage = value.into_expr().into_bson().and_then(|value| {
            assign::check_provided(O::SHAPE, |name| name == "_id" || name == "count")?;
            Ok(doc! { "$sortByCount": value })
        });
        self.stage_into(stage)
    }
}

fn group(key: Result<Bson>, values: Result<BsonDocument>, output: &Shape) -> Result<BsonDocument> {
    let mut group = doc! { "_id": key? };
    let values = values?;
    if values.contains_key("_id") {
        return Err(Error::invalid("the key of the group is the `_id`").with_path("_id"));
    }
    group.extend(values);
    assign::check_provided(output, |name| group.contains_key(name))?;
    Ok(doc! { "$group": group })
}

fn buckets(
    operator: &str,
    arguments: Result<BsonDocument>,
    values: Result<BsonDocument>,
    output: &Shape,
) -> Result<BsonDocument> {
    let (mut arguments, values) = (arguments?, values?);
    let counts = values.is_empty();
    assign::check_provided(output, |name| {
        name == "_id" || (counts && name == "count") || values.contains_key(name)
    })?;
    if !counts {
        arguments.insert("output", values);
    }
    Ok(doc! { operator: arguments })
}

/// The ranges of [`Pipeline::bucket`].
#[derive(Debug)]
#[must_use = "it does nothing until a stage takes it"]
pub struct Bucket<D> {
    arguments: Result<BsonDocument>,
    marker: PhantomData<fn() -> D>,
}

impl<D> Bucket<D> {
    /// By the value of an expression, from each boundary to before the next. They are in ascending
    /// order, and of one type.
    pub fn by<E: IntoExpr<D>>(
        value: impl IntoExpr<D>,
        boundaries: impl IntoIterator<Item = E>,
    ) -> Self {
        let boundaries = super::super::Expr::array(boundaries).into_bson();
        let arguments = value
            .into_expr()
            .into_bson()
            .and_then(|value| Ok(doc! { "groupBy": value, "boundaries": boundaries? }));
        Self { arguments, marker: PhantomData }
    }

    /// The `_id` of the range of all other values; without it, such a value is an error of the
    /// server.
    pub fn default_id(mut self, id: impl IntoExpr<D>) -> Self {
        let id = id.into_expr().into_bson();
        self.arguments = self.arguments.and_then(|mut arguments| {
            arguments.insert("default", id?);
            Ok(arguments)
        });
        self
    }
}

/// The ranges of [`Pipeline::bucket_auto`].
#[derive(Debug)]
#[must_use = "it does nothing until a stage takes it"]
pub struct BucketAuto<D> {
    arguments: Result<BsonDocument>,
    marker: PhantomData<fn() -> D>,
}

impl<D> BucketAuto<D> {
    /// By the value of an expression, in so many ranges; at least 1.
    pub fn by(value: impl IntoExpr<D>, buckets: u32) -> Self {
        let arguments = value.into_expr().into_bson().and_then(|value| match buckets {
            0 => Err(Error::invalid("the number of buckets must be positive")),
            buckets => Ok(doc! { "groupBy": value, "buckets": i64::from(buckets) }),
        });
        Self { arguments, marker: PhantomData }
    }

    /// Puts the boundaries at numbers of this series.
    pub fn granularity(mut self, granularity: Granularity) -> Self {
        if let Ok(arguments) = &mut self.arguments {
            arguments.insert("granularity", granularity.as_str());
        }
        self
    }
}

/// A series of preferred numbers.
///
/// Source: [granularity](https://www.mongodb.com/docs/manual/reference/operator/aggregation/bucketAuto/#granularity).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Granularity {
    /// Five numbers in each power of ten.
    R5,
    /// Ten.
    R10,
    /// Twenty.
    R20,
    /// Forty.
    R40,
    /// Eighty.
    R80,
    /// 1, 2 and 5 in each power of ten.
    Series125,
    /// Six resistor values in each power of ten.
    E6,
    /// Twelve.
    E12,
    /// Twenty-four.
    E24,
    /// Forty-eight.
    E48,
    /// Ninety-six.
    E96,
    /// A hundred and ninety-two.
    E192,
    /// The powers of two.
    PowersOf2,
}

impl Granularity {
    const fn as_str(self) -> &'static str {
        match self {
            Self::R5 => "R5",
            Self::R10 => "R10",
            Self::R20 => "R20",
            Self::R40 => "R40",
            Self::R80 => "R80",
            Self::Series125 => "1-2-5",
            Self::E6 => "E6",
            Self::E12 => "E12",
            Self::E24 => "E24",
            Self::E48 => "E48",
            Self::E96 => "E96",
            Self::E192 => "E192",
            Self::PowersOf2 => "POWERSOF2",
        }
    }
}
