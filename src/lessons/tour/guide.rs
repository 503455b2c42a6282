//! Leads a reader at a terminal through the tour. The keys work while a stop plays and after it.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

use super::bookmark::Bookmark;
use super::command::{Command, Destination};
use super::{announce, learners_stops};
use crate::console::{Console, Ended, KeyPress, Keys};
use crate::lab::Settings;
use crate::lessons::Row;
use crate::trace::{AfterPause, Failure, Lang};

/// The longest wait for a key, after which Ctrl-C is noticed.
const MOMENT: Duration = Duration::from_millis(50);

pub(super) struct Guide<'console> {
    console: &'console Console,
    stops: Vec<&'static Row>,
    keys: Keys,
    /// The keys that were pressed and not obeyed yet.
    pressed: VecDeque<KeyPress>,
    destination: Destination,
    /// `None` if the reader's place cannot be kept.
    bookmark: Option<Bookmark>,
    /// The place that the bookmark has, as far as this tour knows.
    kept: Option<usize>,
}

/// The reader's decision about a stop.
enum Decision {
    /// Go to the stop at this place. The place after the last stop ends the tour.
    GoTo(usize),
    /// Leave the tour.
    Leave(Ended),
}

/// The keys that the footer names.
#[derive(Clone, Copy)]
enum Phase {
    Playing,
    Asking,
}

impl<'console> Guide<'console> {
    /// Begins to read keys. Ctrl-C ends the tour in order from now on.
    pub(super) fn begin(console: &'console Console) -> Result<Self> {
        console.interrupt.arm().context("cannot listen for Ctrl-C")?;
        Ok(Self {
            console,
            stops: learners_stops(),
            keys: Keys::begin(),
            pressed: VecDeque::new(),
            destination: Destination::default(),
            bookmark: Bookmark::open().inspect_err(|error| console.printer.report(error)).ok(),
            kept: None,
        })
    }

    /// Leads from the stop at this place, by default the first one, until the reader leaves or the tour ends.
    pub(super) fn lead(mut self, first: Option<usize>) -> Result<Ended> {
        let mut stop = first.unwrap_or_default();
        if first.is_none() {
            self.offer_to_resume(); // the old place stays until the reader goes on
        }
        if self.kept.is_none() {
            self.keep_place(stop);
        }
        while stop < self.stops.len() {
            let decision = match self.play(stop)? {
                Some(decision) => decision,
                None => self.ask(stop),
            };
            self.console.printer.footer(None);
            match decision {
                Decision::GoTo(next) => stop = next,
                Decision::Leave(ended) => {
                    self.say_how_to_resume();
                    return Ok(ended);
                }
            }
            self.keep_place(stop);
        }
        self.end();
        Ok(Ended::Done)
    }

    /// Plays a stop. Returns the decision, if the reader made one meanwhile.
    fn play(&mut self, stop: usize) -> Result<Option<Decision>> {
        let row = self.stops[stop];
        let (console, mut decision) = (self.console, None);
        announce(stop, self.stops.len(), row, &console.printer);
        let records = row.record(&Settings::default(), console)?;
        self.show_keys(Phase::Playing);
        let wait = |pause| {
            let after = self.obey_during(pause, stop);
            match after {
                Ok(after) => after,
                Err(made) => {
                    decision = Some(made);
                    AfterPause::Stop
                }
            }
        };
        let ended = Ended::from_write(console.printer.print_run(&records, console.speed, wait))?;
        Ok(match ended {
            Ended::Done => decision,
            other => Some(Decision::Leave(other)),
        })
    }

    /// Obeys keys during a pause. A decision of the reader ends the stop, and is returned as an error.
    fn obey_during(&mut self, pause: Duration, stop: usize) -> Result<AfterPause, Decision> {
        let end = Instant::now() + pause;
        loop {
            while let Some(key) = self.pressed.pop_front() {
                match self.obey(key, stop, Phase::Playing) {
                    Some(Command::GoTo(place)) => return Err(Decision::GoTo(place)),
                    Some(Command::Quit) => return Err(Decision::Leave(Ended::Done)),
                    Some(Command::Hurry) => return Ok(AfterPause::Hurry),
                    _ => {}
                }
            }
            if let Some(code) = self.console.interrupt.code() {
                return Err(Decision::Leave(Ended::Interrupted(code)));
            }
            let now = Instant::now();
            if now >= end {
                return Ok(AfterPause::Continue);
            }
            if !self.read_keys(end.min(now + MOMENT)) {
                std::thread::sleep(MOMENT.min(end - now)); // the input has ended, but the stop plays on
            }
        }
    }

    /// Asks for the next stop. The end of the input ends the tour.
    fn ask(&mut self, stop: usize) -> Decision {
        self.keep_place(stop + 1);
        let printer = &self.console.printer;
        let [chapter, onward, end] = match printer.lang() {
            Lang::En => ["its chapter: ", "next: ", "the end"],
            Lang::Zh => ["对应章节：", "下一站：", "到此结束"],
        };
        let slug = self.stops[stop].chapter.split_once('-').map_or("", |(_, name)| name);
        let next = self.stops.get(stop + 1).map_or(end, |next| next.command);
        printer.print_on_stderr(&format!("{chapter}informer-lab read {slug}\n{onward}{next}"));
        self.show_keys(Phase::Asking);
        loop {
            while let Some(key) = self.pressed.pop_front() {
                match self.obey(key, stop, Phase::Asking) {
                    Some(Command::GoTo(place)) => return Decision::GoTo(place),
                    Some(Command::Hurry) => return Decision::GoTo(stop + 1), // everything is shown already
                    Some(Command::Quit) => return Decision::Leave(Ended::Done),
                    _ => {}
                }
            }
            if let Some(code) = self.console.interrupt.code() {
                return Decision::Leave(Ended::Interrupted(code));
            }
            if !self.read_keys(Instant::now() + MOMENT) {
                return Decision::Leave(Ended::Done);
            }
        }
    }

    /// Reads keys until this time. Returns false at the end of the input.
    fn read_keys(&mut self, end: Instant) -> bool {
        let keys = self.keys.until(end);
        let reads = keys.is_some();
        self.pressed.extend(keys.into_iter().flatten());
        reads
    }

    /// Returns the command of a key. Shows what is being typed.
    fn obey(&mut self, key: KeyPress, stop: usize, phase: Phase) -> Option<Command> {
        match self.destination.take(key, stop) {
            Command::Nothing => None,
            Command::Typed => {
                self.show_keys(phase);
                None
            }
            command => Some(command),
        }
    }

    /// Shows the keys below the output, or the destination that is being typed.
    fn show_keys(&self, phase: Phase) {
        let (printer, count) = (&self.console.printer, self.stops.len());
        let (en, zh) = match (&self.destination, phase) {
            (Destination::Typing(text), _) => {
                (format!("go to stop (number or lesson): {text}"), format!("跳到哪一站（编号或课程）：{text}"))
            }
            (Destination::Unknown(text), _) => (
                format!("the tour has no stop {text}: name 1 to {count}, or a lesson"),
                format!("没有 {text} 这一站：请写 1 到 {count} 的编号，或课程名"),
            ),
            (Destination::None, Phase::Playing) => (
                "Enter next · space the rest at once · b back · r again · g go to · q quit".to_owned(),
                "回车 下一站 · 空格 立即显示完 · b 上一站 · r 再来一遍 · g 跳转 · q 退出".to_owned(),
            ),
            (Destination::None, Phase::Asking) => (
                "Enter next · b back · r again · g go to · q quit".to_owned(),
                "回车 下一站 · b 上一站 · r 再来一遍 · g 跳转 · q 退出".to_owned(),
            ),
        };
        printer.footer(Some(printer.pick(&en, &zh)));
    }

    /// Keeps the reader's place for `tour resume`, unless it is behind the last stop. After the first failure, no
    /// further place is kept.
    fn keep_place(&mut self, stop: usize) {
        let (Some(bookmark), Some(row)) = (&self.bookmark, self.stops.get(stop)) else { return };
        match bookmark.put(row) {
            Ok(()) => self.kept = Some(stop),
            Err(error) => {
                self.console.printer.report(&error);
                self.bookmark = None;
            }
        }
    }

    /// Names the stop at which the reader left the last tour.
    fn offer_to_resume(&mut self) {
        let place = self.bookmark.as_ref().and_then(|bookmark| bookmark.place().ok().flatten());
        self.kept = place.filter(|place| *place > 0);
        if let Some(place) = self.kept {
            let (number, command) = (place + 1, self.stops[place].command);
            self.console.printer.notice(
                &format!("you left the last tour at stop {number}, {command}: informer-lab tour resume goes on there"),
                &format!("上次离开时在第 {number} 站 {command}：informer-lab tour resume 从那里继续"),
            );
        }
    }

    fn say_how_to_resume(&self) {
        if let (Some(place), Some(_)) = (self.kept, &self.bookmark) {
            let (number, command) = (place + 1, self.stops[place].command);
            self.console.printer.notice(
                &format!("informer-lab tour resume goes on at stop {number}, {command}"),
                &format!("informer-lab tour resume 从第 {number} 站 {command} 继续"),
            );
        }
    }

    /// Ends the tour after its last stop: the next one begins at the first.
    fn end(&self) {
        let printer = &self.console.printer;
        printer.notice("that was the last stop", "这是最后一站");
        if let Some(Err(error)) = self.bookmark.as_ref().map(Bookmark::remove) {
            let failure = Failure::new(("your place in the tour cannot be removed", "无法清除 tour 的进度"));
            printer.report(&failure.because(error).into());
        }
    }
}
