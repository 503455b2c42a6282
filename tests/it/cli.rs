//! Helpers that run the program in a clean environment and collect its output.

use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

/// Returns a command that does not depend on this machine's locale, colours, home and kubeconfig. Words are separated
/// by spaces; quotes have no meaning.
pub fn command(line: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_informer-lab"));
    command.args(line.split_whitespace()).stdin(Stdio::null());
    for name in [
        "LC_ALL",
        "LC_MESSAGES",
        "LANG",
        "NO_COLOR",
        "CLICOLOR",
        "CLICOLOR_FORCE",
        "KUBECONFIG",
        "KUBERNETES_SERVICE_HOST",
        "KUBERNETES_SERVICE_PORT",
        "HTTPS_PROXY",
        "https_proxy",
    ] {
        command.env_remove(name);
    }
    command.env("HOME", env!("CARGO_TARGET_TMPDIR")).env("TERM", "xterm");
    command
}

#[derive(Debug)]
pub struct Ran {
    pub code: Option<i32>,
    pub out: String,
    pub err: String,
}

pub fn run(line: &str) -> Ran {
    finish(&mut command(line))
}

pub fn finish(command: &mut Command) -> Ran {
    let Output { status, stdout, stderr } = command.output().expect("the program starts");
    let text = |bytes| String::from_utf8(bytes).expect("the program writes UTF-8");
    Ran { code: status.code(), out: text(stdout), err: text(stderr) }
}

/// Writes a temporary file. Tests run side by side, so each needs a name of its own.
pub fn file(name: &str, content: impl AsRef<[u8]>) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, content).expect("the temporary directory can be written");
    path
}
