//! Tests of `informer-lab break` and `check` that compile no exercise; `.ci/break` tests the compiled ones.

use std::path::PathBuf;
use std::process::Command;
use std::{env, fs, process};

use informer_lab::exercises::ALL;

use crate::cli::{Ran, command, finish};

/// A user with some progress, whose working directory is outside of a clone.
struct User(PathBuf);

impl User {
    fn new(name: &str) -> Self {
        let home = env::temp_dir().join(format!("informer-lab-user-{}-{name}", process::id()));
        fs::create_dir_all(home.join("informer-lab")).unwrap();
        Self(home)
    }

    fn with_mended(name: &str, done: &[&str]) -> Self {
        let user = Self::new(name);
        let text = serde_json::json!({ "done": done }).to_string();
        fs::write(user.0.join("informer-lab/break.json"), text).unwrap();
        user
    }

    fn command(&self, line: &str) -> Command {
        let mut command = command(line);
        command.env("XDG_STATE_HOME", &self.0).env("APPDATA", &self.0).current_dir(&self.0);
        command
    }

    fn run(&self, line: &str) -> Ran {
        finish(&mut self.command(line))
    }
}

impl Drop for User {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[test]
fn the_list_shows_the_mended_exercises_and_the_next_one() {
    let fresh = User::new("fresh").run("break");
    assert_eq!((fresh.code, fresh.err.as_str()), (Some(0), ""));
    assert!(fresh.out.contains("> updates ") && fresh.out.contains("0/10"), "{}", fresh.out);

    let some = User::with_mended("some", &["updates", "slow"]).run("break");
    assert!(some.out.contains("✓ updates ") && some.out.contains("✓ slow "), "{}", some.out);
    assert!(some.out.contains("> tombstone ") && some.out.contains("2/10"), "{}", some.out);
    assert!(some.out.contains("informer-lab check tombstone"), "{}", some.out);

    let all = User::with_mended("all", &ALL.map(|exercise| exercise.name)).run("break");
    assert!(all.out.contains("All ten are mended."), "{}", all.out);
}

#[test]
fn the_list_fits_a_terminal() {
    for lang in ["en", "zh"] {
        let out = User::new(&format!("width-{lang}")).run(&format!("break --lang {lang}")).out;
        assert!(out.lines().count() <= 23, "{out}");
        for line in out.lines() {
            assert!(unicode_width::UnicodeWidthStr::width(line) <= 80, "{line}");
        }
    }
}

#[test]
fn an_exercise_shows_its_symptom_its_file_and_its_chapter() {
    let user = User::new("symptom");
    for exercise in ALL {
        for (lang, title) in [("en", exercise.title.en), ("zh", exercise.title.zh)] {
            let ran = user.run(&format!("break {} --lang {lang}", exercise.name));
            let read = format!("informer-lab read {}", exercise.chapter);
            let program = format!("lessons/break/exercises/{}.rs", exercise.file);
            for line in ran.out.lines() {
                assert!(unicode_width::UnicodeWidthStr::width(line) <= 80, "{line}");
            }
            for wanted in [title, &read, &program] {
                assert!(ran.out.contains(wanted), "{wanted}: {}", ran.out);
            }
            for file in [format!("lessons/{}.{lang}.md", exercise.chapter), program] {
                assert!(PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(&file).is_file(), "{file}");
            }
        }
    }
}

/// Removes all white space, because the program breaks lines to fit the terminal.
fn packed(text: &str) -> String {
    text.split_whitespace().collect()
}

#[test]
fn the_second_hint_is_shown_only_on_request() {
    let user = User::new("hints");
    let [first, second] = ALL[0].hints.map(|hint| packed(hint.en));
    let one = packed(&user.run("break updates --hint").out);
    assert!(one.contains(&first) && !one.contains(&second), "{one}");
    let two = packed(&user.run("break 1 --hint --hint").out);
    assert!(two.contains(&first) && two.contains(&second), "{two}");
}

#[test]
fn a_solution_is_shown_only_after_the_program_is_mended_or_with_anyway() {
    let early = User::new("early").run("break slow --solution");
    assert_eq!((early.code, early.out.as_str()), (Some(1), ""));
    assert!(early.err.contains("once the program is right") && early.err.contains("--anyway"), "{}", early.err);

    let root = env!("CARGO_MANIFEST_DIR");
    let solution = fs::read_to_string(format!("{root}/lessons/break/solutions/03_slow.rs")).unwrap();
    for (user, line) in [
        (User::with_mended("right", &["slow"]), "break slow --solution"),
        (User::new("anyway"), "break slow --solution --anyway"),
    ] {
        let shown = finish(user.command(line).current_dir(root));
        assert_eq!(shown.out.trim_end(), solution.trim_end(), "{}", shown.err);
    }
}

#[test]
fn outside_of_a_clone_the_error_suggests_to_clone() {
    for line in ["check", "check updates", "break updates --solution --anyway"] {
        let ran = User::new("nowhere").run(line);
        assert_eq!((ran.code, ran.out.as_str()), (Some(1), ""), "{line}");
        assert!(ran.err.contains("clone of informer-lab"), "{}", ran.err);
        assert!(ran.err.contains("next: git clone https://"), "{}", ran.err);
    }
}

#[test]
fn a_reset_forgets_the_progress() {
    let user = User::with_mended("reset", &["updates"]);
    assert_eq!(user.run("break --reset").code, Some(0));
    assert!(user.run("break").out.contains("0/10"));
    assert_eq!(user.run("break --reset").code, Some(0), "a second reset is not an error");
}

#[test]
fn unknown_exercises_and_invalid_options_are_usage_errors() {
    for line in
        ["break nope", "check 11", "break --hint", "break --anyway", "break 1 --reset", "break 1 --hint --solution"]
    {
        let ran = User::new("usage").run(line);
        assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""), "{line}");
    }
    assert!(User::new("names").run("break nope").err.contains("updates, tombstone, slow"));
}

#[test]
#[cfg(unix)]
fn a_failed_build_or_a_failed_check_does_not_count_as_a_wrong_program() {
    use std::os::unix::fs::PermissionsExt;
    let user = User::new("toolchain");
    for (code, said) in [(1, "the check itself failed"), (101, "do not compile")] {
        let cargo = user.0.join(format!("cargo-{code}"));
        fs::write(&cargo, format!("#!/bin/sh\nexit {code}\n")).unwrap();
        fs::set_permissions(&cargo, fs::Permissions::from_mode(0o755)).unwrap();
        let mut command = user.command("check updates");
        let ran = finish(command.current_dir(env!("CARGO_MANIFEST_DIR")).env("CARGO", &cargo));
        assert!(ran.code == Some(1) && ran.err.contains(said), "{code}: {}", ran.err);
        assert!(!ran.out.contains("--hint"), "a hint helps only with a wrong program: {}", ran.out);
    }
}
