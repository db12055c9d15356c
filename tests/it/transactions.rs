//! Transactions: all or nothing, tried again where the server asks for it, within a time limit.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use bson::doc;
use futures::TryStreamExt;
use odm::options::{ReadConcern, ReadPreference, WriteConcern};
use odm::prelude::*;
use odm::{ErrorKind, Ref};
use odm_testkit::{Server, TestResult};
use serde::{Deserialize, Serialize};

use crate::support::{database, stored_like_serde};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
#[odm(collection = "accounts")]
struct Account {
    #[serde(rename = "_id")]
    id: i32,
    credits: i64,
}

/// What every one of its reads and writes would be told, outside of a transaction.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
#[odm(
    collection = "accounts",
    read_concern = "majority",
    write_concern = "majority",
    read_preference = "secondaryPreferred"
)]
struct Careful {
    #[serde(rename = "_id")]
    id: i32,
    credits: i64,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
struct Payment {
    #[serde(rename = "_id")]
    id: i32,
    from: Ref<Account>,
    to: Ref<Account>,
}

/// An error of the user's own.
#[derive(Debug)]
enum Refused {
    TooPoor,
    Failed,
}

impl From<odm::Error> for Refused {
    fn from(_: odm::Error) -> Self {
        Self::Failed
    }
}

fn refusal<T>(result: odm::Result<T>) -> TestResult<odm::Error> {
    result.err().ok_or_else(|| "it was not refused".into())
}

fn accounts() -> [Account; 2] {
    [Account { id: 1, credits: 10 }, Account { id: 2, credits: 0 }]
}

async fn credits(accounts: &Collection<Account>) -> odm::Result<Vec<i64>> {
    let all = accounts.find(Filter::new()).sort(Account::fields().id().asc()).await?;
    Ok(all.iter().map(|account| account.credits).collect())
}

#[test]
fn all_or_nothing() -> TestResult {
    odm_testkit::run(async |kit| {
        let db = database(&kit);
        let all = db.collection::<Account>();
        all.insert_many(accounts()).await?;
        let a = Account::fields();

        let pay = async |amount: i64| {
            db.transaction(async |tx| {
                all.update_one(a.id().eq(2), a.credits().inc(amount)).session(&tx).await?;
                let from = a.id().eq(1) & a.credits().gte(amount);
                let paid = all.update_one(from, a.credits().inc(-amount)).session(&tx).await?;
                match paid.modified_count {
                    0 => Err(Refused::TooPoor),
                    _ => Ok(amount),
                }
            })
            .await
        };
        assert!(matches!(pay(7).await, Ok(7)));
        assert_eq!(credits(&all).await?, [3, 7]);
        assert!(matches!(pay(4).await, Err(Refused::TooPoor)));
        assert_eq!(credits(&all).await?, [3, 7], "the first update was undone");
        Ok(())
    })
}

#[test]
fn two_conflicts_and_then_one_effect() -> TestResult {
    odm_testkit::run(async |kit| {
        let db = database(&kit);
        let all = db.collection::<Account>();
        all.insert_many(accounts()).await?;
        let a = Account::fields();
        let attempts = Arc::new(AtomicU32::new(0));
        let transaction = {
            let (db, all, attempts) = (db.clone(), all.clone(), attempts.clone());
            // Spawned: the transaction is `Send`.
            tokio::spawn(async move {
                db.transaction(async |tx| {
                    let a = Account::fields();
                    all.get(1).session(&tx).await?;
                    if attempts.fetch_add(1, Ordering::Relaxed) < 2 {
                        // Another writer comes between the snapshot and the write.
                        all.update_one(a.id().eq(1), a.credits().inc(100)).await?;
                    }
                    all.update_one(a.id().eq(1), a.credits().inc(1)).session(&tx).await?;
                    all.insert_one(Account { id: 3, credits: 0 }).session(&tx).await
                })
                .await
            })
        };
        assert_eq!(transaction.await??.inserted_id, bson::Bson::Int32(3));
        assert_eq!(attempts.load(Ordering::Relaxed), 3);
        assert_eq!(credits(&all).await?, [211, 0, 0]);
        assert_eq!(all.count_documents(a.id().eq(3)).await?, 1);
        Ok(())
    })
}

#[test]
fn an_error_that_was_hidden_still_ends_in_another_attempt() -> TestResult {
    odm_testkit::run(async |kit| {
        let db = database(&kit);
        let all = db.collection::<Account>();
        all.insert_many(accounts()).await?;
        let a = Account::fields();
        let attempts = AtomicU32::new(0);
        db.transaction(async |tx| {
            all.get(1).session(&tx).await?;
            if attempts.fetch_add(1, Ordering::Relaxed) < 1 {
                all.update_one(a.id().eq(1), a.credits().inc(100)).await?;
            }
            let hidden = all.update_one(a.id().eq(1), a.credits().inc(1)).session(&tx).await;
            let _ = hidden;
            Ok::<_, odm::Error>(())
        })
        .await?;
        assert_eq!(credits(&all).await?, [111, 0]);
        Ok(())
    })
}

#[test]
fn a_handle_cannot_outlive_its_attempt() -> TestResult {
    odm_testkit::run(async |kit| {
        let db = database(&kit);
        let all = db.collection::<Account>();
        all.insert_many((0..300).map(|id| Account { id, credits: 0 })).await?;
        let (late, mut stream) = db
            .transaction(async |tx| {
                let late = all.insert_one(Account { id: 1000, credits: 0 }).session(&tx);
                let all = all.find(Filter::new()).batch_size(100).session(&tx);
                let mut stream = all.stream().await?;
                assert!(stream.try_next().await?.is_some());
                Ok::<_, odm::Error>((late, stream))
            })
            .await?;
        let error = refusal(late.await)?;
        assert_eq!(error.kind(), ErrorKind::InvalidArgument, "{error}");
        assert!(error.to_string().contains("has ended"), "{error}");
        let mut read = 1;
        let error = loop {
            match stream.try_next().await {
                Ok(Some(_)) => read += 1,
                Ok(None) => return Err("the stream outlived its transaction".into()),
                Err(error) => break error,
            }
        };
        assert_eq!((read, error.kind()), (100, ErrorKind::InvalidArgument), "{error}");
        assert_eq!(all.count_documents(Filter::new()).await?, 300);

        // Neither is it ended by hand.
        let by_hand = db
            .transaction(async |tx| {
                let session: &Session = tx.as_ref();
                session.commit_transaction().await
            })
            .await;
        assert_eq!(refusal(by_hand)?.kind(), ErrorKind::InvalidArgument);
        Ok(())
    })
}

#[test]
fn the_time_limit_ends_it() -> TestResult {
    odm_testkit::run(async |kit| {
        let db = database(&kit);
        let all = db.collection::<Account>();
        all.insert_many(accounts()).await?;
        let a = Account::fields();

        // Others always come first.
        let contended = db
            .transaction(async |tx| {
                all.get(1).session(&tx).await?;
                all.update_one(a.id().eq(1), a.credits().inc(100)).await?;
                all.update_one(a.id().eq(1), a.credits().inc(1)).session(&tx).await
            })
            .time_limit(Duration::from_millis(300))
            .await;
        let error = refusal(contended)?;
        assert_eq!(error.kind(), ErrorKind::Timeout, "{error}");
        assert_eq!(credits(&all).await?[0] % 100, 10, "no attempt left anything");

        // A body that takes too long meets the limit at its next action.
        let slow = db
            .transaction(async |tx| {
                all.update_one(a.id().eq(2), a.credits().inc(1)).session(&tx).await?;
                while all.exists(a.id().eq(2)).session(&tx).await? {}
                Ok::<(), odm::Error>(())
            })
            .time_limit(Duration::from_millis(50))
            .await;
        assert_eq!(refusal(slow)?.kind(), ErrorKind::Timeout);
        assert_eq!(credits(&all).await?[1], 0);
        Ok(())
    })
}

#[test]
fn concerns_are_sent_with_the_transaction_and_nowhere_inside() -> TestResult {
    odm_testkit::run(async |kit| {
        let db = database(&kit);
        let all = db.collection::<Careful>();
        let c = Careful::fields();

        // Outside of a transaction the model's own, unless the call says otherwise.
        let (done, sent) = kit
            .commands(async {
                all.insert_one(Careful { id: 1, credits: 1 }).await?;
                all.find(c.credits().eq(1)).await?;
                all.find(c.credits().eq(1)).read_concern(ReadConcern::local()).await?;
                all.update_one(c.id().eq(1), c.credits().inc(1))
                    .write_concern(WriteConcern::nodes(1))
                    .await?;
                all.get(1).read_preference(ReadPreference::Primary).max_time(TEN).await
            })
            .await;
        done?;
        let told = |at: usize, key: &str| sent.get(at).and_then(|c| c.body.get(key).cloned());
        assert_eq!(told(0, "writeConcern"), Some(doc! { "w": "majority" }.into()), "{sent}");
        assert_eq!(told(1, "readConcern"), Some(doc! { "level": "majority" }.into()), "{sent}");
        assert_eq!(told(2, "readConcern"), Some(doc! { "level": "local" }.into()), "{sent}");
        assert_eq!(told(3, "writeConcern"), Some(doc! { "w": 1 }.into()), "{sent}");
        assert_eq!(told(4, "maxTimeMS"), Some(bson::Bson::Int32(10_000)), "{sent}");

        let (done, sent) = kit
            .commands(
                db.transaction(async |tx| {
                    all.get(1).session(&tx).await?;
                    all.update_one(c.id().eq(1), c.credits().inc(1)).session(&tx).await
                })
                .read_concern(ReadConcern::snapshot()),
            )
            .await;
        assert_eq!(done?.modified_count, 1);
        assert_eq!(sent.names(), ["find", "update", "commitTransaction"], "{sent}");
        let concerns: Vec<_> = sent
            .iter()
            .map(|c| (c.body.get("readConcern").cloned(), c.body.get("writeConcern").cloned()))
            .collect();
        assert_eq!(concerns[0].0, Some(doc! { "level": "snapshot" }.into()), "{sent}");
        assert_eq!(concerns[1], (None, None), "{sent}");
        assert_eq!(concerns[2].1, Some(doc! { "w": "majority" }.into()), "{sent}");
        assert!(concerns[..2].iter().all(|(_, write)| write.is_none()), "{sent}");

        // Inside, they are refused before anything is sent.
        let (refused, sent) = kit
            .commands(db.transaction(async |tx| {
                all.get(1).session(&tx).read_concern(ReadConcern::local()).await
            }))
            .await;
        let error = refusal(refused)?;
        assert_eq!(error.kind(), ErrorKind::InvalidArgument, "{error}");
        assert_eq!(sent.names(), [""; 0], "{sent}");
        Ok(())
    })
}

const TEN: Duration = Duration::from_secs(10);

/// The server's answer to the commit is lost: the commit is sent again, and counts once.
#[test]
fn an_unknown_commit_is_sent_again() -> TestResult {
    odm_testkit::run_with(Server::builder().failpoints(true), async |kit| {
        let db = database(&kit);
        let all = db.collection::<Account>();
        all.insert_many(accounts()).await?;
        let a = Account::fields();
        for times in [1, 3] {
            let before = credits(&all).await?[0];
            let admin = kit.client().database("admin");
            admin
                .run_command(doc! {
                    "configureFailPoint": "failCommand",
                    "mode": { "times": times },
                    "data": { "failCommands": ["commitTransaction"], "closeConnection": true },
                })
                .await?;
            let attempts = AtomicU32::new(0);
            db.transaction(async |tx| {
                attempts.fetch_add(1, Ordering::Relaxed);
                all.update_one(a.id().eq(1), a.credits().inc(1)).session(&tx).await
            })
            .await?;
            assert_eq!(credits(&all).await?[0], before + 1);
            assert_eq!(attempts.load(Ordering::Relaxed), 1, "only the commit was sent again");
        }
        Ok(())
    })
}

#[test]
fn lookups_take_part() -> TestResult {
    odm_testkit::run(async |kit| {
        let db = database(&kit);
        let (all, payments) = (db.collection::<Account>(), db.collection::<Payment>());
        all.insert_one(&accounts()[0]).await?;
        let p = Payment::fields();
        let (read, sent) = kit
            .commands(db.transaction(async |tx| {
                all.insert_one(&accounts()[1]).session(&tx).await?;
                let payment = Payment { id: 1, from: Ref::new(1), to: Ref::new(2) };
                payments.insert_one(payment).session(&tx).await?;
                payments.find(Filter::new()).lookup(p.from()).lookup(p.to()).session(&tx).await
            }))
            .await;
        let read = read?;
        let to = read.first().and_then(|payment| payment.to.get());
        assert_eq!(to, Some(&accounts()[1]), "seen before the commit");
        assert!(sent.iter().all(|command| command.body.contains_key("txnNumber")), "{sent}");
        Ok(())
    })
}

#[test]
fn a_snapshot_session_reads_one_moment() -> TestResult {
    odm_testkit::run(async |kit| {
        let db = database(&kit);
        let all = db.collection::<Account>();
        all.insert_many(accounts()).await?;
        let a = Account::fields();
        let session = db.start_session().snapshot(true).await?;
        let read = || all.find(Filter::new()).sort(a.id().asc()).session(&session);
        assert_eq!(read().await?, accounts());
        all.update_many(Filter::new(), a.credits().inc(1)).all().await?;
        assert_eq!(read().await?, accounts(), "as it was");
        assert_eq!(credits(&all).await?, [11, 1]);

        let error = all.insert_one(Account { id: 9, credits: 0 }).session(&session).await;
        assert!(error.is_err(), "a snapshot is for reads");
        Ok(())
    })
}

#[test]
fn reads_on_a_session_see_its_writes() -> TestResult {
    odm_testkit::run(async |kit| {
        let db = database(&kit);
        let all = db.collection::<Account>();
        for (causal, expected) in [(true, true), (false, false)] {
            let session = db.start_session().causal_consistency(causal).await?;
            let (done, sent) = kit
                .commands(async {
                    all.delete_many(Filter::new()).all().session(&session).await?;
                    all.find(Filter::new()).session(&session).await
                })
                .await;
            done?;
            let find =
                sent.named("find").next().and_then(|c| c.body.get_document("readConcern").ok());
            let waits = find.is_some_and(|concern| concern.contains_key("afterClusterTime"));
            assert_eq!(waits, expected, "{sent}");
        }
        Ok(())
    })
}

#[test]
fn many_transactions_on_one_document() -> TestResult {
    odm_testkit::run(async |kit| {
        let db = database(&kit);
        let all = db.collection::<Account>();
        all.insert_many(accounts()).await?;
        let tasks = (0..40).map(|_| {
            let (db, all) = (db.clone(), all.clone());
            tokio::spawn(async move {
                let a = Account::fields();
                db.transaction(async |tx| {
                    let Some(account) = all.get(2).session(&tx).await? else { return Ok(0) };
                    let credits = a.credits().set(account.credits + 1);
                    all.update_one(a.id().eq(2), credits).session(&tx).await?;
                    Ok::<_, odm::Error>(account.credits)
                })
                .await
            })
        });
        for task in futures::future::join_all(tasks).await {
            task??;
        }
        assert_eq!(credits(&all).await?, [10, 40], "none was lost");
        Ok(())
    })
}

stored_like_serde!(accounts()[0].clone());
