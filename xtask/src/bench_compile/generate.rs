//! The two crates: 100 models of 12 fields in 10 modules, with equal dependencies.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use crate::run::{Result, root};

const MODULES: usize = 10;
const MODELS_PER_MODULE: usize = 10;

/// Which of the two crates.
#[derive(Clone, Copy)]
pub(super) enum Twin {
    Serde,
    Odm,
}

impl Twin {
    pub(super) const BOTH: [Self; 2] = [Self::Serde, Self::Odm];

    /// The crate's name and directory.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Serde => "models-serde",
            Self::Odm => "models-odm",
        }
    }
}

/// Writes one crate below the directory.
pub(super) fn write(twin: Twin, directory: &Path) -> Result {
    let package = directory.join(twin.name());
    let source = package.join("src");
    fs::create_dir_all(&source)
        .map_err(|error| format!("{} cannot be made: {error}", source.display()))?;

    write_file(&package.join("Cargo.toml"), &manifest(twin))?;
    write_file(&source.join("lib.rs"), &library(0))?;
    for module in 0..MODULES {
        write_file(&source.join(format!("area_{module}.rs")), &area(twin, module))?;
    }
    copy_lock(&package)
}

/// The root module; another count is another content, so cargo compiles the crate again.
pub(super) fn library(count: usize) -> String {
    let mut text = format!("//! Models to compile.\n// Change {count}.\n");
    for module in 0..MODULES {
        let _ = writeln!(text, "pub mod area_{module};");
    }
    text
}

pub(super) fn write_file(path: &Path, text: &str) -> Result {
    fs::write(path, text).map_err(|error| format!("{} cannot be written: {error}", path.display()))
}

/// With the versions the project was locked to, both crates share every build.
fn copy_lock(package: &Path) -> Result {
    let lock = root().join("Cargo.lock");
    if !lock.exists() {
        return Ok(());
    }
    fs::copy(&lock, package.join("Cargo.lock"))
        .map(drop)
        .map_err(|error| format!("{} cannot be copied: {error}", lock.display()))
}

fn manifest(twin: Twin) -> String {
    let name = twin.name();
    // Dependencies are not measured: without debug information they build sooner.
    format!(
        r#"[package]
name = "{name}"
version = "0.0.0"
edition = "2024"
publish = false

[workspace]

[dependencies]
bson = {{ version = "3.1", features = ["serde"] }}
mongo-odm = {{ path = "../../.." }}
serde = {{ version = "1", features = ["derive"] }}

[profile.dev.package."*"]
debug = false
"#
    )
}

fn area(twin: Twin, module: usize) -> String {
    let prelude = match twin {
        Twin::Serde => "",
        Twin::Odm => "use odm::prelude::*;\n",
    };
    let mut text = format!(
        "//! Models to compile.\n\
         use bson::{{DateTime, oid::ObjectId}};\n\
         {prelude}\
         use serde::{{Deserialize, Serialize}};\n"
    );
    for model in 0..MODELS_PER_MODULE {
        text.push_str(&self::model(twin, module * MODELS_PER_MODULE + model));
    }
    text
}

fn model(twin: Twin, number: usize) -> String {
    let (document, embedded, collection) = match twin {
        Twin::Serde => ("", "", String::new()),
        Twin::Odm => {
            (", Document", ", Embedded", format!("\n#[odm(collection = \"models_{number:02}\")]"))
        }
    };
    let index = match (twin, number) {
        (Twin::Odm, 0) => "#[odm(index)]\n    ",
        _ => "",
    };
    format!(
        r#"
#[derive(Debug, Clone, Serialize, Deserialize{embedded})]
pub struct Address{number:02} {{
    pub street: String,
    pub number: i32,
    pub city: String,
}}

#[derive(Debug, Clone, Serialize, Deserialize{document})]{collection}
pub struct Model{number:02} {{
    #[serde(rename = "_id")]
    pub id: ObjectId,
    {index}pub code: String,
    pub title: String,
    pub summary: String,
    pub quantity: i32,
    pub views: i64,
    pub score: f64,
    pub active: bool,
    pub note: Option<String>,
    pub tags: Vec<String>,
    pub opened: DateTime,
    pub address: Address{number:02},
}}
"#
    )
}
