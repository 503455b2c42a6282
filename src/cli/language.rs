//! The texts of `--help` in one language. The doc comment of an option or a subcommand is the source of both languages:
//! its English paragraphs come first, and the Chinese ones stand below, so that a change of one is made beside the other.
//! A value of an option has a line in each language and the attribute `verbatim_doc_comment`, because clap takes only the
//! first paragraph of a value.

use clap::builder::{PossibleValuesParser, Resettable, StyledStr};
use clap::{Arg, Command};
use informer_lab::trace::{Both, Lang};

/// Returns a text in the form of a doc comment in both languages.
pub fn paragraphs(text: Both) -> String {
    format!("{}\n\n{}", text.en, text.zh)
}

/// Keeps the texts of one language in a command and its subcommands. The command has to be built, because the options of
/// subcommands are deferred until then. A text that has no Chinese part stays as it is.
pub fn in_language(command: Command, lang: Lang) -> Command {
    let text = Text::of(command.get_about(), command.get_long_about(), lang);
    let command = match text {
        Some(Text { short, long }) => command.about(short).long_about(long),
        None => command,
    };
    command.mut_args(|arg| arg_in_language(arg, lang)).mut_subcommands(|subcommand| in_language(subcommand, lang))
}

fn arg_in_language(arg: Arg, lang: Lang) -> Arg {
    let mut values = arg.get_possible_values();
    let mut translated = false;
    for value in &mut values {
        if let Some(Text { short, .. }) = Text::of(value.get_help(), None, lang) {
            *value = value.clone().help(short);
            translated = true;
        }
    }
    // The command only renders help, so its values need not be parsed to their own types.
    let arg = if translated { arg.value_parser(PossibleValuesParser::new(values)) } else { arg };
    match Text::of(arg.get_help(), arg.get_long_help(), lang) {
        Some(Text { short, long }) => arg.help(short).long_help(long),
        None => arg,
    }
}

/// A text of help in one language.
struct Text {
    short: String,
    /// All paragraphs; nothing if there is only one.
    long: Resettable<StyledStr>,
}

impl Text {
    /// Keeps the paragraphs of one language. Returns `None` if the text is in English alone.
    fn of(short: Option<&StyledStr>, long: Option<&StyledStr>, lang: Lang) -> Option<Self> {
        let text = long.or(short)?.to_string();
        let (chinese, english): (Vec<_>, Vec<_>) =
            text.lines().filter(|line| !line.is_empty()).partition(|line| is_chinese(line));
        if chinese.is_empty() {
            return None;
        }
        let kept: Vec<_> = match lang {
            Lang::En => english.into_iter().map(str::to_owned).collect(),
            Lang::Zh => chinese.into_iter().map(joined).collect(),
        };
        let first = kept.first()?;
        // clap drops the full stop of a short text, and has no long one for a doc comment of one paragraph.
        let short = first.strip_suffix(['.', '。']).unwrap_or(first).to_owned();
        let long = if kept.len() > 1 { Resettable::Value(kept.join("\n\n").into()) } else { Resettable::Reset };
        Some(Self { short, long })
    }
}

/// Returns true if a paragraph is in Chinese. Every Chinese paragraph has a Chinese character, and no English one has.
pub fn is_chinese(paragraph: &str) -> bool {
    paragraph.contains(is_han)
}

fn is_han(character: char) -> bool {
    ('\u{4e00}'..='\u{9fff}').contains(&character)
}

/// Removes the spaces by which clap joins the lines of a paragraph where Chinese has none: between two Chinese
/// characters, and beside Chinese punctuation.
fn joined(paragraph: &str) -> String {
    let is_punctuation = |character: char| !character.is_ascii() && !is_han(character);
    let characters: Vec<_> = paragraph.chars().collect();
    let stays = |index: usize| match index.checked_sub(1).and_then(|first| characters.get(first..=index + 1)) {
        Some(&[before, ' ', after]) => {
            !(is_punctuation(before) || is_punctuation(after) || is_han(before) && is_han(after))
        }
        _ => true,
    };
    (0..characters.len()).filter(|index| stays(*index)).map(|index| characters[index]).collect()
}

#[cfg(test)]
mod tests {
    use clap::{CommandFactory, Parser, ValueEnum};

    use super::*;

    /// A program.
    ///
    /// With a second paragraph.
    ///
    /// 一个程序。
    ///
    /// 还有第二
    /// 段，
    /// 用来测试 two
    /// words。
    #[derive(Parser)]
    struct Program {
        /// How loud.
        ///
        /// 多响
        #[arg(long, value_enum)]
        _loud: Option<Loud>,
        /// In English alone.
        #[arg(long)]
        _other: Option<String>,
    }

    #[derive(Clone, ValueEnum)]
    enum Loud {
        /// Very.
        /// 很响
        #[value(verbatim_doc_comment)]
        Very,
    }

    fn program(lang: Lang) -> Command {
        let mut command = Program::command();
        command.build();
        in_language(command, lang)
    }

    /// Returns the texts of the program, of its first option and of that option's value.
    fn texts(command: &Command) -> [Option<String>; 5] {
        let text = |text: Option<&StyledStr>| text.map(ToString::to_string);
        let loud = command.get_arguments().find(|arg| arg.get_id() == "_loud").unwrap();
        [
            text(command.get_about()),
            text(command.get_long_about()),
            text(loud.get_help()),
            text(loud.get_long_help()),
            text(loud.get_possible_values()[0].get_help()),
        ]
    }

    #[test]
    fn english_is_as_if_there_were_no_chinese() {
        let long = "A program.\n\nWith a second paragraph.";
        let expected = [Some("A program"), Some(long), Some("How loud"), None, Some("Very")];
        assert_eq!(texts(&program(Lang::En)), expected.map(|text| text.map(str::to_owned)));
    }

    #[test]
    fn chinese_has_no_spaces_where_lines_are_joined() {
        let long = "一个程序。\n\n还有第二段，用来测试 two words。";
        let expected = [Some("一个程序"), Some(long), Some("多响"), None, Some("很响")];
        assert_eq!(texts(&program(Lang::Zh)), expected.map(|text| text.map(str::to_owned)));
    }

    #[test]
    fn a_text_in_english_alone_stays() {
        for lang in [Lang::En, Lang::Zh] {
            let command = program(lang);
            let other = command.get_arguments().find(|arg| arg.get_id() == "_other").unwrap();
            assert_eq!(other.get_help().unwrap().to_string(), "In English alone");
        }
    }
}
