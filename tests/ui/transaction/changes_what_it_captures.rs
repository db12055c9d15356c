use odm::prelude::*;

async fn example(db: Database) -> odm::Result<()> {
    let mut attempts = 0;
    db.transaction(async |_tx| {
        attempts += 1;
        Ok::<_, odm::Error>(())
    })
    .await
}

fn main() {}
