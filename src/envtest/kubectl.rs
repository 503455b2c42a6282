//! Replaces the binary `kubectl`: runs the real kubectl from PATH, because this program has none.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::{Command, ExitCode};
use std::{env, fs};

use anyhow::Result;

use crate::trace::Failure;

/// A variable in the environment of the started kubectl. If that kubectl is a copy of this program, it sees the
/// variable and starts no further one.
const MARK: &str = "INFORMER_LAB_KUBECTL";

pub(super) fn run(args: &[OsString]) -> Result<ExitCode> {
    let found = if env::var_os(MARK).is_some() { None } else { find_real_kubectl() };
    let Some(kubectl) = found else {
        return Err(Failure::new((
            "no kubectl in PATH: informer-lab replaces kube-apiserver and etcd, and runs the kubectl that you have installed",
            "PATH 里没有 kubectl：informer-lab 代替 kube-apiserver 和 etcd，kubectl 则用你安装的那个",
        ))
        .next(("install kubectl, so that it is in PATH", "请安装 kubectl，并把它放进 PATH"))
        .into());
    };
    let mut command = Command::new(&kubectl);
    command.args(args.iter().skip(1)).env(MARK, "1");
    let shown = kubectl.display();
    let failure = |error| {
        anyhow::Error::from(Failure::new((format!("cannot run {shown}"), format!("无法运行 {shown}"))).because(error))
    };
    replace_process(command).map_err(failure)
}

/// Returns the first kubectl in PATH that is not this program.
fn find_real_kubectl() -> Option<PathBuf> {
    let own_path = env::current_exe().ok()?;
    let own_folder = own_path.parent().map(ToOwned::to_owned);
    let own_path = fs::canonicalize(own_path).ok()?;
    let name = format!("kubectl{}", env::consts::EXE_SUFFIX);
    let all = env::split_paths(&env::var_os("PATH")?).map(|folder| folder.join(&name)).collect::<Vec<_>>();
    // The links in the folder of `envtest` may be copies of this program, which have other paths.
    all.into_iter().find(|path| {
        let is_other = fs::canonicalize(path).is_ok_and(|found| found != own_path) && path.is_file();
        is_other && path.parent() != own_folder.as_deref()
    })
}

/// Replaces this process by the command. Returns only if that fails.
#[cfg(unix)]
fn replace_process(mut command: Command) -> std::io::Result<ExitCode> {
    use std::os::unix::process::CommandExt;
    Err(command.exec())
}

/// Runs the command to its end, because this system cannot replace a process.
#[cfg(not(unix))]
fn replace_process(mut command: Command) -> std::io::Result<ExitCode> {
    let code = command.status()?.code().and_then(|code| u8::try_from(code).ok());
    Ok(ExitCode::from(code.unwrap_or(1)))
}
