//! The subcommands that contain another command line: `step`, `board` and `eras` take a lesson with its options.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use informer_lab::lab::{Pace, Settings};

use informer_lab::trace::{Output, Words};

use super::args::{Cli, Command, ErasArgs, LookArgs, PrintArgs};
use super::check::{client_option, era_option};
use super::explain::{UsageError, conflict};
use super::lessons::LessonArgs;
use super::request::{RecordSource, Request, checked_settings, parse_cli};

/// Parses the words after the subcommand `by` (`step` or `board`) into a recorded file or a lesson. A first word that
/// names a file, or looks like a path, is taken as a file.
pub(super) fn parse_record_source(
    by: &str,
    args: &[OsString],
    words: &[OsString],
) -> Result<(LookArgs, RecordSource), UsageError> {
    let program = args.get(..1).unwrap_or_default();
    if let [file, options @ ..] = words
        && names_a_file(file)
    {
        let Cli { look, command } = parse_cli(&[program, options].concat())?;
        return match command {
            None => Ok((look, RecordSource::File(file.into()))),
            Some(_) => Err(one_at_a_time(by)),
        };
    }
    let parsed = parse_cli(&[program, words].concat());
    let Cli { look, command } = parsed.map_err(|error| unknown_lesson(error, by))?;
    let Some(Command::Lesson(lesson)) = command else {
        return Err(one_at_a_time(by));
    };
    let settings = checked_settings(&lesson)?;
    if settings.pace() == Pace::Live {
        let en = format!("{by} shows a run that ends: record a live one with --record, and give {by} the file");
        let zh = format!("{by} 只能显示会自己结束的运行：实时运行请先用 --record 录制，再对文件用 {by}");
        return Err(conflict(by, (en, zh)));
    }
    if prints_otherwise(&lesson.print) {
        let en = format!("{by} draws the run itself: remove --speed, --output, --record");
        return Err(conflict(by, (en, format!("{by} 自己画出运行过程：请去掉 --speed、--output、--record"))));
    }
    Ok((look, RecordSource::Lesson(lesson.run, settings)))
}

/// Returns true if a file of this name exists, or if the word looks like a path and so cannot be a lesson.
fn names_a_file(word: &OsString) -> bool {
    let text = word.to_string_lossy();
    !text.starts_with('-') && (PathBuf::from(word).is_file() || text.contains(['/', '.']))
}

/// Rewords clap's error on an unknown first word: the word should be a lesson, but clap reports it as an unknown
/// subcommand.
fn unknown_lesson(usage: UsageError, subcommand: &str) -> UsageError {
    let context = |kind| match usage.error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.clone()),
        Some(ContextValue::Strings(texts)) => texts.last().cloned(), // clap sorts the most similar name last
        _ => None,
    };
    let (ErrorKind::InvalidSubcommand, Some(name)) = (usage.error.kind(), context(ContextKind::InvalidSubcommand))
    else {
        return usage;
    };
    let (mut en, mut zh) = match subcommand {
        "step" | "board" => {
            (format!("there is no lesson {name}, and no file of that name"), format!("没有课程 {name}，也没有这个文件"))
        }
        _ => (format!("there is no lesson {name}"), format!("没有课程 {name}")),
    };
    if let Some(meant) = context(ContextKind::SuggestedSubcommand) {
        en.push_str(&format!(": did you mean {meant}?"));
        zh.push_str(&format!("，是不是想写 {meant}？"));
    }
    conflict(
        subcommand,
        (
            format!("{en}\n  next: informer-lab lessons lists them"),
            format!("{zh}\n  下一步：informer-lab lessons 列出所有课程"),
        ),
    )
}

/// Returns the error for words that name no lesson, or a record and a lesson.
fn one_at_a_time(by: &str) -> UsageError {
    let en = format!("{by} shows one lesson or one record: add its name");
    conflict(by, (en, format!("{by} 显示一课或一个记录：请写上课程名或文件名")))
}

/// Returns true if an option on a run's output was given.
fn prints_otherwise(print: &PrintArgs) -> bool {
    print.speed.is_some() || print.output != Output::Text || print.record.is_some()
}

/// Parses the lesson after `eras`, which then runs in both eras.
pub(super) fn parse_eras(args: &[OsString], eras: &ErasArgs) -> Result<(LookArgs, Request), UsageError> {
    let program = args.get(..1).unwrap_or_default();
    let parsed = parse_cli(&[program, &eras.words].concat());
    let Cli { look, command } = parsed.map_err(|error| unknown_lesson(error, "eras"))?;
    let Some(Command::Lesson(lesson)) = command else {
        return Err(conflict(
            "eras",
            ("eras compares one lesson: add its name", "eras 比较同一课在两个时代的运行：请写上课程名"),
        ));
    };
    let settings = checked_settings(&lesson)?;
    check_for_eras(&lesson, &settings).map_err(|message| conflict("eras", message))?;
    Ok((look, Request::Eras(lesson.run, settings)))
}

/// Refuses the options that contradict `eras`: those of a live run, because `eras` plays the built-in cluster, twice to
/// the end; those that choose an era, because `eras` chooses both; and those of the output, because `eras` prints its
/// own table.
fn check_for_eras(lesson: &LessonArgs, settings: &Settings) -> Result<(), Words> {
    let leave_out = |options: &str| {
        let en = format!("eras runs the built-in cluster twice and prints a table: remove {options}");
        Words::from((en, format!("eras 把内置集群运行两次并打印对照表：请去掉 {}", options.replace(", ", "、"))))
    };
    if settings.pace() == Pace::Live {
        return Err(leave_out("--cluster, --kubeconfig, --context, --follow, --listen, --serve"));
    }
    let era = match &lesson.watch {
        Some(watch) => era_option(&watch.source),
        None => lesson.client.as_ref().and_then(client_option),
    };
    if let Some(option) = era {
        return Err(leave_out(option));
    }
    if prints_otherwise(&lesson.print) {
        return Err(leave_out("--speed, --output, --record"));
    }
    Ok(())
}
