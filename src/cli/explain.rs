//! Usage errors: clap's, with advice that clap cannot give, and our own, in the user's language.

use std::error::Error as _;
use std::ffi::OsString;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Command, CommandFactory, Error};
use informer_lab::book;
use informer_lab::trace::{Lang, Words};

use super::args::Cli;

/// The reason that a command line is not carried out: a usage error, or a request for help or the version.
#[derive(Debug)]
pub struct UsageError {
    pub error: Error,
    /// The sentence in both languages, if this program found the error and not clap.
    ours: Option<Words>,
}

impl From<Error> for UsageError {
    fn from(error: Error) -> Self {
        Self { error, ours: None }
    }
}

/// Returns an error on options that do not fit together, with the usage of this subcommand.
pub fn conflict(subcommand: &str, words: impl Into<Words>) -> UsageError {
    usage_error(subcommand, ErrorKind::ArgumentConflict, words.into())
}

/// Returns an error of our own in the form of clap's errors, with the usage of this subcommand.
fn usage_error(subcommand: &str, kind: ErrorKind, words: Words) -> UsageError {
    let mut command = Cli::command();
    command.build();
    let of_subcommand = command.find_subcommand_mut(subcommand).expect("the subcommand is one of ours");
    UsageError { error: of_subcommand.error(kind, &words), ours: Some(words) }
}

/// Rewords clap's error on a first word that is no subcommand, with tips on what may be meant. Returns any other error
/// as it is.
pub fn unknown_command(usage: UsageError) -> UsageError {
    let name = usage.context(ContextKind::InvalidSubcommand);
    if usage.error.kind() != ErrorKind::InvalidSubcommand || name.is_empty() {
        return usage;
    }
    let similar = match usage.error.get(ContextKind::SuggestedSubcommand) {
        Some(ContextValue::String(one)) => vec![one.as_str()],
        Some(ContextValue::Strings(several)) => several.iter().rev().map(String::as_str).collect(), // the best is last
        _ => Vec::new(),
    };
    let meant = |between: &str| similar.join(between);
    let (mut en, mut zh) = (Vec::new(), Vec::new());
    if !similar.is_empty() {
        en.push(format!("did you mean {}?", meant(" or ")));
        zh.push(format!("是不是想写 {}？", meant("、")));
    } else if book::has_word(&name) {
        en.push(format!("informer-lab read {name} finds the word in the book;"));
        zh.push(format!("informer-lab read {name} 在书里查这个词；"));
    }
    en.push("informer-lab lessons lists the lessons, and informer-lab --help all commands".to_owned());
    zh.push("informer-lab lessons 列出课程，informer-lab --help 列出全部命令".to_owned());
    let words = Words::from((
        format!("there is no lesson or command {name}\n  next: {}", en.join(" ")),
        format!("没有课程或命令 {name}\n  下一步：{}", zh.concat()),
    ));
    UsageError { error: Cli::command().error(ErrorKind::InvalidSubcommand, &words), ours: Some(words) }
}

/// Returns an error on a missing argument that clap does not notice.
pub fn missing(subcommand: &str, words: impl Into<Words>) -> UsageError {
    usage_error(subcommand, ErrorKind::MissingRequiredArgument, words.into())
}

/// Adds advice to an error of clap: on an option in the wrong place, a chapter's number without `read`, or a command
/// without `--`.
pub fn explain(error: Error, args: &[OsString]) -> UsageError {
    match explanation(&error, args) {
        Some((subcommand, words)) => usage_error(&subcommand, ErrorKind::UnknownArgument, words),
        None => error.into(),
    }
}

/// Returns the advice on an error of clap, with the subcommand that it is about; `None` if clap's own message suffices.
fn explanation(error: &Error, args: &[OsString]) -> Option<(String, Words)> {
    if let Some(ContextValue::String(number)) = error.get(ContextKind::InvalidSubcommand)
        && book::numbered(number).is_some()
    {
        let words = (
            format!("{number} is no subcommand; a chapter is shown by informer-lab read {number}"),
            format!("没有子命令 {number}；要读这一章，请用 informer-lab read {number}"),
        );
        return Some(("read".to_owned(), words.into()));
    }
    let Some(ContextValue::String(argument)) = error.get(ContextKind::InvalidArg) else {
        return None;
    };
    if error.kind() != ErrorKind::UnknownArgument {
        return None;
    }
    let mut command = Cli::command();
    command.build();
    let takers: Vec<_> =
        command.get_subcommands().filter(|command| takes(command, argument)).map(Command::get_name).collect();
    let subcommand = args.iter().skip(1).find_map(|arg| command.find_subcommand(arg))?;
    let name = subcommand.get_name().to_owned();
    let words = match argument.strip_prefix("--") {
        None if takes(subcommand, &format!("--{argument}")) => {
            (format!("{argument} is an option: write --{argument}"), format!("{argument} 是选项：请写成 --{argument}"))
        }
        Some(_) if takes(subcommand, argument) => (
            format!("{argument} goes after the lesson: informer-lab {name} {argument}"),
            format!("{argument} 要写在课程后面：informer-lab {name} {argument}"),
        ),
        None if name == "cluster" && !argument.starts_with('-') => (
            format!("a command comes after two hyphens: informer-lab cluster -- {argument}"),
            format!("要运行的命令写在两个连字符之后：informer-lab cluster -- {argument}"),
        ),
        Some(_) if !takers.is_empty() => not_accepted(&name, argument, &takers),
        _ => return None,
    };
    Some((name, words.into()))
}

impl UsageError {
    /// Returns the error as Chinese lines for standard error. clap's own sentences exist only in English, so each kind
    /// of error is worded again here.
    pub fn in_chinese(&self) -> String {
        let sentence = self.ours.as_ref().map_or_else(|| self.clap_sentence(), |words| words.pick(Lang::Zh).to_owned());
        let mut text = format!("错误：{sentence}\n");
        let suggested = [ContextKind::SuggestedSubcommand, ContextKind::SuggestedArg, ContextKind::SuggestedValue];
        for suggestion in suggested.map(|kind| self.context(kind)).into_iter().filter(|text| !text.is_empty()) {
            text.push_str(&format!("  下一步：是不是想写 {suggestion}？\n"));
        }
        let values = self.context(ContextKind::ValidValue);
        if !values.is_empty() {
            text.push_str(&format!("  可选：{values}\n"));
        }
        if let Some(usage) = self.error.to_string().split("Usage: ").nth(1).and_then(|usage| usage.lines().next()) {
            text.push_str(&format!("\n用法：{usage}\n"));
        }
        text + "\n加 --help 查看说明。\n"
    }

    fn clap_sentence(&self) -> String {
        let [argument, value] = [ContextKind::InvalidArg, ContextKind::InvalidValue].map(|kind| self.context(kind));
        match self.error.kind() {
            ErrorKind::InvalidSubcommand => format!("没有子命令 {}", self.context(ContextKind::InvalidSubcommand)),
            ErrorKind::UnknownArgument => format!("不认识参数 {argument}"),
            ErrorKind::InvalidValue if value.is_empty() => format!("{argument} 后面要有一个值"),
            ErrorKind::InvalidValue => format!("{argument} 的值 {value} 无效"),
            ErrorKind::ValueValidation => {
                let why = self.error.source();
                let why = why.map(|why| match why.downcast_ref::<Words>() {
                    Some(words) => words.pick(Lang::Zh).to_owned(),
                    None => why.to_string(),
                });
                format!("{argument} 的值 {value} 无效：{}", why.unwrap_or_default())
            }
            ErrorKind::MissingRequiredArgument => format!("缺少参数 {argument}"),
            ErrorKind::ArgumentConflict => {
                format!("{argument} 不能和 {} 一起用", self.context(ContextKind::PriorArg))
            }
            ErrorKind::TooManyValues | ErrorKind::WrongNumberOfValues => format!("{argument} 的值太多"),
            _ => self.error.to_string().lines().next().unwrap_or_default().trim_start_matches("error: ").to_owned(),
        }
    }

    /// Returns a part of clap's error as text, empty if the error has no such part.
    fn context(&self, kind: ContextKind) -> String {
        match self.error.get(kind) {
            Some(ContextValue::String(text)) => text.clone(),
            Some(ContextValue::Strings(texts)) => texts.join("、"),
            _ => String::new(),
        }
    }
}

/// Returns the sentence on an option that only other subcommands have.
fn not_accepted(name: &str, argument: &str, takers: &[&str]) -> (String, String) {
    const NAMED: usize = 3;
    let (en, zh) = match takers {
        [one] => (format!("{one} does"), (*one).to_owned()),
        [first @ .., last] if takers.len() <= NAMED => {
            (format!("{} and {last} do", first.join(", ")), takers.join("、"))
        }
        _ => (
            format!("{} and {} others do", takers[..NAMED].join(", "), takers.len() - NAMED),
            format!("{} 等", takers[..NAMED].join("、")),
        ),
    };
    (format!("{name} doesn't accept {argument}; {en}"), format!("{name} 不接受 {argument}；接受它的是 {zh}"))
}

fn takes(subcommand: &Command, option: &str) -> bool {
    option.strip_prefix("--").is_some_and(|long| subcommand.get_arguments().any(|arg| arg.get_long() == Some(long)))
}
