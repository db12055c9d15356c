//! What was measured, brought into the guide: a chart, and tables between two marks of a page.

use std::fs;
use std::io::ErrorKind;

use serde_json::Value;

use super::chart::{self, Group};
use super::{PEERS, SUMMARY, root};
use crate::Result;

const PAGE: &str = "book/src/performance.md";
const CHART: &str = "book/src/performance.svg";
const BEGIN: &str = "<!-- measured: written by `cargo xtask bench-report` -->\n";
const END: &str = "<!-- /measured -->\n";

/// Replaces the figures of the guide by those of the last benchmarks.
///
/// # Errors
/// Nothing was measured; files that are not as they were written.
pub(crate) fn into_guide() -> Result {
    let (works, peers) = (measured(SUMMARY)?, measured(PEERS)?);
    let mut tables = String::new();
    if let Some(works) = &works {
        tables += &works_table(works)?;
    }
    if let Some(peers) = &peers {
        tables += &peers_table(peers)?;
        fs::write(root().join(CHART), peers_chart(peers)?)?;
        println!("written: {CHART}");
    }
    if tables.is_empty() {
        return Err(
            "nothing was measured: run `cargo xtask bench`, `cargo xtask bench-peers`".into()
        );
    }
    let page = root().join(PAGE);
    let text = replaced(&fs::read_to_string(&page)?, &tables)?;
    fs::write(page, text)?;
    println!("written: {PAGE}");
    Ok(())
}

/// The figures of this name, if there are any. Those of a debug build are nothing to publish.
fn measured(name: &str) -> Result<Option<Value>> {
    match fs::read_to_string(root().join("target/bench").join(name)) {
        Ok(text) => {
            let measured: Value = serde_json::from_str(&text)?;
            match measured["machine"]["optimised"].as_bool() {
                Some(true) => Ok(Some(measured)),
                _ => Err(format!("{name} was not measured by a release build").into()),
            }
        }
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// A page with other tables between its marks.
fn replaced(page: &str, tables: &str) -> Result<String> {
    let (before, rest) = page.split_once(BEGIN).ok_or("no mark where the tables begin")?;
    let (_, after) = rest.split_once(END).ok_or("no mark where the tables end")?;
    Ok(format!("{before}{BEGIN}\n{tables}{END}{after}"))
}

fn works_table(summary: &Value) -> Result<String> {
    let mut out = format!("{}\n", machine(&summary["machine"]));
    out += "\n| work | one run | library, ms | driver, ms | driver ÷ library |\n";
    out += "|---|---|---:|---:|---:|\n";
    for row in list(&summary["works"])? {
        let (work, what) = (words(&row["work"])?, words(&row["what"])?);
        let [library, driver, ratio] =
            ["library_ms", "driver_ms", "ratio"].map(|name| number(&row[name]));
        out +=
            &format!("| `{work}` | {what} | {:.1} | {:.1} | {:.2} |\n", library?, driver?, ratio?);
    }
    Ok(out + "\n")
}

fn peers_table(measured: &Value) -> Result<String> {
    let mut out = "The tasks by other mappers, in milliseconds of one run.".to_owned();
    out += &format!(" {}\n\n", machine(&measured["machine"]));
    out += "![The time of each task as a multiple of the bare Rust driver's](performance.svg)\n\n";
    for peer in list(&measured["peers"])? {
        let name = words(&peer["name"])?;
        out += &match peer["version"].as_str() {
            Some(version) => format!("- {name} {version}\n"),
            None => format!("- {name}: not measured, {}\n", words(&peer["skipped"])?),
        };
    }
    let tasks = list(&measured["tasks"])?;
    let first = tasks.first().ok_or("no task was measured")?;
    let names: Vec<_> = list(&first["ms"])?.iter().map(|side| words(&side["name"])).collect();
    out += "\n| task | one run |";
    for name in names {
        out += &format!(" {} |", name?);
    }
    out += &format!("\n|---|---|{}\n", "---:|".repeat(list(&first["ms"])?.len()));
    for task in tasks {
        out += &format!("| `{}` | {} |", words(&task["work"])?, words(&task["what"])?);
        for side in list(&task["ms"])? {
            out += &format!(" {:.1} |", number(&side["ms"])?);
        }
        out += "\n";
    }
    Ok(out + "\n")
}

fn peers_chart(measured: &Value) -> Result<String> {
    let mut groups = Vec::new();
    for task in list(&measured["tasks"])? {
        let sides = list(&task["ms"])?;
        let driver = sides.iter().find(|side| side["name"] == "driver").ok_or("no driver")?;
        let driver = number(&driver["ms"])?;
        let mut bars = Vec::new();
        for side in sides {
            bars.push((words(&side["name"])?.to_owned(), number(&side["ms"])? / driver));
        }
        groups.push(Group { name: words(&task["work"])?.to_owned(), bars });
    }
    let title = "Tasks of the MongoDB ODM Performance Benchmark";
    Ok(chart::svg(
        title,
        "time as a multiple of the bare Rust driver's; shorter is better",
        &groups,
    ))
}

/// A sentence about what the figures were taken on.
fn machine(machine: &Value) -> String {
    let known = |name: &str| machine[name].as_str().unwrap_or("unknown").to_owned();
    let load = machine["load"].as_f64().map_or("unknown".to_owned(), |load| format!("{load:.1}"));
    format!(
        "Medians; runs of each side, by turns: {}. Taken on {} cores ({}), {} of memory, {}; {}. \
         The load of the machine before the first run was {load}.",
        machine["runs"],
        machine["cores"],
        known("processor"),
        known("memory"),
        known("system"),
        known("server"),
    )
}

fn list(value: &Value) -> Result<&Vec<Value>> {
    value.as_array().ok_or_else(|| "not a list in the figures".into())
}

fn words(value: &Value) -> Result<&str> {
    value.as_str().ok_or_else(|| "no words in the figures".into())
}

fn number(value: &Value) -> Result<f64> {
    value.as_f64().ok_or_else(|| "no number in the figures".into())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{BEGIN, END, peers_table, replaced, works_table};
    use crate::Result;

    #[test]
    fn tables_take_the_place_of_those_before() -> Result {
        let page = format!("a\n{BEGIN}old\n{END}b\n");
        let once = replaced(&page, "new\n\n")?;
        assert_eq!(once, format!("a\n{BEGIN}\nnew\n\n{END}b\n"));
        assert_eq!(replaced(&once, "new\n\n")?, once);
        assert!(replaced("no marks", "new").is_err());
        Ok(())
    }

    #[test]
    fn each_work_and_each_side_is_shown() -> Result {
        let machine = json!({ "runs": 5, "cores": 2, "load": 0.25 });
        let row = json!({
            "work": "scan", "what": "posts", "library_ms": 1.0, "driver_ms": 2.5, "ratio": 2.5,
        });
        let table = works_table(&json!({ "machine": machine, "works": [row] }))?;
        assert!(table.contains("| `scan` | posts | 1.0 | 2.5 | 2.50 |"), "{table}");
        assert!(table.contains("by turns: 5."), "{table}");

        let peers = json!([
            { "name": "One", "version": "1.2" },
            { "name": "Two", "skipped": "no npm" },
        ]);
        let ms = json!([{ "name": "library", "ms": 1.0 }, { "name": "One", "ms": 3.0 }]);
        let tasks = json!([{ "work": "odm_small_find", "what": "9 finds", "ms": ms }]);
        let table = peers_table(&json!({ "machine": machine, "peers": peers, "tasks": tasks }))?;
        assert!(table.contains("- Two: not measured, no npm\n"), "{table}");
        assert!(
            table.contains("| task | one run | library | One |\n|---|---|---:|---:|\n"),
            "{table}"
        );
        assert!(table.contains("| `odm_small_find` | 9 finds | 1.0 | 3.0 |\n"), "{table}");
        Ok(())
    }
}
