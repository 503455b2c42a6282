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

    fn with_fixed(name: &str, done: &[&str]) -> Self {
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
fn the_list_shows_the_fixed_exercises_and_the_next_one() {
    let fresh = User::new("fresh").run("break");
    assert_eq!((fresh.code, fresh.err.as_str()), (Some(0), ""));
    assert!(fresh.out.contains("> updates ") && fresh.out.contains("0/10"), "{}", fresh.out);

    let some = User::with_fixed("some", &["updates", "slow"]).run("break");
    assert!(some.out.contains("✓ updates ") && some.out.contains("✓ slow "), "{}", some.out);
    assert!(some.out.contains("> tombstone ") && some.out.contains("2/10"), "{}", some.out);
    assert!(some.out.contains("informer-lab check tombstone"), "{}", some.out);

    let all = User::with_fixed("all", &ALL.map(|exercise| exercise.name)).run("break");
    assert!(all.out.contains("All ten are fixed."), "{}", all.out);
}

#[test]
fn the_list_fits_a_terminal() {
    for (lang, program) in [("en", "rust"), ("zh", "rust"), ("en", "go"), ("zh", "go")] {
        let user = User::new(&format!("width-{lang}-{program}"));
        let out = user.run(&format!("break --lang {lang} --in {program}")).out;
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
            for (option, program) in [
                ("", format!("lessons/break/exercises/{}.rs", exercise.file)),
                (" --in go", format!("lessons/break/go/exercises/{}/main.go", exercise.file)),
            ] {
                let ran = user.run(&format!("break {}{option} --lang {lang}", exercise.name));
                let read = format!("informer-lab read {}", exercise.chapter);
                let check = format!("informer-lab check {}{option} ", exercise.name);
                for line in ran.out.lines() {
                    assert!(unicode_width::UnicodeWidthStr::width(line) <= 80, "{line}");
                }
                for wanted in [title, &read, &check, &program] {
                    assert!(ran.out.contains(wanted), "{wanted}: {}", ran.out);
                }
                for file in [format!("lessons/{}.{lang}.md", exercise.chapter), program] {
                    assert!(PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(&file).is_file(), "{file}");
                }
            }
        }
    }
}

#[test]
fn each_language_of_the_programs_has_its_own_progress_and_hints() {
    let user = User::with_fixed("languages", &["updates", "go/updates", "go/tombstone"]);
    let (rust, go) = (user.run("break").out, user.run("break --in go").out);
    assert!(rust.contains("1/10") && rust.contains("informer-lab break tombstone "), "{rust}");
    assert!(go.contains("2/10") && go.contains("informer-lab break slow --in go "), "{go}");
    for exercise in ALL {
        let command = format!("break {} --in go --hint", exercise.name);
        let [first, second] = exercise.go.hints.map(|hint| packed(hint.en));
        let one = packed(&user.run(&command).out);
        assert!(one.contains(&first) && !one.contains(&second), "{one}");
        assert!(packed(&user.run(&format!("{command} --hint")).out).contains(&second));
        let zh = packed(&user.run(&format!("{command} --lang zh")).out);
        assert!(zh.contains(&packed(exercise.go.hints[0].zh)), "{zh}");
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
fn a_solution_is_shown_only_after_the_program_is_fixed_or_with_anyway() {
    let early = User::new("early").run("break slow --solution");
    assert_eq!((early.code, early.out.as_str()), (Some(1), ""));
    assert!(early.err.contains("once the program is right") && early.err.contains("--anyway"), "{}", early.err);

    let root = env!("CARGO_MANIFEST_DIR");
    let solution = fs::read_to_string(format!("{root}/lessons/break/solutions/03_slow.rs")).unwrap();
    for (user, line) in [
        (User::with_fixed("right", &["slow"]), "break slow --solution"),
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
    let user = User::with_fixed("reset", &["updates"]);
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

/// Makes a program of this name, with this text behind `#!/bin/sh`, and returns its folder.
#[cfg(unix)]
fn tool(user: &User, name: &str, script: &str) -> PathBuf {
    use std::os::unix::fs::PermissionsExt;
    let folder = user.0.join("bin");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join(name), format!("#!/bin/sh\n{script}\n")).unwrap();
    fs::set_permissions(folder.join(name), fs::Permissions::from_mode(0o755)).unwrap();
    folder
}

#[test]
#[cfg(unix)]
fn without_go_or_with_a_program_that_does_not_compile_the_next_step_is_named() {
    let user = User::new("go");
    let check = |path: PathBuf| {
        let mut command = user.command("check tombstone --in go");
        finish(command.current_dir(env!("CARGO_MANIFEST_DIR")).env("PATH", path))
    };
    let none = check(user.0.join("nothing"));
    assert_eq!(none.code, Some(1), "{}", none.err);
    assert!(none.err.contains("Go is not installed") && none.err.contains("https://go.dev/dl"), "{}", none.err);

    let broken = check(tool(&user, "go", "echo './main.go:9: undefined: x' >&2; exit 1"));
    assert_eq!(broken.code, Some(1), "{}", broken.err);
    assert!(broken.err.contains("undefined: x") && broken.err.contains("does not compile"), "{}", broken.err);
    let undo = "git checkout -- lessons/break/go/exercises/02_tombstone/main.go";
    assert!(packed(&broken.err).contains(&packed(undo)), "{}", broken.err);
}

#[test]
#[cfg(unix)]
fn watch_judges_each_saved_change_until_the_program_is_right() {
    let user = User::new("watch");
    let clone = user.0.join("clone");
    let folders = ["exercises", "solutions"].map(|folder| clone.join("lessons/break").join(folder));
    for folder in &folders {
        fs::create_dir_all(folder).unwrap();
        fs::write(folder.join("01_updates.rs"), "broken\n").unwrap();
    }
    fs::write(clone.join("lessons/break/Cargo.toml"), "").unwrap();
    // This cargo is the learner, too: after the first verdict it saves a program that does not compile, then a right one.
    let script = "program=lessons/break/exercises/01_updates.rs
case $(cat $program) in
broken) echo torn >$program; exit 60 ;;
torn) echo fixed >$program; exit 101 ;;
esac";
    let cargo = tool(&user, "cargo", script).join("cargo");
    let ran = finish(user.command("check updates --watch").current_dir(&clone).env("CARGO", cargo));
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert_eq!(ran.out.matches("01_updates: ").count(), 3, "{}", ran.out);
    assert_eq!(ran.out.matches("informer-lab break updates --hint").count(), 1, "{}", ran.out);
    assert_eq!(ran.err.matches("do not compile").count(), 1, "{}", ran.err);
    assert_eq!(ran.err.matches("as soon as it is saved").count(), 2, "{}", ran.err);
    assert!(ran.out.contains("1/10"), "{}", ran.out);
}
