//! Failures on request, and another primary.
#![expect(clippy::unwrap_used, reason = "tests")]

use mongodb::bson::{Document, doc};
use odm_testkit::{FailPoint, Server, TestResult, run_with};

#[test]
fn commands_fail_as_often_as_was_said() -> TestResult {
    run_with(Server::builder().failpoints(true), async |kit| {
        let notes = kit.database().collection::<Document>("notes");
        let failing = kit.fail(FailPoint::of(["insert"]).error_code(11601)).await?;
        assert_eq!(code(&notes.insert_one(doc! { "_id": 1 }).await), Some(11601));
        notes.insert_one(doc! { "_id": 1 }).await?;
        failing.off().await?;

        let failing = kit.fail(FailPoint::of(["insert"]).error_code(11601).after(1)).await?;
        notes.insert_one(doc! { "_id": 2 }).await?;
        assert_eq!(code(&notes.insert_one(doc! { "_id": 3 }).await), Some(11601));
        assert_eq!(code(&notes.insert_one(doc! { "_id": 3 }).await), Some(11601));
        failing.off().await?;
        notes.insert_one(doc! { "_id": 3 }).await?;

        // The driver tries an insert twice.
        let lost = kit.fail(FailPoint::of(["insert"]).close_connection()).await?;
        let (inserted, sent) = kit.commands(notes.insert_one(doc! { "_id": 4 })).await;
        inserted?;
        assert_eq!(sent.names(), ["insert", "insert"], "{sent}");
        lost.off().await?;

        let unsure = kit.fail(FailPoint::of(["insert"]).write_concern_error(100)).await?;
        assert!(notes.insert_one(doc! { "_id": 5 }).await.is_err());
        unsure.off().await?;
        assert_eq!(notes.count_documents(doc! {}).await?, 5);
        Ok(())
    })
}

#[test]
fn another_member_becomes_primary() -> TestResult {
    run_with(Server::builder().members(3), async |kit| {
        let before = primary(&kit).await?;
        let notes = kit.database().collection::<Document>("notes");
        notes.insert_one(doc! { "_id": 1 }).await?;
        kit.step_down().await?;
        assert_ne!(primary(&kit).await?, before);
        notes.insert_one(doc! { "_id": 2 }).await?;
        assert_eq!(notes.count_documents(doc! {}).await?, 2);
        Ok(())
    })
}

async fn primary(kit: &odm_testkit::Kit) -> TestResult<String> {
    let hello = kit.database().run_command(doc! { "hello": 1 }).await?;
    Ok(hello.get_str("primary")?.to_owned())
}

fn code<T>(result: &mongodb::error::Result<T>) -> Option<i32> {
    use mongodb::error::ErrorKind;
    match result.as_ref().err().unwrap().kind.as_ref() {
        ErrorKind::Command(error) => Some(error.code),
        _ => None,
    }
}
