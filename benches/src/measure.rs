//! Sides of a work, measured by turns: A B A B …, and the median of each.

use std::future::Future;
use std::ops::Add;
use std::time::{Duration, Instant};

use futures::future::BoxFuture;
use serde::Deserialize;

use crate::Result;

/// What a run has read or written: the same on each side, or they did not do the same work.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
pub(crate) struct Tally {
    pub(crate) documents: u64,
    pub(crate) sum: i64,
}

impl Tally {
    /// Counts a document, with a value of it.
    pub(crate) fn count(&mut self, value: impl Into<i64>) {
        self.documents += 1;
        self.sum += value.into();
    }

    /// Without the values: for a comparison with a side that decodes nothing.
    pub(crate) fn documents_only(self) -> Self {
        Self { sum: 0, ..self }
    }
}

impl Add for Tally {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self { documents: self.documents + other.documents, sum: self.sum + other.sum }
    }
}

/// One run: how long it took, and what it did.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Run {
    elapsed: Duration,
    tally: Tally,
}

impl Run {
    /// A run that ends here. What came before `started`, and what a side does after this, such as
    /// to look at what it has written, is not measured.
    pub(crate) fn since(started: Instant, tally: Tally) -> Self {
        Self { elapsed: started.elapsed(), tally }
    }

    /// A run that was timed elsewhere.
    pub(crate) fn timed(elapsed: Duration, tally: Tally) -> Self {
        Self { elapsed, tally }
    }

    pub(crate) fn with_tally(self, tally: Tally) -> Self {
        Self { tally, ..self }
    }

    pub(crate) fn documents_only(self) -> Self {
        self.with_tally(self.tally.documents_only())
    }
}

/// One way to do a work. Each run is a task of its own, as a server's request is.
pub(crate) struct Side(Box<dyn Fn() -> BoxFuture<'static, Result<Run>>>);

impl Side {
    pub(crate) fn new<F>(run: impl Fn() -> F + 'static) -> Self
    where
        F: Future<Output = Result<Run>> + Send + 'static,
    {
        Self(Box::new(move || Box::pin(run())))
    }

    async fn run(&self) -> Result<Run> {
        tokio::spawn((self.0)()).await?
    }
}

/// Runs each side once unmeasured, then all of them by turns, and returns the median of each.
///
/// # Errors
/// What a side fails with; sides, or runs of one side, that did not do the same.
pub(crate) async fn medians<const N: usize>(
    runs: usize,
    sides: [Side; N],
) -> Result<[Duration; N]> {
    let medians = medians_of(runs, &sides).await?;
    medians.try_into().map_err(|_| "not one median for each side".into())
}

/// The same for any number of sides.
///
/// # Errors
/// As [`medians`].
pub(crate) async fn medians_of(runs: usize, sides: &[Side]) -> Result<Vec<Duration>> {
    let mut expected = None;
    let mut times = vec![Vec::with_capacity(runs); sides.len()];
    for round in 0..=runs {
        for (side, times) in sides.iter().zip(&mut times) {
            let run = side.run().await?;
            check(run.tally, *expected.get_or_insert(run.tally))?;
            if round > 0 {
                times.push(run.elapsed);
            }
        }
    }
    Ok(times.into_iter().map(median).collect())
}

fn check(found: Tally, expected: Tally) -> Result {
    match found == expected {
        true => Ok(()),
        false => Err(format!("the sides differ: {found:?} and {expected:?}").into()),
    }
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    let middle = times.len() / 2;
    let upper = times.get(middle).copied().unwrap_or_default();
    let lower = match middle.checked_sub(1).and_then(|below| times.get(below)) {
        Some(below) if times.len().is_multiple_of(2) => *below,
        _ => upper,
    };
    (lower + upper) / 2
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::{Run, Side, Tally, median, medians};

    #[test]
    fn the_median_of_an_even_count_lies_between_the_middle_two() {
        let of = |times: &[u64]| median(times.iter().map(|&t| Duration::from_secs(t)).collect());
        assert_eq!(of(&[9, 1, 2]), Duration::from_secs(2));
        assert_eq!(of(&[9, 1, 2, 3]), Duration::from_millis(2_500));
        assert_eq!(of(&[4]), Duration::from_secs(4));
    }

    #[tokio::test]
    async fn sides_that_read_different_values_are_refused() {
        let side = |sum| {
            Side::new(
                move || async move { Ok(Run::since(Instant::now(), Tally { documents: 1, sum })) },
            )
        };
        assert!(medians(1, [side(1), side(1)]).await.is_ok());
        assert!(medians(1, [side(1), side(2)]).await.is_err());
    }
}
