use odm::prelude::*;

async fn example(db: Database) -> odm::Result<String> {
    let name = String::from("alex");
    db.transaction(async move |_tx| Ok::<_, odm::Error>(name.clone())).await
}

fn main() {}
