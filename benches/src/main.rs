//! What the library costs at run time, against the bare driver: `cargo xtask bench`.
//!
//! `settings` reads the arguments; `bench` starts a server and seeds what a work asks for; `work`
//! holds the works, each with a side for the library and one for the driver; `measure` runs the
//! sides by turns, checks that they read the same, and takes medians; `report` shows them, and brings
//! them into the guide. `peers` runs the tasks of one kind of work by other mappers too.

mod bench;
mod machine;
mod measure;
mod model;
mod peers;
mod report;
mod seed;
mod settings;
mod work;

use std::env;
use std::error::Error;
use std::process::ExitCode;

use bench::Bench;
use report::Report;
use settings::Settings;

/// Whatever fails ends the benchmark.
type Result<T = ()> = std::result::Result<T, Box<dyn Error + Send + Sync>>;

#[tokio::main]
async fn main() -> ExitCode {
    match run().await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

async fn run() -> Result {
    let settings = Settings::parse(env::args().skip(1))?;
    if settings.report {
        return report::into_guide();
    }
    if let Some(list) = settings.peers.clone() {
        let bench = Bench::start(settings).await?;
        let measured = peers::measure(&bench, &list).await;
        bench.stop().await;
        return report::write(report::PEERS, &measured?);
    }
    let selection = work::select(&settings.works)?;
    let bench = Bench::start(settings).await?;
    let machine = bench.machine.clone();
    let measured = measure_all(&bench, &selection).await;
    bench.stop().await;
    let report = measured?;
    report.print();
    report.write(machine)
}

async fn measure_all(bench: &Bench, selection: &work::Selection) -> Result<Report> {
    let mut report = Report::default();
    for work in selection.works() {
        for row in (work.run)(bench).await? {
            if selection.holds(row.work) {
                eprintln!("measured {}", row.work);
                report.push(row);
            }
        }
    }
    Ok(report)
}
