//! `find_one_and_update`, `find_one_and_replace` and `find_one_and_delete`.

use bson::doc;
use odm::ErrorKind;
use odm::options::ReturnDocument;
use odm::prelude::*;
use odm_testkit::TestResult;
use serde::{Deserialize, Serialize};

use crate::support::{database, stored_like_serde};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
#[odm(collection = "jobs")]
struct Job {
    #[serde(rename = "_id")]
    id: i32,
    state: String,
    priority: i32,
    #[odm(unique)]
    slot: Option<i32>,
    log: Vec<String>,
}

#[derive(Debug, PartialEq, Deserialize, View)]
#[odm(of = Job)]
struct State {
    state: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
#[odm(collection = "tasks", schema_version = 1)]
struct TaskV1 {
    #[serde(rename = "_id")]
    id: i32,
    rank: i32,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
#[odm(collection = "tasks", schema_version = 2, from = TaskV1)]
struct Task {
    #[serde(rename = "_id")]
    id: i32,
    rank: i32,
    owner: String,
}

impl From<TaskV1> for Task {
    fn from(old: TaskV1) -> Self {
        Self { id: old.id, rank: old.rank, owner: "nobody".into() }
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Document)]
#[odm(collection = "tasks", schema_version = 3, from = Task)]
struct TaskV3 {
    #[serde(rename = "_id")]
    id: i32,
    rank: i32,
    owner: String,
    new: i32,
}

impl From<Task> for TaskV3 {
    fn from(old: Task) -> Self {
        Self { id: old.id, rank: old.rank, owner: old.owner, new: 0 }
    }
}

fn job(id: i32) -> Job {
    let log = vec!["made".into(), "queued".into()];
    Job { id, state: "waiting".into(), priority: id, slot: None, log }
}

fn task(id: i32, owner: &str) -> Task {
    Task { id, rank: id, owner: owner.into() }
}

#[test]
fn a_document_is_given_as_it_was_or_is() -> TestResult {
    odm_testkit::run(async |kit| {
        let jobs = database(&kit).collection::<Job>();
        let j = Job::fields();
        jobs.insert_many((1..=3).map(job)).await?;
        let take = || jobs.find_one_and_update(j.state().eq("waiting"), j.state().set("taken"));

        let (before, sent) = kit.commands(take().sort(j.priority().desc())).await;
        assert_eq!(before?, Some(job(3)));
        assert_eq!(sent.names(), ["findAndModify"], "{sent}");
        let after = take().sort(j.priority().asc()).return_document(ReturnDocument::After).await?;
        assert_eq!(after, Some(Job { state: "taken".into(), ..job(1) }));
        take().await?;
        assert_eq!(take().await?, None);

        let new = Job { state: "new".into(), ..job(1) };
        let (before, sent) = kit.commands(jobs.find_one_and_replace(j.id().eq(1), &new)).await;
        assert_eq!(before?.map(|job| job.state).as_deref(), Some("taken"));
        assert_eq!(sent.names(), ["findAndModify"], "{sent}");
        let newer = Job { state: "newer".into(), ..job(1) };
        let after =
            jobs.find_one_and_replace(j.id().eq(1), &newer).return_document(ReturnDocument::After);
        assert_eq!(after.await?, Some(newer.clone()));

        let delete = jobs.find_one_and_delete(Filter::raw(doc! { "_id": { "$gt": 0 } }));
        let (deleted, sent) = kit.commands(delete.sort(j.id().asc())).await;
        assert_eq!(deleted?, Some(newer));
        assert_eq!(sent.names(), ["findAndModify"], "{sent}");
        assert_eq!(jobs.find_one_and_delete(j.id().eq(1)).await?, None);
        assert_eq!(jobs.count_documents(Filter::new()).await?, 2);
        Ok(())
    })
}

/// ME1306: what a projection leaves out of the answer stays in the database. A projected value is
/// no document, so it cannot be saved over it.
#[test]
fn a_projection_leaves_the_other_fields_alone() -> TestResult {
    odm_testkit::run(async |kit| {
        let jobs = database(&kit).collection::<Job>();
        let j = Job::fields();
        jobs.insert_one(job(1)).await?;
        let state: Option<State> = jobs
            .find_one_and_update(j.id().eq(1), j.state().set("taken"))
            .project::<State>()
            .return_document(ReturnDocument::After)
            .await?;
        assert_eq!(state, Some(State { state: "taken".into() }));
        assert_eq!(jobs.get(1).await?, Some(Job { state: "taken".into(), ..job(1) }));
        let new = Job { state: "new".into(), ..job(1) };
        let state = jobs.find_one_and_replace(j.id().eq(1), &new).project::<State>().await?;
        assert_eq!(state, Some(State { state: "taken".into() }));
        assert_eq!(jobs.get(1).await?, Some(new));
        let state = jobs.find_one_and_delete(j.id().eq(1)).project::<State>().await?;
        assert_eq!(state, Some(State { state: "new".into() }));
        Ok(())
    })
}

#[test]
fn upserts_array_filters_and_pipelines_are_taken() -> TestResult {
    odm_testkit::run(async |kit| {
        let jobs = database(&kit).collection::<Job>();
        let j = Job::fields();
        let full = || {
            j.state().set_on_insert("new") + j.log().push("seen") + j.priority().set_on_insert(1)
        };
        let upsert = || jobs.find_one_and_update(j.id().eq(1), full()).upsert();
        assert_eq!(upsert().await?, None);
        let after = upsert().return_document(ReturnDocument::After).await?;
        let log = vec!["seen".into(), "seen".into()];
        let stored = Job { id: 1, state: "new".into(), priority: 1, slot: None, log };
        assert_eq!(after, Some(stored));
        let inserted = jobs
            .find_one_and_replace(j.id().eq(2), job(2))
            .upsert()
            .return_document(ReturnDocument::After)
            .await?;
        assert_eq!(inserted, Some(job(2)));

        let made = j.log().filtered("made", |entry| entry.eq("made")).set("begun");
        let after = jobs.find_one_and_update(j.id().eq(2), made);
        let after = after.return_document(ReturnDocument::After).await?.ok_or("gone")?;
        assert_eq!(after.log, ["begun", "queued"]);
        let pipeline = Update::raw_pipeline([doc! { "$set": { "priority": { "$size": "$log" } } }]);
        let before = jobs.find_one_and_update(j.id().eq(1), pipeline).await?.ok_or("gone")?;
        assert_eq!(before.priority, 1);
        assert_eq!(jobs.get(1).await?.map(|job| job.priority), Some(2));
        Ok(())
    })
}

#[test]
fn failures_say_what_and_where() -> TestResult {
    odm_testkit::run(async |kit| {
        let db = database(&kit);
        db.plan(odm::models![Job]).await?.apply().await?;
        let jobs = db.collection::<Job>();
        let j = Job::fields();
        jobs.insert_one(Job { slot: Some(7), ..job(1) }).await?;
        jobs.insert_one(job(2)).await?;
        let error = jobs.find_one_and_update(j.id().eq(2), j.slot().set(7)).await.err();
        let error = error.ok_or("accepted")?;
        assert_eq!(error.kind(), ErrorKind::DuplicateKey, "{error}");
        assert_eq!(error.operation(), Some("find_one_and_update"));
        assert_eq!(error.id(), Some(&2.into()));
        assert_eq!(error.duplicate_key().map(|d| d.key.clone()), Some(doc! { "slot": 7 }));
        let taken = Job { slot: Some(7), ..job(2) };
        let error = jobs.find_one_and_replace(j.id().eq(2), taken).await.err();
        assert_eq!(error.map(|error| error.kind()), Some(ErrorKind::DuplicateKey));

        macro_rules! refused {
            ($action:expr, $message:expr) => {{
                let (result, sent) = kit.commands($action).await;
                let error = result.err().ok_or($message)?;
                assert_eq!(error.kind(), ErrorKind::InvalidArgument, "{error}");
                assert!(error.to_string().contains($message), "{error}");
                assert!(sent.is_empty(), "{sent}");
            }};
        }
        let everything = "matches every document";
        refused!(jobs.find_one_and_update(Filter::new(), j.priority().inc(1)), everything);
        refused!(jobs.find_one_and_replace(Filter::new(), job(1)), everything);
        refused!(jobs.find_one_and_delete(Filter::new()), everything);
        refused!(jobs.find_one_and_update(j.id().eq(1), Update::new()), "the update is empty");
        refused!(
            jobs.find_one_and_update(j.id().eq(1), j.log().matched().set("x")),
            "has no condition"
        );
        let twice = j.id().asc() + j.id().desc();
        refused!(jobs.find_one_and_delete(j.id().eq(1)).sort(twice), "names the path twice");
        Ok(())
    })
}

#[test]
fn documents_of_other_versions_are_migrated_or_refused() -> TestResult {
    odm_testkit::run(async |kit| {
        let db = database(&kit);
        let (before, tasks, after) =
            (db.collection::<TaskV1>(), db.collection::<Task>(), db.collection::<TaskV3>());
        let t = Task::fields();
        before.insert_many((1..=5).map(|id| TaskV1 { id, rank: id })).await?;

        // Old, by its `_id`: tried, read, migrated, changed.
        let own = |name: &str| t.owner().set(name);
        let (found, sent) = kit.commands(tasks.find_one_and_update(t.id().eq(1), own("ann"))).await;
        assert_eq!(found?, Some(task(1, "nobody")));
        assert_eq!(sent.names(), ["findAndModify", "find", "update", "findAndModify"], "{sent}");
        // Current, by its `_id`: one round trip.
        let again = tasks.find_one_and_update(t.id().eq(1), own("bob"));
        let (found, sent) = kit.commands(again.return_document(ReturnDocument::After)).await;
        assert_eq!(found?, Some(task(1, "bob")));
        assert_eq!(sent.names(), ["findAndModify"], "{sent}");
        // The one that the sort picks is old: it is not passed over for a current one.
        let pick = tasks.find_one_and_update(t.rank().gte(1), own("cid")).sort(t.rank().desc());
        let (found, sent) = kit.commands(pick).await;
        assert_eq!(found?, Some(task(5, "nobody")));
        assert_eq!(sent.names(), ["find", "update", "findAndModify"], "{sent}");

        let replaced = tasks.find_one_and_replace(t.id().eq(2), task(2, "dot"));
        assert_eq!(replaced.await?, Some(task(2, "nobody")));
        assert_eq!(tasks.get(2).await?, Some(task(2, "dot")));
        // Deleted as it is, and given as the current struct.
        let delete = tasks.find_one_and_delete(t.rank().gte(3)).sort(t.rank().asc());
        let (found, sent) = kit.commands(delete).await;
        assert_eq!(found?, Some(task(3, "nobody")));
        assert_eq!(sent.names(), ["find", "findAndModify"], "{sent}");
        assert_eq!(tasks.find_one_and_delete(t.id().eq(4)).await?, Some(task(4, "nobody")));
        assert_eq!(tasks.find_one_and_delete(t.id().eq(4)).await?, None);
        assert_eq!(tasks.find_one_and_update(t.id().eq(4), own("x")).await?, None);

        let newer = TaskV3 { id: 9, rank: 9, owner: "eve".into(), new: 1 };
        after.insert_one(&newer).await?;
        macro_rules! refused {
            ($action:expr) => {{
                let error = $action.await.err().ok_or("accepted")?;
                assert_eq!(error.kind(), ErrorKind::NewerVersion, "{error}");
                assert_eq!(after.get(9).await?.as_ref(), Some(&newer));
            }};
        }
        for filter in [t.id().eq(9), t.rank().gte(6)] {
            refused!(tasks.find_one_and_update(filter.clone(), own("x")));
            refused!(tasks.find_one_and_update(filter.clone(), own("x")).sort(t.rank().desc()));
            refused!(tasks.find_one_and_replace(filter.clone(), task(9, "x")));
            refused!(tasks.find_one_and_delete(filter));
        }
        Ok(())
    })
}

/// Each job is taken once, by workers that all ask for the most urgent one.
#[test]
fn workers_never_take_the_same_job() -> TestResult {
    odm_testkit::run(async |kit| {
        let db = database(&kit);
        let (before, tasks) = (db.collection::<TaskV1>(), db.collection::<Task>());
        let t = Task::fields();
        before.insert_many((1..=20).map(|id| TaskV1 { id, rank: id })).await?;
        // Half of them are current already, so that old and current ones are picked in turn.
        tasks.update_many(t.rank().gte(11), t.rank().inc(0)).await?;
        let workers = (0..8).map(|worker| {
            let (tasks, t) = (tasks.clone(), Task::fields());
            tokio::spawn(async move {
                let mut taken = Vec::new();
                let free = || Filter::raw(doc! { "owner": { "$in": ["nobody", null] } });
                loop {
                    let take = tasks
                        .find_one_and_update(free(), t.owner().set(format!("worker {worker}")))
                        .sort(t.rank().asc());
                    match take.await? {
                        Some(task) => taken.push(task.id),
                        None => return Ok::<_, odm::Error>(taken),
                    }
                }
            })
        });
        let mut taken = Vec::new();
        for worker in futures::future::join_all(workers).await {
            taken.extend(worker??);
        }
        taken.sort_unstable();
        assert_eq!(taken, (1..=20).collect::<Vec<_>>());
        Ok(())
    })
}

stored_like_serde!(job(1), task(1, "o"));
