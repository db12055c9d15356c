//! Makes several `mongod` one replica set: a binary and settings come in, members with a primary
//! go out.

use std::{
    hash::{BuildHasher, RandomState},
    net::{Ipv4Addr, TcpListener},
    path::Path,
    time::{Duration, Instant},
};

use bson::{Document, doc};
use futures::future::{select_all, try_join_all};
use mongodb::{
    Client,
    options::{ClientOptions, ServerAddress},
};

use super::ServerBuilder;
use crate::{
    Error, Result,
    error::Kind,
    watchdog::{Watched, is_port_taken},
};

const NAME: &str = "odm";
/// The servers' members that may vote, and so the most that need no further settings.
const MAX_MEMBERS: usize = 7;
/// From the first process to the primary.
const START_LIMIT: Duration = Duration::from_secs(60);
/// Between two looks at whether there is a primary: nothing tells us of it.
const POLL_INTERVAL: Duration = Duration::from_millis(20);
/// Another process may take a port between our look and the server's start.
const PORT_TRIES: usize = 5;

pub(super) struct ReplicaSet {
    members: Vec<Watched>,
    ports: Vec<u16>,
    /// Whether the only member is no member of a set.
    standalone: bool,
    version: String,
}

impl ReplicaSet {
    pub(super) async fn start(mongod: &Path, settings: &ServerBuilder) -> Result<Self> {
        if !(1..=MAX_MEMBERS).contains(&settings.members) {
            let text = format!("a replica set has 1 to {MAX_MEMBERS} members here");
            return Err(Kind::Usage(text).into());
        }
        if settings.standalone && settings.members > 1 {
            return Err(Kind::Usage("a standalone server is alone".to_owned()).into());
        }
        let standalone = settings.standalone;
        let deadline = Instant::now() + START_LIMIT;
        let (mut members, ports) = start_members(mongod, settings).await?;
        // A task, as a future of the driver must not be dropped half way.
        let initiated = tokio::spawn(initiate(ports.clone(), standalone, deadline));
        let version = tokio::select! {
            initiated = initiated => initiated
                .map_err(|error| Error::io("the replica set's start was cut short")(error.into()))?
                .map_err(|unready| unready.with_log(&members))?,
            died = first_to_end(&mut members) => return Err(died),
        };
        Ok(Self { members, ports, standalone, version })
    }

    pub(super) fn uri(&self) -> String {
        let hosts: Vec<_> = self.ports.iter().map(|port| host(*port)).collect();
        match self.standalone {
            true => format!("mongodb://{}/?directConnection=true", hosts.join(",")),
            false => format!("mongodb://{}/?replicaSet={NAME}", hosts.join(",")),
        }
    }

    pub(super) fn version(&self) -> &str {
        &self.version
    }
}

impl Drop for ReplicaSet {
    fn drop(&mut self) {
        // All pipes first, so that the members end side by side.
        self.members.iter_mut().for_each(Watched::end);
    }
}

/// The version of the server that `client` is connected to.
pub(super) async fn version(client: &Client) -> mongodb::error::Result<String> {
    let info = admin(client, doc! { "buildInfo": 1 }).await?;
    Ok(info.get_str("version").unwrap_or_default().to_owned())
}

async fn start_members(
    mongod: &Path,
    settings: &ServerBuilder,
) -> Result<(Vec<Watched>, Vec<u16>)> {
    let mut tries = 1;
    loop {
        let ports = free_ports(settings.members)?;
        let members = ports
            .iter()
            .map(|port| start_member(mongod, settings, *port))
            .collect::<Result<Vec<_>>>()?;
        let listening = members.into_iter().map(|mut member| async move {
            member.listening().await?;
            Ok::<_, Error>(member)
        });
        match try_join_all(listening).await {
            Ok(members) => return Ok((members, ports)),
            Err(error) if tries < PORT_TRIES && is_about_port(&error) => tries += 1,
            Err(error) => return Err(error),
        }
    }
}

fn is_about_port(error: &Error) -> bool {
    matches!(error.kind(), Kind::Ended { status, .. } if is_port_taken(*status))
}

fn start_member(mongod: &Path, settings: &ServerBuilder, port: u16) -> Result<Watched> {
    let random = RandomState::new().hash_one(port);
    let name = format!("odm-testkit-{}-{random:016x}", std::process::id());
    let dir = std::env::temp_dir().join(name);
    let mut args = vec!["--dbpath".into(), dir.clone().into_os_string()];
    let port = port.to_string();
    let oplog = settings.oplog_size_mb.to_string();
    let fixed = [
        ["--port", &port],
        ["--bind_ip", "127.0.0.1"],
        ["--wiredTigerCacheSizeGB", "0.5"],
        ["--setParameter", "diagnosticDataCollectionEnabled=false"],
    ];
    args.extend(fixed.iter().flatten().map(Into::into));
    if !settings.standalone {
        args.extend(["--replSet", NAME, "--oplogSize", &oplog].map(Into::into));
    }
    for (name, value) in &settings.parameters {
        args.extend(["--setParameter".into(), format!("{name}={value}").into()]);
    }
    args.push("--quiet".into());
    #[cfg(unix)]
    args.push("--nounixsocket".into());
    Watched::spawn(mongod, &dir, args)
}

/// Ports that are free now. All are held until the last is found, so that they differ.
fn free_ports(count: usize) -> Result<Vec<u16>> {
    let find = || {
        let held = (0..count)
            .map(|_| TcpListener::bind((Ipv4Addr::LOCALHOST, 0)))
            .collect::<std::io::Result<Vec<_>>>()?;
        held.iter()
            .map(|listener| Ok(listener.local_addr()?.port()))
            .collect::<std::io::Result<Vec<_>>>()
    };
    find().map_err(Error::io("cannot find a free port on 127.0.0.1"))
}

async fn first_to_end(members: &mut [Watched]) -> Error {
    let ends = members.iter_mut().map(|member| Box::pin(member.ended()));
    select_all(ends).await.0
}

fn host(port: u16) -> String {
    format!("127.0.0.1:{port}")
}

/// Why there is no primary.
enum Unready {
    Driver(Error),
    Late(Option<mongodb::error::Error>),
}

impl Unready {
    fn with_log(self, members: &[Watched]) -> Error {
        match self {
            Self::Driver(error) => error,
            Self::Late(source) => Kind::NotReady {
                seconds: START_LIMIT.as_secs(),
                log: members.first().map(Watched::log).unwrap_or_default(),
                source,
            }
            .into(),
        }
    }
}

/// Makes the members one set and awaits its primary; returns the version.
async fn initiate(ports: Vec<u16>, standalone: bool, deadline: Instant) -> Result<String, Unready> {
    let failed = |doing: &str| {
        let doing = doing.to_owned();
        move |error| Unready::Driver(Error::driver(doing)(error))
    };
    let mut options = ClientOptions::default();
    options.hosts = ports
        .iter()
        .take(1)
        .map(|port| ServerAddress::Tcp { host: Ipv4Addr::LOCALHOST.to_string(), port: Some(*port) })
        .collect();
    options.direct_connection = Some(true);
    options.server_selection_timeout = Some(Duration::from_secs(10));
    let client = Client::with_options(options).map_err(failed("cannot make a client"))?;
    if !standalone {
        make_set(&client, &ports, deadline).await?;
    }
    let version = version(&client).await.map_err(failed("cannot ask for the version"))?;
    client.shutdown().await;
    Ok(version)
}

/// Makes the members a replica set that has a primary.
async fn make_set(client: &Client, ports: &[u16], deadline: Instant) -> Result<(), Unready> {
    let members: Vec<_> =
        (0i32..).zip(ports).map(|(id, port)| doc! { "_id": id, "host": host(*port) }).collect();
    // Heartbeats tell the other members of the set: the default of 2 s would be our start-up time.
    let settings = doc! { "heartbeatIntervalMillis": 200 };
    let config = doc! { "_id": NAME, "version": 1, "members": members, "settings": settings };
    admin(client, doc! { "replSetInitiate": config }).await.map_err(|error| {
        Unready::Driver(Error::driver("cannot initiate the replica set")(error))
    })?;
    await_primary(client, ports.len(), deadline).await
}

async fn await_primary(client: &Client, members: usize, deadline: Instant) -> Result<(), Unready> {
    loop {
        let last_error = match is_ready(client, members).await {
            Ok(true) => return Ok(()),
            Ok(false) => None,
            Err(error) => Some(error),
        };
        if Instant::now() > deadline {
            return Err(Unready::Late(last_error));
        }
        tokio::time::sleep(POLL_INTERVAL).await;
    }
}

/// Whether the first member is a primary that takes writes, and all others follow it.
async fn is_ready(client: &Client, members: usize) -> mongodb::error::Result<bool> {
    let hello = admin(client, doc! { "hello": 1 }).await?;
    if !hello.get_bool("isWritablePrimary").unwrap_or(false) {
        if members > 1 && hello.get_bool("secondary").unwrap_or(false) {
            // Among several, a member waits for 10 s before it stands for election by itself.
            // Refused as long as the others do not know of the set.
            let _refused = admin(client, doc! { "replSetStepUp": 1 }).await;
        }
        return Ok(false);
    }
    let status = admin(client, doc! { "replSetGetStatus": 1 }).await?;
    let states = status.get_array("members").map(Vec::as_slice).unwrap_or_default();
    let following = states
        .iter()
        .filter_map(|member| member.as_document()?.get_i32("state").ok())
        .filter(|state| matches!(state, 1 | 2));
    Ok(following.count() == members)
}

async fn admin(client: &Client, command: Document) -> mongodb::error::Result<Document> {
    client.database("admin").run_command(command).await
}
