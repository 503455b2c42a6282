//! Completions for shells. `informer-lab completions bash` prints a script that starts the program again at each TAB,
//! with the words before the cursor. So values complete too, such as the names of chapters, and the descriptions that
//! zsh and fish show are in the user's language.

use std::env;
use std::ffi::{OsStr, OsString};

use anyhow::Result;
use clap::{Command, CommandFactory};
use clap_complete::engine::ValueCompleter;
use clap_complete::env::Shells;
use clap_complete::{CompleteEnv, CompletionCandidate, PathCompleter, Shell};
use informer_lab::console::Ended;
use informer_lab::lessons::lessons;
use informer_lab::lessons::tour::learners_stops;
use informer_lab::trace::{Both, Lang, Printer};
use informer_lab::{book, exercises};
use kube_testcluster::{ControllerName, Effect, Stages};

use super::args::Cli;
use super::help::localized;

/// The environment variable by which a shell's script asks for candidates. Its value is the shell's name.
const VARIABLE: &str = "INFORMER_LAB_COMPLETE";

const PROGRAM: &str = "informer-lab";

/// The subcommands that take a lesson with its options.
const WITH_A_LESSON: [&str; 3] = ["step", "board", "eras"];

/// The function that clap_complete's script registers in bash.
const FUNCTION_OF_BASH: &str = "_clap_complete_informer_lab";

/// A function around [`FUNCTION_OF_BASH`]. bash makes the sign in `--stages=crash` a word of its own, and clap_complete
/// would take it for the value. This function leaves the sign out.
const WITHOUT_EQUALS_SIGNS: &str = r#"
_informer_lab() {
    local word words=() last=${COMP_WORDS[COMP_CWORD]}
    for word in "${COMP_WORDS[@]:0:COMP_CWORD}"; do
        [[ $word == = ]] || words+=("$word")
    done
    local COMP_CWORD=${#words[@]} COMP_WORDS=("${words[@]}" "$last")
    _clap_complete_informer_lab "$@"
}
"#;

/// Answers the first TAB if the script is a file in zsh's `fpath`. zsh reads such a file at that TAB, and the script
/// alone would answer only the next one.
const AUTOLOADED_BY_ZSH: &str =
    "[[ ${funcstack[1]-} != _informer-lab ]] || _clap_dynamic_completer_informer_lab \"$@\"\n";

/// Prints the candidates for the last word, and returns true, if a shell's script has started the program.
///
/// # Errors
/// The script is one of an unknown shell, or standard output cannot be written.
pub fn answered(args: &[OsString]) -> Result<bool, clap::Error> {
    let folder = env::current_dir().ok();
    let asked = CompleteEnv::with_factory(|| command(Lang::from_env())).var(VARIABLE);
    asked.try_complete(args.iter().cloned(), folder.as_deref())
}

/// Prints the script of a shell.
pub fn script(shell: Shell, printer: &Printer) -> Result<Ended> {
    let (shells, name) = (Shells::builtins(), shell.to_string());
    let adapter = shells.completer(&name).expect("clap_complete completes in each of its shells");
    let mut text = Vec::new();
    adapter.write_registration(VARIABLE, PROGRAM, PROGRAM, PROGRAM, &mut text)?;
    let text = String::from_utf8_lossy(&text);
    let text = match shell {
        Shell::Bash => text.replace(&format!("-F {FUNCTION_OF_BASH} "), "-F _informer_lab ") + WITHOUT_EQUALS_SIGNS,
        Shell::Zsh => format!("{text}{AUTOLOADED_BY_ZSH}"),
        _ => text.into_owned(),
    };
    Ended::from_write(printer.bytes(text.as_bytes()))
}

/// Builds the command whose words are completed. In it, each lesson is also a subcommand of the subcommands that take a
/// lesson, so that the lesson's options complete there.
fn command(lang: Lang) -> Command {
    let command = localized(Cli::command(), lang);
    let is_lesson = |command: &&Command| lessons().any(|row| row.command == command.get_name());
    let lessons: Vec<_> = command.get_subcommands().filter(is_lesson).cloned().collect();
    WITH_A_LESSON.into_iter().fold(command, |command, name| {
        command.mut_subcommand(name, |subcommand| subcommand.subcommands(lessons.clone()))
    })
}

/// The names of stages, and files.
pub fn stages(word: &OsStr) -> Vec<CompletionCandidate> {
    with_files(word, Stages::NAMES.map(CompletionCandidate::new))
}

/// The lessons without options, and files.
pub fn lesson_or_file(word: &OsStr) -> Vec<CompletionCandidate> {
    with_files(word, lessons().map(|row| described(row.command, Both { en: row.en, zh: row.zh })))
}

/// The chapters, and the lessons that have no chapter of the same name.
pub fn chapters() -> Vec<CompletionCandidate> {
    let titled = |chapter: &book::Chapter| {
        let title = Both { en: chapter.title(chapter.en()), zh: chapter.title(chapter.zh()) };
        described(chapter.slug(), title)
    };
    let others = lessons().filter(|row| book::all().all(|chapter| chapter.slug() != row.command));
    book::all().map(titled).chain(others.map(|row| described(row.command, Both { en: row.en, zh: row.zh }))).collect()
}

/// The numbers of the tour's stops, the lessons with a stop, and the word for the stop at which the reader left.
pub fn stops() -> Vec<CompletionCandidate> {
    let stops = learners_stops();
    let numbers = stops.iter().enumerate().map(|(index, row)| {
        let number = index + 1;
        CompletionCandidate::new(number.to_string()).help(Some(row.command.into())).display_order(Some(number))
    });
    let lessons = lessons().filter(|lesson| stops.iter().any(|stop| stop.lesson_name() == lesson.command));
    let names = lessons.map(|row| described(row.command, Both { en: row.en, zh: row.zh }));
    numbers.chain(names).chain(["resume".into()]).collect()
}

pub fn exercise_names() -> Vec<CompletionCandidate> {
    exercises::ALL.iter().map(|exercise| described(exercise.name, exercise.title)).collect()
}

pub fn faults() -> Vec<CompletionCandidate> {
    Effect::names().map(CompletionCandidate::new).collect()
}

/// The values of `--controllers`. After a comma, only names of controllers can follow, each once.
pub fn controllers(word: &OsStr) -> Vec<CompletionCandidate> {
    let word = word.to_string_lossy();
    let (chosen, last) = match word.rfind(',') {
        Some(comma) => word.split_at(comma + 1),
        None => ("", &*word),
    };
    let groups: &[&str] = if chosen.is_empty() { &["all", "housekeeping", "none"] } else { &[] };
    let controllers = ControllerName::ALL.into_iter().map(ControllerName::name);
    let controllers = controllers.filter(|name| !chosen.split(',').any(|chosen| chosen == *name));
    let names = groups.iter().copied().chain(controllers).filter(|name| name.starts_with(last));
    names.map(|name| CompletionCandidate::new(format!("{chosen}{name}"))).collect()
}

/// The only value of `--speed` that is a word.
pub fn speeds() -> Vec<CompletionCandidate> {
    vec!["max".into()]
}

/// The only value of `--seed` that is a word.
pub fn seeds() -> Vec<CompletionCandidate> {
    vec!["random".into()]
}

fn described(name: &str, text: Both) -> CompletionCandidate {
    CompletionCandidate::new(name).help(Some(Lang::from_env().pick(text.en, text.zh).to_owned().into()))
}

/// Returns the candidates that begin with the word, and the files whose paths do.
fn with_files(word: &OsStr, all: impl IntoIterator<Item = CompletionCandidate>) -> Vec<CompletionCandidate> {
    let begins =
        |candidate: &CompletionCandidate| candidate.get_value().as_encoded_bytes().starts_with(word.as_encoded_bytes());
    all.into_iter().filter(begins).chain(PathCompleter::file().complete(word)).collect()
}

#[cfg(test)]
mod tests {
    use clap_complete::engine::complete;
    use informer_lab::lessons::rows;
    use informer_lab::lessons::tour::find_stop;

    use super::*;

    /// Returns the candidates for the last word of a line.
    fn candidates(line: &str) -> Vec<String> {
        let words: Vec<_> = line.split(' ').map(OsString::from).collect();
        let last = words.len() - 1;
        let found = complete(&mut command(Lang::En), words, last, None).expect(line);
        found.iter().map(|candidate| candidate.get_value().to_string_lossy().into_owned()).collect()
    }

    #[test]
    fn subcommands_options_and_values_complete() {
        for (line, expected) in [
            ("informer-lab clu", vec!["cluster"]),
            ("informer-lab cluster --sta", vec!["--stages"]),
            ("informer-lab cluster --stages crash", vec!["crash-loop"]),
            ("informer-lab cluster --stages=crash", vec!["--stages=crash-loop"]),
            ("informer-lab reflector --stages slow", vec!["slow-image"]),
            ("informer-lab cluster --controllers d", vec!["deployment", "daemonset", "disruption"]),
            ("informer-lab cluster --controllers deployment,de", vec![]),
            ("informer-lab cluster --controllers deployment,replicas", vec!["deployment,replicaset"]),
            ("informer-lab cluster --fault drop", vec!["drop-watches"]),
            ("informer-lab cluster --authorization r", vec!["rbac"]),
            ("informer-lab reflector --lang ", vec!["en", "zh"]),
            ("informer-lab deltafifo --step p", vec!["pop"]),
            ("informer-lab read known", vec!["known-objects"]),
            ("informer-lab read gloss", vec!["glossary"]),
            ("informer-lab break st", vec!["stale"]),
            ("informer-lab break --in ", vec!["rust", "go"]),
            ("informer-lab completions z", vec!["zsh"]),
        ] {
            assert_eq!(candidates(line), expected, "{line}");
        }
    }

    #[test]
    fn a_lesson_after_another_subcommand_completes_with_its_options() {
        for name in WITH_A_LESSON {
            let all = candidates(&format!("informer-lab {name} "));
            assert!(lessons().all(|row| all.iter().any(|candidate| candidate == row.command)), "{name}: {all:?}");
            assert_eq!(candidates(&format!("informer-lab {name} reflector --known")), ["--known-objects"]);
        }
        assert_eq!(candidates("informer-lab board --beside relis"), ["relist"]);
    }

    #[test]
    fn every_lesson_and_every_stop_has_a_candidate() {
        for row in rows() {
            let name = row.command.split(' ').next().unwrap_or_default();
            assert!(candidates("informer-lab ").iter().any(|candidate| candidate == name), "{name}");
        }
        let stops: Vec<_> =
            candidates("informer-lab tour ").into_iter().filter(|word| !word.starts_with('-')).collect();
        assert!(stops.iter().all(|stop| stop == "resume" || find_stop(stop).is_ok()), "{stops:?}");
        assert!((1..=learners_stops().len()).all(|number| stops.contains(&number.to_string())), "{stops:?}");
        assert_eq!(candidates("informer-lab tour relis"), ["relist"]);
    }
}
