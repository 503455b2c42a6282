//! `--help` in the user's language: the texts of the doc comments, an example for each lesson, and the lesson's chapter of
//! the book.

use std::ffi::OsString;

use clap::builder::StyledStr;
use clap::{Arg, Command, CommandFactory};
use informer_lab::lessons::{lessons, rows};
use informer_lab::trace::Lang;

use super::args::Cli;
use super::chinese;
use super::language::in_language;

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
        Lang::Zh => with_chinese_words(&shown),
    }
}

/// Replaces clap's words that cannot be set, and the English colon that clap writes after each heading of ours.
fn with_chinese_words(help: &StyledStr) -> StyledStr {
    let help = chinese::replaced(&help.ansi().to_string(), &chinese::WORDS_OF_HELP);
    let wide = |text: String, (_, heading)| text.replace(&format!("{heading}:"), &format!("{heading}："));
    chinese::HEADINGS.into_iter().fold(help, wide).into()
}

/// The examples of subcommands that are not lessons.
const EXAMPLES: [(&str, &str); 2] = [
    ("cluster", "informer-lab cluster -- go test ./..."),
    ("envtest", "KUBEBUILDER_ASSETS=$(informer-lab envtest) go test ./..."),
];

/// Builds clap's command with all its texts in one language.
pub fn command(lang: Lang) -> Command {
    localized(Cli::command(), lang)
}

/// Builds a command that was made of [`Cli`], with all its texts in one language: those of the doc comments, each
/// lesson's description in the catalog, and the examples.
pub fn localized(mut command: Command, lang: Lang) -> Command {
    command.build();
    let mut command = in_language(command, lang);
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
    chapters.sort_unstable();
    chapters.dedup();
    let example = runs.last().map_or(lesson, |row| row.command);
    let read =
        chapters.iter().map(|chapter| format!("informer-lab read {chapter}")).collect::<Vec<_>>().join("\n         ");
    let (example_word, chapter_word) = (example_word(lang), lang.pick("Chapter: ", "章节：   "));
    format!("{example_word}informer-lab {example}\n\n{chapter_word}{read}") // a manual page joins neighbouring lines
}

/// Translates the headings of a command and its subcommands, and the options that clap adds.
fn in_chinese(command: Command) -> Command {
    translated(command).mut_subcommands(translated)
}

fn translated(command: Command) -> Command {
    let command = match command.get_name() {
        "help" => command.about(chinese::HELP),
        _ => command,
    };
    command
        .help_template("{about}\n\n用法：{usage}\n\n{all-args}{after-help}\n")
        .subcommand_help_heading(chinese::COMMANDS)
        .mut_args(translated_arg)
}

fn translated_arg(arg: Arg) -> Arg {
    let arg = match arg.get_help_heading().and_then(chinese::heading) {
        Some(heading) => arg.help_heading(heading),
        None => arg,
    };
    match chinese::option_of_clap(arg.get_id().as_str()) {
        Some(help) => arg.help(help).long_help(None::<&str>),
        None => arg,
    }
}

#[cfg(test)]
mod tests {
    use super::super::language::is_chinese;
    use super::*;

    /// Returns all texts of a command and its subcommands, each with the name of what it describes. The subcommand
    /// `help` and the options that clap adds are left out, and so are the names of shells, which need no text.
    fn texts(command: &Command) -> Vec<(String, String)> {
        let text = |text: Option<&StyledStr>| text.map(ToString::to_string).unwrap_or_default();
        let name = command.get_name();
        let mut all = vec![(name.to_owned(), text(command.get_long_about().or(command.get_about())))];
        for arg in command.get_arguments().filter(|arg| chinese::option_of_clap(arg.get_id().as_str()).is_none()) {
            let id = arg.get_id();
            all.push((format!("{name} {id}"), text(arg.get_long_help().or(arg.get_help()))));
            let values = arg.get_possible_values().into_iter().filter(|_| id != "shell");
            all.extend(values.map(|value| (format!("{name} {id} {}", value.get_name()), text(value.get_help()))));
        }
        let subcommands = command.get_subcommands().filter(|subcommand| subcommand.get_name() != "help");
        all.extend(subcommands.flat_map(texts));
        all
    }

    /// Returns the headings under which the help of a command and its subcommands lists options.
    fn headings(command: &Command) -> Vec<String> {
        let own = command.get_arguments().filter_map(|arg| arg.get_help_heading()).map(str::to_owned);
        own.chain(command.get_subcommands().flat_map(headings)).collect()
    }

    /// Returns for each paragraph of a text whether it is in Chinese.
    fn languages(text: &str) -> Vec<bool> {
        text.lines().filter(|line| !line.is_empty()).map(is_chinese).collect()
    }

    #[test]
    fn every_subcommand_option_argument_value_and_heading_has_a_text_in_both_languages() {
        let mut command = Cli::command();
        command.build();
        // A lesson's own description is in the catalog, where each row has both languages.
        let texts = texts(&command).into_iter().filter(|(name, _)| !lessons().any(|row| row.command == name));
        let headings = headings(&command).into_iter().map(|english| {
            let chinese = chinese::heading(&english).unwrap_or_default();
            (format!("heading {english}"), format!("{english}\n{chinese}"))
        });
        let in_both = |text: &str| {
            let languages = languages(text);
            languages.first() == Some(&false) && languages.last() == Some(&true) && languages.is_sorted()
        };
        let missing: Vec<_> = texts.chain(headings).filter(|(_, text)| !in_both(text)).collect();
        assert!(missing.is_empty(), "{missing:?}");
    }

    #[test]
    fn no_text_begins_with_a_question_word() {
        let texts = texts(&command(Lang::En));
        let asks = |text: &str| {
            let first = text.split_whitespace().next().unwrap_or_default();
            ["What", "Who", "Which", "Where", "When", "Whether", "How", "Is"].contains(&first)
        };
        let asking: Vec<_> = texts.iter().filter(|(_, text)| asks(text)).collect();
        assert!(asking.is_empty(), "{asking:?}");
    }

    #[test]
    fn help_has_the_texts_of_one_language() {
        for lang in [Lang::En, Lang::Zh] {
            let of_lang = |text: &str| {
                let languages = languages(text);
                !languages.is_empty() && languages.into_iter().all(|chinese| chinese == (lang == Lang::Zh))
            };
            let command = command(lang);
            let headings = headings(&command).into_iter().map(|heading| ("heading".to_owned(), heading));
            let wrong: Vec<_> =
                texts(&command).into_iter().chain(headings).filter(|(_, text)| !of_lang(text)).collect();
            assert!(wrong.is_empty(), "{wrong:?}");
        }
    }

    #[test]
    fn chinese_help_says_what_the_english_says() {
        let help = |line: &str| {
            let args: Vec<_> = line.split(' ').map(OsString::from).collect();
            let help = help(&args, Lang::Zh).to_string();
            help.split_whitespace().collect::<Vec<_>>().join(" ") // whatever the width of the terminal
        };
        for (line, expected) in [
            ("informer-lab indexer --help", "GET /?app=VALUE [默认地址：127.0.0.1:8080]"),
            ("informer-lab factory --help", "GET / [默认地址：127.0.0.1:4000]"),
            ("informer-lab deltafifo --help", "- pop: 取出一个 key"),
            ("informer-lab deltafifo --help", "教程的哪一步 可选： - values: 第一个 key"),
            ("informer-lab deltafifo --help", "[默认：values]"),
            ("informer-lab deltafifo -h", "[可选：values, list, pop, events, callbacks]"),
            ("informer-lab reflector --help", "和 --follow 一样，运行会一直继续"),
            ("informer-lab cluster --help", "[默认：127.0.0.1:0]"),
        ] {
            assert!(help(line).contains(expected), "{line}: {expected}\n{}", help(line));
        }
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
