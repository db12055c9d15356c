//! What the derive costs at compile time: the same models with it and with serde alone.
//!
//! Two crates are generated and their dependencies built; then each is compiled in turn, and the
//! medians of the wall-clock times are compared.

mod generate;
mod measure;

use std::time::Duration;

use crate::run::{Result, root};
use generate::Twin;
use measure::Bench;

const DEFAULT_RUNS: usize = 5;

pub(crate) fn run(args: &[String]) -> Result {
    let runs = runs(args)?;
    let directory = root().join("target/bench-compile");
    for twin in Twin::BOTH {
        generate::write(twin, &directory)?;
    }

    let mut bench = Bench::new(directory);
    let check = ratio(&mut bench, "check", runs)?;
    let build = ratio(&mut bench, "build", runs)?;
    println!("check: {check:.2} x serde");
    println!("debug build: {build:.2} x serde");
    Ok(())
}

fn runs(args: &[String]) -> Result<usize> {
    let given = match args {
        [] => Some(DEFAULT_RUNS),
        [option, count] if option == "--runs" => count.parse().ok().filter(|count| *count > 0),
        _ => None,
    };
    given.ok_or_else(|| "bench-compile takes `--runs N`, with N at least 1".to_owned())
}

/// Compiles both crates `runs` times by turns, prints each time and the medians.
fn ratio(bench: &mut Bench, verb: &str, runs: usize) -> Result<f64> {
    for twin in Twin::BOTH {
        println!("{verb}: dependencies of {}", twin.name());
        bench.warm_up(twin, verb)?;
    }
    let (mut serde, mut odm) = (Vec::new(), Vec::new());
    for run in 1..=runs {
        serde.push(bench.time(Twin::Serde, verb)?);
        odm.push(bench.time(Twin::Odm, verb)?);
        print_pair(verb, &format!("run {run}"), last(&serde), last(&odm));
    }
    let (serde, odm) = (median(&mut serde), median(&mut odm));
    print_pair(verb, "median", serde, odm);
    Ok(odm / serde)
}

fn print_pair(verb: &str, what: &str, serde: f64, odm: f64) {
    println!("{verb}: {what}: serde {serde:.2} s, odm {odm:.2} s");
}

fn last(times: &[Duration]) -> f64 {
    times.last().map_or(0.0, Duration::as_secs_f64)
}

fn median(times: &mut [Duration]) -> f64 {
    times.sort();
    let middle = times.len() / 2;
    let upper = times.get(middle).copied().unwrap_or_default();
    let lower = match middle.checked_sub(1).and_then(|below| times.get(below)) {
        Some(below) if times.len().is_multiple_of(2) => *below,
        _ => upper,
    };
    (lower + upper).as_secs_f64() / 2.0
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::median;

    #[test]
    fn the_median_of_an_even_count_lies_between_the_middle_two() {
        let seconds = |times: &[u64]| {
            let mut times: Vec<_> = times.iter().copied().map(Duration::from_secs).collect();
            median(&mut times)
        };
        assert_eq!(seconds(&[9, 1, 2]), 2.0);
        assert_eq!(seconds(&[9, 1, 2, 3]), 2.5);
        assert_eq!(seconds(&[4]), 4.0);
    }
}
