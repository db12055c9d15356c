//! The ground of all works: one server, one client, and the large collections, seeded once by the
//! first work that asks for them.

use mongodb::Client;
use mongodb::options::{Acknowledgment, ClientOptions, WriteConcern};
use odm::{Collection, Database};
use odm_testkit::Server;
use serde_json::Value;
use tokio::sync::OnceCell;

use crate::Result;
use crate::machine;
use crate::model::{Post, Sample, VersionedPost};
use crate::seed;
use crate::settings::Settings;

/// The server and what it holds.
pub(crate) struct Bench {
    pub(crate) settings: Settings,
    /// What the figures are taken on.
    pub(crate) machine: Value,
    server: Server,
    client: Client,
    posts: OnceCell<Collection<Post>>,
    versioned: OnceCell<Collection<VersionedPost>>,
}

impl Bench {
    pub(crate) async fn start(settings: Settings) -> Result<Self> {
        let server = Server::start().await?;
        match connect(server.uri()).await {
            Ok(client) => {
                println!("MongoDB {}, runs of each side: {}", server.version(), settings.runs);
                if settings.quick {
                    println!("quick: fewer documents and runs, the ratios are rough");
                }
                let machine = machine::describe(server.version(), settings.runs);
                let (posts, versioned) = (OnceCell::new(), OnceCell::new());
                Ok(Self { settings, machine, server, client, posts, versioned })
            }
            Err(error) => {
                server.stop().await;
                Err(error)
            }
        }
    }

    /// The connection string for the clients of others, with the concern of [`connect`].
    pub(crate) fn peers_uri(&self) -> String {
        let uri = self.server.uri();
        let join = if uri.contains('?') { '&' } else { '?' };
        format!("{uri}{join}w=1&journal=false")
    }

    /// A database of its own for a work that writes; the large collections are in `read`.
    pub(crate) fn database(&self, name: &str) -> Database {
        self.client.database(&format!("odm_bench_{name}")).into()
    }

    /// The posts that are read, and never written after.
    pub(crate) async fn posts(&self) -> Result<&Collection<Post>> {
        self.posts.get_or_try_init(|| self.seeded("posts")).await
    }

    /// The same posts with a schema version.
    pub(crate) async fn versioned_posts(&self) -> Result<&Collection<VersionedPost>> {
        self.versioned.get_or_try_init(|| self.seeded("posts with a schema version")).await
    }

    pub(crate) fn post_count(&self) -> u32 {
        self.settings.sized(100_000, 10_000)
    }

    async fn seeded<T: Sample>(&self, what: &str) -> Result<Collection<T>> {
        let collection = self.database("read").collection::<T>();
        let count = self.post_count();
        let bytes = seed::fill(&collection, count).await?;
        println!("seeded {count} {what} of {} bytes on average", bytes / u64::from(count));
        Ok(collection)
    }

    /// Ends the server and removes its data.
    pub(crate) async fn stop(self) {
        // The collections hold the client, which waits for every handle.
        let Self { server, client, posts, versioned, .. } = self;
        drop((posts, versioned));
        client.shutdown().immediate(true).await;
        server.stop().await;
    }
}

/// The client of both sides. Writes are acknowledged without waiting for the disk, whose time would
/// hide what either side costs.
async fn connect(uri: &str) -> Result<Client> {
    let mut options = ClientOptions::parse(uri).await?;
    options.write_concern =
        Some(WriteConcern::builder().w(Acknowledgment::Nodes(1)).journal(false).build());
    Ok(Client::with_options(options)?)
}
