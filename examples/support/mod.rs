//! What the examples share: steps that show their result and round trips, and checks that count.

use std::fmt::Debug;
use std::future::IntoFuture;

use odm_testkit::{Kit, TestResult};

/// Runs the steps of an example and counts what was checked.
pub(crate) struct Steps {
    kit: Kit,
    checks: u32,
}

impl Steps {
    /// Starts an example on this server.
    pub(crate) fn new(kit: &Kit) -> Self {
        Self { kit: kit.clone(), checks: 0 }
    }

    /// Awaits an action and shows its result and what it sent.
    pub(crate) async fn step<T, E, A>(&self, title: &str, action: A) -> Result<T, E>
    where
        T: Debug,
        A: IntoFuture<Output = Result<T, E>>,
    {
        let (result, sent) = self.kit.commands(action).await;
        let trips = match sent.len() {
            1 => "1 round trip".to_owned(),
            many => format!("{many} round trips"),
        };
        println!("{title} ({trips})");
        if let Ok(value) = &result {
            println!("    {value:?}");
        }
        result
    }

    /// Compares what an example got with what it should have got.
    pub(crate) fn check<A, B>(&mut self, what: &str, found: A, expected: B) -> TestResult
    where
        A: Debug + PartialEq<B>,
        B: Debug,
    {
        if found != expected {
            return Err(format!("{what}: expected {expected:?}, found {found:?}").into());
        }
        println!("    ok: {what}");
        self.checks += 1;
        Ok(())
    }

    /// The last line of an example.
    pub(crate) fn finish(self, name: &str) {
        println!("{name}: {} checks passed", self.checks);
    }
}
