//! Completion in the real bash, zsh and fish. `cargo test` leaves these tests out, because it needs no shells:
//! `cargo test --test completion`.
//!
//! bash and zsh run on a pseudo-terminal. A test types all keys at once: the lines to complete, after each the key that
//! replaces the last word by all its candidates, and then a key that writes the line into a file. fish has a command
//! that prints the candidates.

#![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use informer_lab::lessons::lessons;

const PROGRAM: &str = env!("CARGO_BIN_EXE_informer-lab");

/// The file that a shell writes its lines to.
const LINES: &str = "lines";

/// The key for all candidates: Control-X and a.
const ALL: &str = "\u{18}a";

/// The key that writes the line: Control-X and p.
const WRITE: &str = "\u{18}p";

const BASH: &[&str] = &[
    "source <(informer-lab completions bash)",
    r#"bind '"\C-xa": insert-completions'"#,
    r#"bind -x '"\C-xp": printf "%s\n" "$READLINE_LINE" >>lines; READLINE_LINE='"#,
];

const ZSH: &[&str] = &[
    r#"show() { print -r -- "$BUFFER" >>lines; BUFFER= }; zle -N show; bindkey "^Xp" show"#,
    "zle -C all complete-word _generic; bindkey '^Xa' all",
    "zstyle ':completion:all::::' completer _all_matches _complete; zstyle ':completion:all:*' insert yes",
];

/// Lines, and the candidates for their last word.
const CASES: [(&str, &[&str]); 12] = [
    ("informer-lab clu", &["cluster"]),
    ("informer-lab cluster --sta", &["--stages"]),
    ("informer-lab cluster --stages cra", &["crash-loop"]),
    ("informer-lab cluster --stages my-", &["my-stages.yaml"]),
    ("informer-lab cluster --controllers d", &["deployment", "daemonset", "disruption"]),
    ("informer-lab cluster --controllers deployment,replicas", &["deployment,replicaset"]),
    ("informer-lab cluster --authorization r", &["rbac"]),
    ("informer-lab reflector --lang ", &["en", "zh"]),
    ("informer-lab read known", &["known-objects"]),
    ("informer-lab step reflector --known", &["--known-objects"]),
    ("informer-lab board relis", &["relist"]),
    ("informer-lab tour 10", &["10"]),
];

/// Makes an empty folder with a file of stages, and returns its path.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("completion-{name}"));
    let _ = fs::remove_dir_all(&folder); // left by an earlier run
    fs::create_dir_all(folder.join("functions")).unwrap();
    fs::write(folder.join("my-stages.yaml"), "").unwrap();
    folder
}

/// Returns a command that runs in the folder and finds the program on its PATH.
fn command(name: &str, folder: &Path) -> Command {
    let path = format!("{}:{}", Path::new(PROGRAM).parent().unwrap().display(), std::env::var("PATH").unwrap());
    let mut command = Command::new(name);
    command.env("PATH", path).env("HOME", folder).env("TERM", "xterm").env("LC_ALL", "C").current_dir(folder);
    command
}

/// Types the setup, and each line with the key after it, into a shell, and returns what became of the lines.
fn typed(shell: &str, folder: &Path, setup: &[&str], lines: &[(&str, &str)]) -> Vec<String> {
    let mut script = command("script", folder);
    script.args(["-qec", &format!("stty cols 1000; exec {shell}"), "/dev/null"]);
    let mut child = script.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut keys: String = setup.iter().map(|line| format!("{line}\r")).collect();
    keys.extend(lines.iter().map(|(line, key)| format!("{line}{key}{WRITE}")));
    child.stdin.as_mut().unwrap().write_all(format!("{keys}exit\r").as_bytes()).unwrap();
    let screen = child.wait_with_output().unwrap().stdout;
    let written = fs::read_to_string(folder.join(LINES));
    let written = written.unwrap_or_else(|_| panic!("{shell} wrote no line: {}", String::from_utf8_lossy(&screen)));
    assert_eq!(written.lines().count(), lines.len(), "{shell}: {written}");
    written.lines().map(str::to_owned).collect()
}

/// Returns the candidates in a line, in whose place the last word stood.
fn candidates(line: &str, completed: &str) -> Vec<String> {
    let before = line.rfind(' ').map_or(0, |space| space + 1);
    completed[before..].split_whitespace().map(str::to_owned).collect()
}

/// Checks the candidates of a shell; `of` returns the candidates for each line.
fn check(shell: &str, of: impl FnOnce(&[&str]) -> Vec<Vec<String>>) {
    let lines: Vec<_> = CASES.iter().map(|(line, _)| *line).chain(["informer-lab ", "informer-lab step "]).collect();
    let mut found = of(&lines);
    for all in found.split_off(CASES.len()) {
        let missing: Vec<_> = lessons().filter(|row| !all.iter().any(|candidate| candidate == row.command)).collect();
        assert!(missing.is_empty(), "{shell} lacks lessons: {all:?}");
    }
    for ((line, expected), found) in CASES.iter().zip(found) {
        assert_eq!(found, *expected, "{shell}: {line}");
    }
}

/// Checks the candidates of a shell that needs a terminal, and that TAB completes a word.
fn check_on_a_terminal(shell: &str, folder: &Path, setup: &[&str]) {
    check(shell, |lines| {
        let keys: Vec<_> = lines.iter().map(|line| (*line, ALL)).collect();
        let completed = typed(shell, folder, setup, &keys);
        lines.iter().zip(completed).map(|(line, completed)| candidates(line, &completed)).collect()
    });
    fs::remove_file(folder.join(LINES)).unwrap();
    let line = "informer-lab cluster --controllers deployment,replicas";
    assert_eq!(
        typed(shell, folder, setup, &[(line, "\t")]),
        ["informer-lab cluster --controllers deployment,replicaset "]
    );
}

#[test]
fn bash_completes() {
    check_on_a_terminal("bash --norc --noprofile -i", &folder("bash"), BASH);
}

#[test]
fn bash_completes_a_value_after_an_equals_sign() {
    let lines =
        [("informer-lab cluster --stages=cra", "\t"), ("informer-lab cluster --stages=run --authorization=", ALL)];
    assert_eq!(
        typed("bash --norc --noprofile -i", &folder("bash-equals"), BASH, &lines),
        [
            "informer-lab cluster --stages=crash-loop ",
            "informer-lab cluster --stages=run --authorization=always-allow rbac "
        ]
    );
}

#[test]
fn zsh_completes() {
    let script = "autoload -U compinit; compinit -u -D; source <(informer-lab completions zsh)";
    check_on_a_terminal("zsh -f -i", &folder("zsh"), &[&[script], ZSH].concat());
}

#[test]
fn zsh_completes_if_the_script_is_in_a_folder_of_functions() {
    let folder = folder("zsh-functions");
    let script = command(PROGRAM, &folder).args(["completions", "zsh"]).output().unwrap().stdout;
    fs::write(folder.join("functions/_informer-lab"), script).unwrap();
    let functions = "fpath=($PWD/functions $fpath); autoload -U compinit; compinit -u -D";
    check_on_a_terminal("zsh -f -i", &folder, &[&[functions], ZSH].concat());
}

#[test]
fn fish_completes() {
    let folder = folder("fish");
    check("fish", |lines| {
        lines
            .iter()
            .map(|line| {
                let asked = format!("informer-lab completions fish | source; complete -C '{line}'");
                let output = command("fish", &folder).args(["--no-config", "-c", &asked]).output().unwrap();
                let text = String::from_utf8(output.stdout).unwrap();
                text.lines().map(|line| line.split('\t').next().unwrap_or_default().to_owned()).collect()
            })
            .collect()
    });
}
