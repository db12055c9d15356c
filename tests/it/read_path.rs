//! The reading path: when the next batch is fetched, and what becomes of a cursor that nobody reads.

use futures::StreamExt;
use odm::prelude::*;
use odm_testkit::TestResult;
use serde::{Deserialize, Serialize};

use crate::support::{batches, cursors, database, stored_like_serde};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
#[odm(collection = "numbers")]
struct Number {
    #[serde(rename = "_id")]
    id: i32,
}

/// The second batch is fetched while the first is read, and no third before the second is.
#[test]
fn at_most_two_batches_are_held() -> TestResult {
    odm_testkit::run(async |kit| {
        let db = database(&kit);
        let numbers = db.collection::<Number>();
        numbers.insert_many((0..50).map(|id| Number { id })).await?;
        let namespace = format!("{}.numbers", db.name());
        let find = numbers.find(Filter::new()).sort(Number::fields().id().asc());
        let mut stream = find.batch_size(10).stream().await?;
        assert_eq!(stream.next().await.transpose()?.map(|number| number.id), Some(0));
        let deadline = std::time::Instant::now() + std::time::Duration::from_secs(20);
        while batches(&kit, &namespace).await? < 2 {
            assert!(std::time::Instant::now() < deadline, "nothing is fetched ahead");
        }
        assert_eq!(stream.by_ref().take(9).count().await, 9);
        // Round trips of others, in which a third batch would have come.
        for _ in 0..20 {
            assert_eq!(batches(&kit, &namespace).await?, 2);
        }
        let all = stream.map(|number| number.map(|number| number.id)).collect::<Vec<_>>().await;
        let all: Vec<_> = all.into_iter().collect::<Result<_, _>>()?;
        assert_eq!(all, (10..50).collect::<Vec<_>>());
        Ok(())
    })
}

/// A stream that is dropped half-way ends its cursor on the server.
#[test]
fn a_dropped_stream_ends_its_cursor() -> TestResult {
    odm_testkit::run(async |kit| {
        let db = database(&kit);
        let numbers = db.collection::<Number>();
        numbers.insert_many((0..1000).map(|id| Number { id })).await?;
        let mut stream = numbers.find(Filter::new()).batch_size(10).stream().await?;
        assert!(stream.next().await.is_some());
        let namespace = format!("{}.numbers", db.name());
        assert!(cursors(&kit, &namespace).await? > 0);
        drop(stream);
        let deadline = std::time::Instant::now() + std::time::Duration::from_secs(20);
        while cursors(&kit, &namespace).await? > 0 {
            assert!(std::time::Instant::now() < deadline, "the cursor is still open");
            tokio::task::yield_now().await;
        }
        Ok(())
    })
}

stored_like_serde!(Number { id: 1 });
