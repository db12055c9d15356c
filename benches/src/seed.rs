//! Documents to read and write: always the same ones, made from their numbers.

use std::iter;

use bson::oid::ObjectId;
use bson::{DateTime, doc};
use futures::TryStreamExt;
use odm::Collection;

use crate::Result;
use crate::measure::Tally;
use crate::model::Sample;

/// How many documents are in memory at a time.
const CHUNK: u32 = 10_000;

const WORDS: [&str; 16] = [
    "about", "because", "city", "forest", "garden", "history", "in", "letter", "morning", "never",
    "of", "question", "river", "station", "the", "winter",
];

/// Values of a document: each number gives others, and always the same.
pub(crate) struct Seed {
    number: u32,
    state: u64,
}

impl Seed {
    pub(crate) fn new(number: u32) -> Self {
        Self { number, state: u64::from(number) }
    }

    /// An id of the number alone, ascending with it.
    pub(crate) fn object_id(&self) -> ObjectId {
        object_id(self.number)
    }

    pub(crate) fn word(&mut self) -> String {
        self.pick().to_owned()
    }

    pub(crate) fn words(&mut self, count: usize) -> String {
        let words: Vec<_> = iter::repeat_with(|| self.pick()).take(count).collect();
        words.join(" ")
    }

    /// A text without words, as of a key.
    pub(crate) fn text(&mut self, length: usize) -> String {
        const LETTERS: &[u8; 32] = b"abcdefghijkmnpqrstuvwxyz23456789";
        let letter = |seed: &mut Self| LETTERS.get((seed.next() >> 59) as usize).copied();
        iter::repeat_with(|| letter(self)).take(length).flatten().map(char::from).collect()
    }

    pub(crate) fn user(&mut self) -> String {
        format!("user_{:05}", self.below(20_000))
    }

    /// A day between 2020 and 2026.
    pub(crate) fn date(&mut self) -> DateTime {
        const START: i64 = 1_577_836_800_000;
        DateTime::from_millis(START + i64::from(self.below(2_200)) * 86_400_000)
    }

    pub(crate) fn several<T>(&mut self, count: usize, make: impl Fn(&mut Self) -> T) -> Vec<T> {
        iter::repeat_with(|| make(self)).take(count).collect()
    }

    /// A number from 0 to below `limit`.
    pub(crate) fn below(&mut self, limit: i32) -> i32 {
        let high = (self.next() >> 33) as i32;
        high % limit
    }

    fn pick(&mut self) -> &'static str {
        let place = self.next() >> 60;
        WORDS.get(place as usize).copied().unwrap_or_default()
    }

    /// SplitMix64.
    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
}

pub(crate) fn object_id(number: u32) -> ObjectId {
    let mut bytes = [0x65; 12];
    let (_, low) = bytes.split_at_mut(8);
    low.copy_from_slice(&number.to_be_bytes());
    ObjectId::from_bytes(bytes)
}

/// Documents of these numbers.
pub(crate) fn samples<T: Sample>(numbers: impl IntoIterator<Item = u32>) -> Vec<T> {
    numbers.into_iter().map(T::numbered).collect()
}

/// Fills a collection with the first `count` documents and returns their size in bytes.
pub(crate) async fn fill<T: Sample>(collection: &Collection<T>, count: u32) -> Result<u64> {
    let mut bytes = 0;
    for start in (0..count).step_by(CHUNK as usize) {
        let documents = samples::<T>(start..count.min(start + CHUNK));
        for document in &documents {
            bytes += document.encode()?.as_bytes().len() as u64;
        }
        collection.insert_many(documents).await?;
    }
    Ok(bytes)
}

/// Makes a collection new: there, and empty.
pub(crate) async fn empty<T: Send + Sync>(collection: &mongodb::Collection<T>) -> Result {
    collection.drop().await?;
    let namespace = collection.namespace();
    collection.client().database(&namespace.db).create_collection(namespace.coll).await?;
    Ok(())
}

/// How many posts a collection holds, and their votes.
pub(crate) async fn stored<T: Send + Sync>(collection: &mongodb::Collection<T>) -> Result<Tally> {
    let sums = doc! { "_id": null, "documents": { "$sum": 1 }, "sum": { "$sum": "$votes" } };
    let mut cursor = collection.aggregate([doc! { "$group": sums }]).with_type::<Tally>().await?;
    Ok(cursor.try_next().await?.unwrap_or_default())
}
