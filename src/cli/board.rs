//! What `board` shows, and where: its options may stand before the lesson or behind it.

use std::ffi::OsString;

use informer_lab::board::{BoardSettings, To};
use informer_lab::lab::{Pace, Settings};
use informer_lab::lessons::Run;
use informer_lab::step::Predict;

use super::args::{BoardArgs, Cli, Command, LookArgs};
use super::explain::UsageError;
use super::inner::stepped;
use super::request::{Request, settled, typed};

/// The options of `board` that have a value.
const WITH_VALUE: [&str; 3] = ["--out", "--at", "--beside"];

/// The page that is asked for: of runs that end, or of one that goes on.
pub(super) fn on_board(args: &[OsString], board: BoardArgs) -> Result<(LookArgs, Request), UsageError> {
    let (own, lesson) = parted(board.words);
    let program = args.get(..1).unwrap_or_default();
    let behind = match typed(&[program, &["board".into()], &own].concat())?.command {
        Some(Command::Board(behind)) => behind,
        _ => return Err(UsageError::from(clap::Error::new(clap::error::ErrorKind::UnknownArgument))),
    };
    let out = behind.out.or(board.out);
    let beside = behind.beside.or(board.beside);
    let at = if behind.at.port() == 0 { board.at } else { behind.at };
    let predict = if board.predict || behind.predict { Predict::Yes } else { Predict::No };
    if out.is_none()
        && beside.is_none()
        && let Some((look, run, settings)) = live(program, &lesson)?
    {
        return Ok((look, Request::BoardLive(run, settings, at)));
    }
    let settings = BoardSettings { predict, to: out.map_or(To::Browser(at), To::File) };
    let (mut look, mut runs) = (typed(program)?.look, Vec::new());
    if !lesson.is_empty() {
        let (inner, shown) = stepped("board", args, &lesson)?;
        (look, runs) = (inner, vec![shown]);
    }
    if let Some(beside) = beside {
        let words: Vec<OsString> = match beside.to_str() {
            Some(text) => text.split_whitespace().map(OsString::from).collect(),
            None => vec![beside],
        };
        runs.push(stepped("board", args, &words)?.1);
    }
    Ok((look, Request::Board(runs, settings)))
}

/// The lesson, if it is one that goes on.
fn live(program: &[OsString], lesson: &[OsString]) -> Result<Option<(LookArgs, Run, Settings)>, UsageError> {
    let Ok(Cli { look, command: Some(Command::Lesson(lesson)) }) = typed(&[program, lesson].concat()) else {
        return Ok(None);
    };
    let (chosen, settings) = settled(&lesson)?;
    Ok((settings.pace() == Pace::Live).then_some((look, chosen.run, settings)))
}

/// The options of `board` among the words, and the lesson with its own options.
fn parted(words: Vec<OsString>) -> (Vec<OsString>, Vec<OsString>) {
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

    fn asked(line: &str) -> (usize, BoardSettings) {
        let args: Vec<OsString> = line.split(' ').map(|word| word.replace('_', " ").into()).collect();
        match parse(&args).expect(line).request {
            Request::Board(runs, settings) => (runs.len(), settings),
            other => panic!("{line}: {other:?}"),
        }
    }

    #[test]
    fn the_options_stand_before_the_lesson_or_behind_it() {
        let into_a_file = BoardSettings { predict: Predict::Yes, to: To::File("a.html".into()) };
        for line in [
            "informer-lab board --predict --out a.html reflector --known-objects",
            "informer-lab board reflector --known-objects --out a.html --predict",
            "informer-lab board reflector --out=a.html --predict --known-objects",
        ] {
            assert_eq!(asked(line), (1, into_a_file.clone()), "{line}");
        }
        let (runs, _) = asked("informer-lab board reflector --beside reflector_--known-objects");
        assert_eq!(runs, 2, "the other run is one argument");
        let follow: Vec<OsString> = "informer-lab board reflector --follow".split(' ').map(OsString::from).collect();
        assert!(matches!(parse(&follow).expect("it is live").request, Request::BoardLive(..)));
        let (runs, settings) = asked("informer-lab board --at 127.0.0.1:9999");
        assert_eq!((runs, settings.to), (0, To::Browser("127.0.0.1:9999".parse().expect("an address"))));
    }
}
