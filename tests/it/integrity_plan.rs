//! The indexes that references need: by rules and inverses, in the plan of either side.

use odm::plan::Hazard;
use odm::prelude::*;
use odm::{DbRef, Many, Ref};
use odm_testkit::TestResult;
use serde::{Deserialize, Serialize};

use crate::support::database;

#[derive(Serialize, Deserialize, Document)]
#[odm(collection = "publishers", referenced_by(Book))]
struct Publisher {
    #[serde(rename = "_id")]
    id: i32,
    #[serde(skip)]
    #[odm(inverse = publisher)]
    magazines: Many<Magazine>,
}

#[derive(Serialize, Deserialize, Document)]
#[odm(collection = "books", index(main, title))]
struct Book {
    #[serde(rename = "_id")]
    id: i32,
    title: String,
    #[odm(on_delete = "restrict")]
    main: Ref<Publisher>,
    #[odm(on_delete = "unlink")]
    others: Vec<Ref<Publisher>>,
    #[odm(on_delete = "unlink")]
    link: Option<DbRef<Publisher>>,
}

#[derive(Serialize, Deserialize, Document)]
#[odm(collection = "magazines")]
struct Magazine {
    #[serde(rename = "_id")]
    id: i32,
    #[odm(index)]
    title: String,
    publisher: Ref<Publisher>,
}

fn steps(plan: &odm::plan::Plan) -> Vec<String> {
    let name = |namespace: &str| namespace.split('.').next_back().unwrap_or_default().to_owned();
    plan.steps().iter().map(|step| format!("{}:{}", name(step.namespace()), step.index())).collect()
}

#[test]
fn references_that_rules_and_inverses_use_have_an_index() -> TestResult {
    odm_testkit::run(async |kit| {
        let db = database(&kit);
        let of_target = db.plan(odm::models![Publisher]).await?;
        let expected =
            ["books:main_1_title_1", "books:others_1", "books:link_1", "books:link.$id_1"];
        let of_books = db.plan(odm::models![Book]).await?;
        assert_eq!(steps(&of_books), expected);
        assert!(of_books.steps().iter().all(|step| step.hazard() == Hazard::Safe));
        // Of the others only what is needed.
        let needed = [&expected[..], &["magazines:publisher_1"]].concat();
        assert_eq!(steps(&of_target), needed);

        of_books.apply().await?;
        let plan = db.plan(odm::models![Publisher, Book, Magazine]).await?;
        assert_eq!(steps(&plan), ["magazines:title_1", "magazines:publisher_1"]);
        plan.apply().await?;
        let (plan, sent) = kit.commands(db.plan(odm::models![Publisher])).await;
        let plan = plan?;
        assert!(plan.is_empty() && plan.undeclared().is_empty(), "{plan}");
        assert_eq!(sent.names(), ["listIndexes"; 3]);
        Ok(())
    })
}
