//! `--help` in the user's language: clap's texts, an example for each lesson, and the lesson's chapter of the book.

use std::ffi::OsString;

use clap::builder::StyledStr;
use clap::{Arg, Command, CommandFactory};
use informer_lab::lessons::{lessons, rows};
use informer_lab::trace::Lang;

use super::args::Cli;
use super::chinese;

/// Renders the help of the subcommand that the command line names, or of the whole program.
pub fn help(args: &[OsString], lang: Lang) -> StyledStr {
    let mut command = command(lang);
    let long = args.iter().any(|arg| arg == "--help" || arg == "help");
    let words = args.iter().skip(1).filter(|arg| *arg != "help");
    let name = words.filter_map(|arg| command.find_subcommand(arg)).map(|found| found.get_name().to_owned()).next();
    let subcommand = name.as_ref().and_then(|name| command.find_subcommand_mut(name));
    let shown = match subcommand {
        Some(subcommand) => subcommand,
        None => &mut command,
    };
    let shown = if long { shown.render_long_help() } else { shown.render_help() };
    match lang {
        Lang::En => shown,
        Lang::Zh => wide_colons(&shown),
    }
}

/// Replaces the English colon that clap writes after each heading, and the two headings that clap does not let us
/// translate.
fn wide_colons(help: &StyledStr) -> StyledStr {
    let colons =
        |text: String, (heading, chinese): (&str, &str)| text.replace(&format!("{heading}:"), &format!("{chinese}："));
    let ours = chinese::HEADINGS.iter().map(|heading| (*heading, *heading));
    ours.chain(chinese::HEADINGS_OF_CLAP).fold(help.ansi().to_string(), colons).into()
}

/// The examples of subcommands that are not lessons.
const EXAMPLES: [(&str, &str); 2] = [
    ("cluster", "informer-lab cluster -- go test ./..."),
    ("envtest", "KUBEBUILDER_ASSETS=$(informer-lab envtest) go test ./..."),
];

/// Builds clap's command with all its texts in one language.
pub fn command(lang: Lang) -> Command {
    let mut command = Cli::command();
    command.build();
    for row in lessons() {
        let about = lang.pick(row.en, row.zh);
        let below = lines_below(row.command, lang);
        command = command.mut_subcommand(row.command, |lesson| lesson.about(about).after_help(below));
    }
    for (name, example) in EXAMPLES {
        let after = [example_word(lang), example].concat();
        command = command.mut_subcommand(name, |subcommand| subcommand.after_help(after));
    }
    match lang {
        Lang::En => command,
        Lang::Zh => in_chinese(command),
    }
}

fn example_word(lang: Lang) -> &'static str {
    lang.pick("Example: ", "例子：   ")
}

/// Returns the lines below a lesson's help: an example and the lesson's chapters.
fn lines_below(lesson: &str, lang: Lang) -> String {
    let runs: Vec<_> = rows().filter(|row| row.lesson_name() == lesson).collect();
    let mut chapters: Vec<_> = runs.iter().map(|row| row.chapter).collect();
    chapters.dedup();
    let example = runs.last().map_or(lesson, |row| row.command);
    let read =
        chapters.iter().map(|chapter| format!("informer-lab read {chapter}")).collect::<Vec<_>>().join("\n         ");
    let (example_word, chapter_word) = (example_word(lang), lang.pick("Chapter: ", "章节：   "));
    format!("{example_word}informer-lab {example}\n{chapter_word}{read}")
}

fn in_chinese(command: Command) -> Command {
    let names: Vec<_> = command.get_subcommands().map(|found| found.get_name().to_owned()).collect();
    let command = names.into_iter().fold(translated(command), |command, name| command.mut_subcommand(name, translated));
    command.about(chinese::ABOUT).long_about(None::<&str>)
}

fn translated(command: Command) -> Command {
    let name = command.get_name().to_owned();
    let about = chinese::about(&name);
    let command = match about {
        Some(about) => command.about(about).long_about(None::<&str>),
        None => command,
    };
    command
        .help_template("{about}\n\n用法：{usage}\n\n{all-args}{after-help}\n")
        .subcommand_help_heading(chinese::COMMANDS)
        .mut_args(|arg| translated_arg(&name, arg))
}

/// Replaces the text of an option. clap would add its values and default in English, so they are added here.
fn translated_arg(subcommand: &str, arg: Arg) -> Arg {
    let arg = match arg.get_help_heading().map(chinese::heading) {
        Some(heading) => arg.help_heading(heading),
        None => arg,
    };
    let Some(help) = chinese::option(subcommand, arg.get_id().as_str()) else { return arg };
    let values: Vec<_> = arg.get_possible_values().iter().map(|value| value.get_name().to_owned()).collect();
    let defaults: Vec<_> = arg.get_default_values().iter().map(|value| value.display().to_string()).collect();
    let mut help = help.to_owned();
    let takes_values = arg.get_action().takes_values();
    if takes_values && !values.is_empty() {
        help.push_str(&format!("（可选：{}）", values.join("、")));
    }
    if takes_values && !defaults.is_empty() {
        help.push_str(&format!("（默认：{}）", defaults.join(" ")));
    }
    arg.help(help).long_help(None::<&str>).hide_possible_values(true).hide_default_value(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_option_and_subcommand_has_a_chinese_text() {
        let command = command(Lang::En);
        for subcommand in command.get_subcommands() {
            let name = subcommand.get_name();
            let is_lesson = lessons().any(|row| row.command == name);
            assert!(is_lesson || name == "help" || chinese::about(name).is_some(), "{name}");
            for arg in subcommand.get_arguments().filter(|_| name != "help") {
                let id = arg.get_id().as_str();
                assert!(chinese::option(name, id).is_some(), "{name} {id}");
            }
        }
    }

    #[test]
    fn an_option_of_cluster_with_another_meaning_has_another_text() {
        let ids = ["listen", "era"];
        assert!(ids.iter().all(|id| chinese::option("cluster", id) != chinese::option("reflector", id)));
    }

    #[test]
    fn help_names_the_chapter_and_an_example() {
        let args = ["informer-lab", "reflector", "--help"].map(OsString::from);
        let english = help(&args, Lang::En).to_string();
        assert!(english.contains("Example: informer-lab reflector --known-objects"), "{english}");
        assert!(english.contains("informer-lab read 04-reflector"), "{english}");
        let chinese = help(&args, Lang::Zh).to_string();
        assert!(chinese.contains("用法：") && !chinese.contains("Usage"), "{chinese}");
        for (name, example) in EXAMPLES {
            let args = ["informer-lab", name, "--help"].map(OsString::from);
            assert!(help(&args, Lang::Zh).to_string().ends_with(&format!("例子：   {example}\n")), "{name}");
        }
    }
}
