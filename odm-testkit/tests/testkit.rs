//! The test kit against the servers that it starts.
#![expect(clippy::unwrap_used, clippy::expect_used, reason = "tests")]

mod databases {
    use std::{
        panic::{AssertUnwindSafe, catch_unwind},
        sync::Mutex,
    };

    use mongodb::{
        Client,
        bson::{Document, doc},
    };
    use odm_testkit::{Kit, Server, TestResult, run};

    async fn fill(kit: &Kit, name: &Mutex<String>) -> TestResult {
        *name.lock().unwrap() = kit.database().name().to_owned();
        kit.database().collection("notes").insert_one(doc! { "text": "kept?" }).await?;
        Ok(())
    }

    /// Looks with another client than the test's, and clears the database away.
    fn existed(name: &Mutex<String>) -> bool {
        let name = name.lock().unwrap().clone();
        let runtime = tokio::runtime::Runtime::new().unwrap();
        runtime.block_on(async {
            let server = Server::shared().await.unwrap();
            let client = Client::with_uri_str(server.uri()).await.unwrap();
            let known = client.list_database_names().await.unwrap();
            client.database(&name).drop().await.unwrap();
            client.shutdown().await;
            known.contains(&name)
        })
    }

    #[test]
    fn is_named_after_its_test() -> TestResult {
        run(async |kit| {
            let name = kit.database().name().to_owned();
            let (test, unique) = name.rsplit_once('_').unwrap();
            assert_eq!(test, "databases_is_named_after_its_test");
            assert_eq!(unique.len(), 8);
            assert!(format!("{kit:?}").contains(&name), "{kit:?}");
            Ok(())
        })
    }

    #[test]
    fn is_dropped_on_success() -> TestResult {
        let name = Mutex::default();
        run(async |kit| fill(&kit, &name).await)?;
        assert!(!existed(&name));
        Ok(())
    }

    #[test]
    fn is_kept_on_an_error() {
        let name = Mutex::default();
        let result: TestResult = run(async |kit| {
            fill(&kit, &name).await?;
            Err("not today".into())
        });
        assert_eq!(result.unwrap_err().to_string(), "not today");
        assert!(existed(&name));
    }

    #[test]
    fn is_kept_on_a_panic() {
        let name = Mutex::default();
        let panic = catch_unwind(AssertUnwindSafe(|| -> TestResult {
            run(async |kit| {
                fill(&kit, &name).await?;
                let found =
                    kit.database().collection::<Document>("notes").count_documents(doc! {}).await?;
                assert_eq!(found, 2, "this panic is part of a test");
                Ok(())
            })
        }))
        .expect_err("the panic goes on");
        assert!(panic.downcast_ref::<String>().unwrap().contains("part of a test"));
        assert!(existed(&name));
    }

    #[test]
    fn a_value_and_an_error_of_ones_own_go_out() {
        #[derive(Debug)]
        struct Own;
        impl From<odm_testkit::Error> for Own {
            fn from(_: odm_testkit::Error) -> Self {
                Own
            }
        }
        let value: Result<u8, Own> = run(async |_| Ok(7));
        assert_eq!(value.unwrap(), 7);
    }

    #[test]
    fn an_open_cursor_does_not_hang_the_end() -> TestResult {
        let cursor = run(async |kit| -> TestResult<_> {
            let notes = kit.database().collection::<Document>("notes");
            notes.insert_many(vec![doc! {}; 10]).await?;
            Ok(notes.find(doc! {}).batch_size(2).await?)
        })?;
        drop(cursor);
        Ok(())
    }
}

mod commands {
    use futures::{TryStreamExt, future};
    use mongodb::bson::{Document, doc};
    use odm_testkit::{TestResult, run};

    #[test]
    fn are_counted_exactly() -> TestResult {
        run(async |kit| {
            let notes = kit.database().collection::<Document>("notes");
            let (found, sent) = kit
                .commands(async {
                    notes.insert_one(doc! { "n": 1 }).await?;
                    notes.find_one(doc! { "n": 1 }).await
                })
                .await;
            assert!(found?.is_some());
            assert_eq!(sent.names(), ["insert", "find"], "{sent}");
            assert_eq!((sent.len(), sent.count("find"), sent.count("update")), (2, 1, 0));
            assert_eq!(sent[1].collection(), Some("notes"));
            assert_eq!(sent[1].database, kit.database().name());
            assert_eq!(sent[1].body.get_document("filter")?, &doc! { "n": 1 });

            let shown = sent.to_string();
            assert!(shown.starts_with("2 commands were sent\n  insert "), "{shown}");
            assert!(shown.contains(".notes {"), "{shown}");
            assert!(shown.contains("\"filter\": { \"n\": 1 }"), "{shown}");
            assert!(!shown.contains("lsid"), "{shown}");
            Ok(())
        })
    }

    #[test]
    fn are_heard_while_the_action_runs_only() -> TestResult {
        run(async |kit| {
            let notes = kit.database().collection::<Document>("notes");
            notes.insert_one(doc! {}).await?;
            let (_, sent) = kit.commands(future::ready(())).await;
            assert!(sent.is_empty(), "{sent}");
            let (inner, outer) = kit
                .commands(async {
                    notes.estimated_document_count().await.unwrap();
                    let ((), inner) = kit.commands(async { notes.drop().await.unwrap() }).await;
                    inner
                })
                .await;
            assert_eq!(inner.names(), ["drop"], "{inner}");
            assert_eq!(outer.names(), ["count", "drop"], "{outer}");
            Ok(())
        })
    }

    #[test]
    fn show_each_batch_and_killed_cursors() -> TestResult {
        run(async |kit| {
            let notes = kit.database().collection::<Document>("notes");
            notes.insert_many(vec![doc! {}; 5]).await?;
            let (all, sent) = kit
                .commands(async {
                    let cursor = notes.find(doc! {}).batch_size(2).await?;
                    cursor.try_collect::<Vec<_>>().await
                })
                .await;
            assert_eq!(all?.len(), 5);
            assert_eq!(sent.names(), ["find", "getMore", "getMore"], "{sent}");
            assert_eq!(sent[2].collection(), Some("notes"));

            let kill = doc! { "killCursors": "notes", "cursors": [1_i64] };
            let (killed, sent) = kit.commands(kit.database().run_command(kill)).await;
            killed?;
            assert_eq!(sent.count("killCursors"), 1, "{sent}");
            Ok(())
        })
    }
}

mod servers {
    use std::{
        collections::HashSet,
        env,
        io::{BufRead, BufReader, Write},
        net::TcpStream,
        path::Path,
        process::{Command, Stdio},
        time::{Duration, Instant},
    };

    use mongodb::{
        Client,
        bson::{Document, doc},
    };
    use odm_testkit::{Error, Server, TestResult, run, run_with};

    #[test]
    fn one_member_is_a_replica_set() -> TestResult {
        run(async |kit| {
            let notes = kit.database().collection::<Document>("notes");
            let mut session = kit.client().start_session().await?;
            session.start_transaction().await?;
            notes.insert_one(doc! {}).session(&mut session).await?;
            assert_eq!(notes.count_documents(doc! {}).await?, 0);
            session.commit_transaction().await?;
            assert_eq!(notes.count_documents(doc! {}).await?, 1);
            Ok(())
        })
    }

    #[test]
    fn three_members_start() -> TestResult {
        run_with(Server::builder().members(3), async |kit| {
            let status =
                kit.client().database("admin").run_command(doc! { "replSetGetStatus": 1 }).await?;
            let states: Vec<_> = status
                .get_array("members")?
                .iter()
                .map(|member| member.as_document().unwrap().get_str("stateStr").unwrap())
                .collect();
            assert_eq!(states, ["PRIMARY", "SECONDARY", "SECONDARY"]);
            Ok(())
        })
    }

    #[test]
    fn settings_reach_the_server() -> TestResult {
        let settings = Server::builder()
            .failpoints(true)
            .oplog_size_mb(16)
            .parameter("ttlMonitorSleepSecs", "7")
            .parameter("ttlMonitorSleepSecs", "1");
        run_with(settings, async |kit| {
            let admin = kit.client().database("admin");
            let failpoint = doc! {
                "configureFailPoint": "failCommand",
                "mode": { "times": 1 },
                "data": { "failCommands": ["insert"], "errorCode": 11 },
            };
            admin.run_command(failpoint).await?;
            let notes = kit.database().collection::<Document>("notes");
            assert!(notes.insert_one(doc! {}).await.is_err());
            let parsed = admin.run_command(doc! { "getCmdLineOpts": 1 }).await?;
            let parsed = parsed.get_document("parsed")?;
            assert_eq!(parsed.get_document("replication")?.get_i32("oplogSizeMB")?, 16);
            assert_eq!(parsed.get_document("setParameter")?.get_str("ttlMonitorSleepSecs")?, "1");
            Ok(())
        })
    }

    #[test]
    fn is_shared_by_the_process_and_knows_its_version() -> TestResult {
        let first = run(async |kit| TestResult::Ok(kit.uri().to_owned()))?;
        let second = run(async |kit| -> TestResult<_> {
            let info = kit.database().run_command(doc! { "buildInfo": 1 }).await?;
            assert_eq!(Server::shared().await?.version(), info.get_str("version")?);
            Ok(kit.uri().to_owned())
        })?;
        assert_eq!(first, second);
        Ok(())
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn several_at_once_and_all_stop() -> TestResult {
        let (one, two) = futures::future::try_join(Server::start(), Server::start()).await?;
        assert_ne!(one.uri(), two.uri());
        let one_traces = traces(one.uri()).await?;
        let two_traces = traces(two.uri()).await?;
        assert!(!one_traces.are_gone() && !two_traces.are_gone());
        one.stop().await;
        assert!(one_traces.are_gone(), "{one_traces:?}");
        assert!(!two_traces.are_gone());
        drop(two);
        assert!(two_traces.are_gone(), "{two_traces:?}");
        Ok(())
    }

    #[tokio::test]
    async fn an_unknown_option_fails_at_once_with_the_log() {
        let begun = Instant::now();
        let error = Server::builder().parameter("noSuchParameter", "1").start().await.unwrap_err();
        assert!(begun.elapsed() < Duration::from_secs(10), "{:?}", begun.elapsed());
        let text = error.to_string();
        assert!(text.contains("ended before it was ready"), "{text}");
        assert!(text.contains("noSuchParameter"), "{text}");
        assert!(!error.is_unavailable());
    }

    #[tokio::test]
    async fn a_server_that_never_listens_is_not_waited_for() -> TestResult {
        let folder = tempfile::tempdir()?;
        let mongod = folder.path().join("mongod");
        write_script(&mongod, "echo 'cannot: no such library'; exit 127")?;
        let error = Server::builder().mongod(&mongod).start().await.unwrap_err();
        assert!(error.to_string().contains("no such library"), "{error}");
        Ok(())
    }

    #[tokio::test]
    async fn a_replica_set_has_members() {
        let texts: HashSet<_> = futures::future::join_all(
            [0, 8].map(|members| Server::builder().members(members).start()),
        )
        .await
        .into_iter()
        .map(|refused| refused.unwrap_err().to_string())
        .collect();
        assert_eq!(texts.len(), 1, "{texts:?}");
    }

    #[tokio::test]
    async fn an_unusable_binary_is_not_passed_over() -> TestResult {
        let folder = tempfile::tempdir()?;
        let file = folder.path().join("mongod");
        std::fs::write(&file, "")?;
        let error = Server::builder().mongod(&file).start().await.unwrap_err();
        assert!(error.is_unavailable());
        assert!(error.to_string().contains("is not executable"), "{error}");
        assert_eq!(format!("{error:?}"), error.to_string());
        Ok(())
    }

    /// Set for the process that is to be killed.
    const TO_BE_KILLED: &str = "ODM_TESTKIT_TO_BE_KILLED";

    #[test]
    fn a_killed_process_leaves_nothing() -> TestResult {
        if env::var_os(TO_BE_KILLED).is_some() {
            return print_traces_and_hang();
        }
        let mut child = Command::new(env::current_exe()?)
            .args(["--exact", "servers::a_killed_process_leaves_nothing", "--nocapture"])
            .env(TO_BE_KILLED, "1")
            .stdout(Stdio::piped())
            .spawn()?;
        let output = BufReader::new(child.stdout.take().unwrap());
        let traces = output.lines().map_while(Result::ok).find_map(|line| Traces::parse(&line));
        let Some(traces) = traces else {
            child.kill()?;
            panic!("no traces, but {}", child.wait()?);
        };
        assert!(!traces.are_gone(), "{traces:?}");
        child.kill()?;
        child.wait()?;
        traces.await_end();
        Ok(())
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn a_signal_to_the_guard_or_the_server_leaves_nothing() -> TestResult {
        for (signal, is_for_guard) in [("-TERM", true), ("-HUP", true), ("-KILL", false)] {
            let server = Server::start().await?;
            let traces = traces(server.uri()).await?;
            let mut pid = traces.pid.to_string();
            if is_for_guard {
                let parent = Command::new("ps").args(["-o", "ppid=", "-p", &pid]).output()?;
                pid = String::from_utf8(parent.stdout)?.trim().to_owned();
            }
            assert!(Command::new("kill").args([signal, &pid]).status()?.success());
            traces.await_end();
            server.stop().await;
        }
        Ok(())
    }

    fn print_traces_and_hang() -> TestResult {
        run_with(Server::builder(), async |kit| {
            println!("\n{}", traces(kit.uri()).await?.line());
            std::io::stdout().flush()?;
            std::future::pending::<TestResult>().await
        })
    }

    #[test]
    fn the_command_lends_a_server_and_ends_as_its_command() -> TestResult {
        let run = |script: &str, uri: Option<&str>| {
            let mut command = Command::new(env!("CARGO_BIN_EXE_odm-testkit"));
            command.args(["sh", "-c", script]).env_remove("MONGODB_URI");
            if let Some(uri) = uri {
                command.env("MONGODB_URI", uri);
            }
            command.output()
        };
        let lent = run("echo $MONGODB_URI; exit 3", None)?;
        assert_eq!(lent.status.code(), Some(3));
        let uri = String::from_utf8(lent.stdout)?;
        assert!(uri.starts_with("mongodb://127.0.0.1:"), "{uri}");
        assert!(TcpStream::connect(address(&uri)).is_err(), "it runs on: {uri}");

        let given = run("echo $MONGODB_URI; kill -9 $$", Some("mongodb://given"))?;
        assert_eq!(given.status.code(), Some(137));
        assert_eq!(String::from_utf8(given.stdout)?, "mongodb://given\n");
        Ok(())
    }

    /// What a server leaves in the system while it runs.
    #[derive(Debug)]
    struct Traces {
        address: String,
        pid: i64,
        folder: String,
    }

    async fn traces(uri: &str) -> TestResult<Traces> {
        let client = Client::with_uri_str(uri).await?;
        let admin = client.database("admin");
        let status = admin.run_command(doc! { "serverStatus": 1 }).await?;
        let options = admin.run_command(doc! { "getCmdLineOpts": 1 }).await?;
        client.shutdown().await;
        let storage = options.get_document("parsed")?.get_document("storage")?;
        Ok(Traces {
            address: address(uri).to_owned(),
            pid: status.get_i64("pid")?,
            folder: storage.get_str("dbPath")?.to_owned(),
        })
    }

    impl Traces {
        fn line(&self) -> String {
            format!("traces {} {} {}", self.address, self.pid, self.folder)
        }

        fn parse(line: &str) -> Option<Self> {
            let mut words = line.strip_prefix("traces ")?.splitn(3, ' ');
            Some(Self {
                address: words.next()?.to_owned(),
                pid: words.next()?.parse().ok()?,
                folder: words.next()?.to_owned(),
            })
        }

        /// Nothing tells us of it: looked for again and again, for a while.
        fn await_end(&self) {
            let deadline = Instant::now() + Duration::from_secs(10);
            while !self.are_gone() {
                assert!(Instant::now() < deadline, "left behind: {self:?}");
                std::thread::sleep(Duration::from_millis(5));
            }
        }

        fn are_gone(&self) -> bool {
            TcpStream::connect(&self.address).is_err()
                && !Path::new(&self.folder).exists()
                && !Path::new("/proc").join(self.pid.to_string()).exists()
        }
    }

    fn address(uri: &str) -> &str {
        let hosts = uri.trim_start_matches("mongodb://");
        hosts.split('/').next().unwrap()
    }

    fn write_script(file: &Path, script: &str) -> std::io::Result<()> {
        use std::os::unix::fs::PermissionsExt;
        std::fs::write(file, format!("#!/bin/sh\n{script}\n"))?;
        std::fs::set_permissions(file, PermissionsExt::from_mode(0o755))
    }

    #[test]
    fn errors_can_be_shared() {
        fn check<T: std::error::Error + Clone + Send + Sync + 'static>() {}
        check::<Error>();
    }
}
