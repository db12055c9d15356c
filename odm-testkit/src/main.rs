//! `odm-testkit COMMAND [ARGS…]` runs COMMAND with a MongoDB server in `MONGODB_URI`, and ends
//! with its exit code. For test runners that give each test a process of its own: all of them
//! then share one server. If `MONGODB_URI` is set already, that server is used.

use std::{
    env,
    process::{Command, ExitCode, ExitStatus},
};

use odm_testkit::{Server, TestResult};

fn main() -> TestResult<ExitCode> {
    let mut args = env::args_os().skip(1);
    let Some(program) = args.next() else {
        eprintln!("usage: odm-testkit COMMAND [ARGS...]");
        return Ok(ExitCode::from(2));
    };
    let mut command = Command::new(&program);
    command.args(args);
    let runtime = tokio::runtime::Runtime::new()?;
    let server = match env::var_os("MONGODB_URI").filter(|uri| !uri.is_empty()) {
        Some(_) => None,
        None => Some(runtime.block_on(Server::start())?),
    };
    if let Some(server) = &server {
        command.env("MONGODB_URI", server.uri());
    }
    let status =
        command.status().map_err(|error| format!("cannot run {}: {error}", program.display()))?;
    if let Some(server) = server {
        runtime.block_on(server.stop());
    }
    Ok(code(status))
}

/// A command ended by a signal counts as failed, with the code that a shell would give it.
fn code(status: ExitStatus) -> ExitCode {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return ExitCode::from(u8::try_from(128 + signal).unwrap_or(u8::MAX));
    }
    ExitCode::from(status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(1))
}
