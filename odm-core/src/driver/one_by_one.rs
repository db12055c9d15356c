//! Tells of documents that are fetched one by one in a loop, in debug builds.
//!
//! A loop that gets one document after the other takes a round trip for each. What shows it: the same
//! line of a program, in the same task, many times within a short while. A server that answers
//! requests does so in many tasks, and is not meant.

use std::collections::HashMap;
use std::panic::Location;
use std::sync::{LazyLock, Mutex, PoisonError};
use std::thread::ThreadId;
use std::time::{Duration, Instant};

use crate::model::Model;

/// From how many on it is a loop, and within which time.
const MANY: u32 = 10;
const WITHIN: Duration = Duration::from_secs(1);

/// How many lines of a program are watched at once.
const MOST_LINES: usize = 256;

/// Who runs the line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Runner {
    Task(tokio::task::Id),
    Thread(ThreadId),
}

/// What is known of one line.
#[derive(Debug)]
struct Line {
    runner: Runner,
    since: Instant,
    times: u32,
    told: bool,
}

type Lines = HashMap<&'static Location<'static>, Line>;

static LINES: LazyLock<Mutex<Lines>> = LazyLock::new(Mutex::default);

/// Notes that one document of the model is fetched at this line, and warns once where that is a loop.
pub(crate) fn note(model: &Model, at: &'static Location<'static>) {
    let runner = tokio::task::try_id()
        .map_or_else(|| Runner::Thread(std::thread::current().id()), Runner::Task);
    let is_loop = {
        let mut lines = LINES.lock().unwrap_or_else(PoisonError::into_inner);
        is_loop(&mut lines, at, runner, Instant::now())
    };
    if is_loop {
        tracing::warn!(
            target: "odm",
            model = model.name,
            at = %at,
            times = MANY,
            "documents are fetched one by one in a loop: one find with `in_` fetches them all, or a \
             lookup of the reference on the find that yields its ids"
        );
    }
}

/// Whether the line has become a loop by being run now. True once for each line.
fn is_loop(
    lines: &mut Lines,
    at: &'static Location<'static>,
    runner: Runner,
    now: Instant,
) -> bool {
    if lines.len() >= MOST_LINES && !lines.contains_key(at) {
        lines.retain(|_, line| line.told);
        if lines.len() >= MOST_LINES {
            return false;
        }
    }
    let new = Line { runner, since: now, times: 0, told: false };
    let line = lines.entry(at).or_insert(new);
    if line.told {
        return false;
    }
    if line.runner != runner || now.duration_since(line.since) > WITHIN {
        (line.runner, line.since, line.times) = (runner, now, 0);
    }
    line.times += 1;
    line.told = line.times >= MANY;
    line.told
}

#[cfg(test)]
mod tests {
    use super::*;

    fn runs(lines: &mut Lines, at: &'static Location<'static>, times: u32, every: Duration) -> u32 {
        let (runner, start) = (Runner::Thread(std::thread::current().id()), Instant::now());
        (0..times).filter(|&n| is_loop(lines, at, runner, start + every * n)).count() as u32
    }

    #[test]
    fn a_loop_is_told_once() {
        let (mut lines, at) = (Lines::new(), Location::caller());
        assert_eq!(runs(&mut lines, at, MANY - 1, Duration::ZERO), 0);
        assert_eq!(runs(&mut lines, at, 100, Duration::ZERO), 1);
        assert_eq!(runs(&mut lines, at, 100, Duration::ZERO), 0);
    }

    #[test]
    fn what_takes_its_time_is_no_loop() {
        assert_eq!(runs(&mut Lines::new(), Location::caller(), 100, WITHIN / 2), 0);
    }
}
