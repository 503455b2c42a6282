//! Turns the command line of `board` into a request. `board` contains the command line of a lesson, and its own
//! options may stand before the lesson or after it, so they are picked out of the words here.

use std::ffi::OsString;
use std::net::{Ipv4Addr, SocketAddr};

use informer_lab::board::{BoardSettings, PageDestination};
use informer_lab::lab::{Pace, Settings};
use informer_lab::lessons::Row;
use informer_lab::step::Predict;
use informer_lab::trace::Output;

use super::args::{BoardArgs, Cli, Command, LookArgs, PrintArgs};
use super::explain::{UsageError, conflict};
use super::nested::parse_record_source;
use super::request::{Request, checked_settings, parse_cli};

/// The options of `board` that take a value.
const WITH_VALUE: [&str; 3] = ["--out", "--at", "--beside"];

/// Builds the request of `board`: a page of recorded runs, or a page that follows a live run. Only a live run can be
/// recorded at the same time.
pub(super) fn parse_board(args: &[OsString], board: BoardArgs) -> Result<(LookArgs, PrintArgs, Request), UsageError> {
    let (own, lesson) = split_options(board.words);
    // The options behind the lesson are parsed as a second `board` command line.
    let program = args.get(..1).unwrap_or_default();
    let after = match parse_cli(&[program, &["board".into()], &own].concat())?.command {
        Some(Command::Board(after)) => after,
        _ => return Err(UsageError::from(clap::Error::new(clap::error::ErrorKind::UnknownArgument))),
    };
    let out = after.out.or(board.out);
    let beside = after.beside.or(board.beside);
    let at = after.at.or(board.at);
    if out.is_some() && at.is_some() {
        let en = "--out writes the page to a file, --at serves it: remove one of them";
        return Err(conflict("board", (en, "--out 把页面写到文件里，--at 在一个地址上提供页面：请去掉其中一个")));
    }
    let at = at.unwrap_or_else(|| SocketAddr::from((Ipv4Addr::LOCALHOST, 0)));
    let predict = if board.predict || after.predict { Predict::Yes } else { Predict::No };
    if out.is_none()
        && beside.is_none()
        && let Some((look, print, run, settings)) = parse_live(program, &lesson, predict)?
    {
        return Ok((look, print, Request::BoardLive(run, settings, at)));
    }
    let settings = BoardSettings { predict, to: out.map_or(PageDestination::Browser(at), PageDestination::File) };
    // Without a lesson, the look is that of a command line without options.
    let (mut look, mut runs) = (parse_cli(program)?.look, Vec::new());
    if !lesson.is_empty() {
        let (inner, source) = parse_record_source("board", args, &lesson)?;
        (look, runs) = (inner, vec![source]);
    }
    if let Some(beside) = beside {
        let words: Vec<OsString> = match beside.to_str() {
            Some(text) => text.split_whitespace().map(OsString::from).collect(),
            None => vec![beside],
        };
        runs.push(parse_record_source("board", args, &words)?.1);
    }
    Ok((look, PrintArgs { speed: None, output: Output::Text, record: None }, Request::Board(runs, settings)))
}

/// A lesson to run live, with the options on its output and its record file.
type Live = (LookArgs, PrintArgs, &'static Row, Settings);

/// Returns the lesson if its options make a live run, which goes on until Ctrl-C.
fn parse_live(program: &[OsString], lesson: &[OsString], predict: Predict) -> Result<Option<Live>, UsageError> {
    let Ok(Cli { look, command: Some(Command::Lesson(lesson)) }) = parse_cli(&[program, lesson].concat()) else {
        return Ok(None);
    };
    let settings = checked_settings(&lesson)?;
    if settings.pace() != Pace::Live {
        return Ok(None);
    }
    if predict == Predict::Yes {
        let en = "a live run cannot be predicted: record it with --record, and give board --predict the file";
        let zh = "实时运行接下来会发生什么，无法事先知道：请先用 --record 录制，再对文件用 board --predict";
        return Err(conflict("board", (en, zh)));
    }
    let PrintArgs { speed, output, record } = lesson.print;
    if speed.is_some() || output != Output::Text {
        let en = "board shows a live run as it happens: remove --speed and --output";
        return Err(conflict("board", (en, "board 按实际时间显示实时运行：请去掉 --speed、--output")));
    }
    let print = PrintArgs { speed: None, output: Output::Text, record };
    Ok(Some((look, print, lesson.run, settings)))
}

/// Splits the words into the options of `board` and the lesson with its own options.
fn split_options(words: Vec<OsString>) -> (Vec<OsString>, Vec<OsString>) {
    let (mut own, mut lesson) = (Vec::new(), Vec::new());
    let mut words = words.into_iter();
    while let Some(word) = words.next() {
        let text = word.to_string_lossy();
        if WITH_VALUE.contains(&&*text) {
            own.push(word);
            own.extend(words.next());
        } else if text == "--predict" || WITH_VALUE.iter().any(|option| text.starts_with(&format!("{option}="))) {
            own.push(word);
        } else {
            lesson.push(word);
        }
    }
    (own, lesson)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::parse;

    fn board_request(line: &str) -> (usize, BoardSettings) {
        // An underscore is a blank inside one argument.
        let args: Vec<OsString> = line.split(' ').map(|word| word.replace('_', " ").into()).collect();
        match parse(&args).expect(line).request {
            Request::Board(runs, settings) => (runs.len(), settings),
            other => panic!("{line}: {other:?}"),
        }
    }

    #[test]
    fn the_options_stand_before_the_lesson_or_behind_it() {
        let into_a_file = BoardSettings { predict: Predict::Yes, to: PageDestination::File("a.html".into()) };
        for line in [
            "informer-lab board --predict --out a.html reflector --known-objects",
            "informer-lab board reflector --known-objects --out a.html --predict",
            "informer-lab board reflector --out=a.html --predict --known-objects",
        ] {
            assert_eq!(board_request(line), (1, into_a_file.clone()), "{line}");
        }
        let (runs, _) = board_request("informer-lab board reflector --beside reflector_--known-objects");
        assert_eq!(runs, 2, "the other run is one argument");
        let (runs, settings) = board_request("informer-lab board --at 127.0.0.1:9999");
        assert_eq!((runs, settings.to), (0, PageDestination::Browser("127.0.0.1:9999".parse().expect("an address"))));
    }

    fn words(line: &str) -> Vec<OsString> {
        line.split(' ').map(OsString::from).collect()
    }

    #[test]
    fn a_live_run_is_recorded_into_the_file_of_record() {
        for (line, record) in [
            ("informer-lab board reflector --follow", None),
            ("informer-lab board reflector --follow --record run.ndjson", Some("run.ndjson")),
            ("informer-lab board --at 127.0.0.1:0 reflector --record=run.ndjson --follow", Some("run.ndjson")),
        ] {
            let invocation = parse(&words(line)).expect(line);
            assert!(matches!(invocation.request, Request::BoardLive(..)), "{line}");
            assert_eq!(invocation.record.as_deref(), record.map(std::path::Path::new), "{line}");
        }
    }

    #[test]
    fn options_that_do_not_fit_together_are_refused() {
        for (line, expected) in [
            ("informer-lab board reflector --follow --output json", "remove --speed and --output"),
            ("informer-lab board reflector --follow --speed 2", "--speed paces a recorded run"),
            ("informer-lab board --predict reflector --follow", "a live run cannot be predicted"),
            ("informer-lab board --out a.html --at 127.0.0.1:0 reflector", "remove one of them"),
            ("informer-lab board --out a.html reflector --at 127.0.0.1:0", "remove one of them"),
            ("informer-lab board reflector --at 127.0.0.1:80 --out a.html", "remove one of them"),
        ] {
            let refused = parse(&words(line)).expect_err(line).error.to_string();
            assert!(refused.contains(expected), "{line}: {refused}");
        }
    }
}
