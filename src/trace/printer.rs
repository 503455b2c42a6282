//! The printer is the only writer of standard output and standard error; subcommands get it from their
//! [`Console`](crate::console::Console).

use std::io::{self, IsTerminal, Write};
use std::ops::{Deref, DerefMut};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use unicode_width::UnicodeWidthStr;

use super::color::Paint;
use super::look::Terminals;
use super::report::report;
use super::streams::Streams;
use super::visible::visible;
use super::width::{hanging, wrapped};
use super::{Failure, Lang, Look, Output, Record, Speed, What};

/// The only writer of standard output and standard error. Clones share the streams.
///
/// Methods that write to standard output fail with [`io::ErrorKind::BrokenPipe`] once its reader has gone. Errors of
/// standard error are ignored, because there is no other place to report them.
#[derive(Clone)]
pub struct Printer(Arc<Mutex<Streams>>);

impl Printer {
    /// Creates a printer on the process's standard output and standard error.
    pub fn new(look: Look) -> Self {
        let (out, err) = (io::stdout(), io::stderr());
        let paints = [look.color.paint(&out), look.color.paint(&err)];
        let terminals = Terminals { out: out.is_terminal(), err: err.is_terminal() };
        Self::on(look, [Box::new(out), Box::new(err)], paints, terminals)
    }

    fn on(look: Look, streams: [Box<dyn Write + Send>; 2], paints: [Paint; 2], terminals: Terminals) -> Self {
        Self(Arc::new(Mutex::new(Streams::new(look, streams, paints, terminals))))
    }

    /// Returns true if standard output is a terminal.
    pub fn on_terminal() -> bool {
        io::stdout().is_terminal()
    }

    /// Returns true if standard output is coloured.
    pub fn colors_output(&self) -> bool {
        self.lock().out_paint == Paint::Color
    }

    /// Also writes the trace and the narration to a file from now on, in order and without colours.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn transcript(&self, path: &Path) -> Result<(), Failure> {
        self.lock().transcript(path)
    }

    /// Prints one record of a live run immediately.
    pub fn print(&self, record: &Record) -> io::Result<()> {
        let mut streams = self.lock();
        for remark in streams.remarks(record) {
            streams.remark(&remark)?;
        }
        streams.write(record)?;
        streams.flush()
    }

    /// Prints a recorded run. Before each record, calls `wait` with the pause that `speed` asks for, and does what it
    /// returns. Other output may appear during a pause.
    pub fn print_run(
        &self,
        records: &[Record],
        mut speed: Speed,
        mut wait: impl FnMut(Duration) -> AfterPause,
    ) -> io::Result<()> {
        let mut shown_until = Duration::ZERO;
        for record in records {
            if record.header().is_some() {
                shown_until = Duration::ZERO; // each run has its own clock
            }
            let mut streams = self.lock();
            let remarks = streams.remarks(record);
            if !streams.shows(record) && remarks.is_empty() {
                continue;
            }
            let pause = speed.pause(record.at.saturating_sub(shown_until));
            if !pause.is_zero() {
                streams.flush()?;
                drop(streams);
                match wait(pause) {
                    AfterPause::Continue => {}
                    AfterPause::Hurry => speed = Speed::Max,
                    AfterPause::Stop => return self.lock().forget_run(),
                }
                streams = self.lock();
            }
            shown_until = shown_until.max(record.at);
            for remark in remarks {
                streams.remark(&remark)?;
            }
            streams.write(record)?;
        }
        let mut streams = self.lock();
        streams.end_commentary()?;
        streams.flush()
    }

    /// Prints two traces side by side on standard output, each with a title.
    pub fn side_by_side(&self, titles: [&str; 2], runs: [&[Record]; 2]) -> io::Result<()> {
        self.lock().side_by_side(titles, runs)
    }

    /// Prints lines that belong to no run, such as a line in the list of exercises.
    pub fn page(&self, text: &str) -> io::Result<()> {
        let mut streams = self.lock();
        streams.line(text)?;
        streams.flush()
    }

    /// Formats a text behind its label, as lines that fit the screen. The text keeps its own column.
    pub fn labelled(&self, label: &str, text: &str) -> String {
        self.lock().labelled(label, text)
    }

    /// Prints one of the program's own texts, whose escape codes are not made visible: the coloured form if standard
    /// output has colours, else the plain one.
    pub fn page_styled(&self, plain: &str, coloured: &str) -> io::Result<()> {
        let mut streams = self.lock();
        let text = if streams.out_paint == Paint::Color { coloured } else { plain };
        streams.bytes(text.as_bytes())?;
        streams.flush()
    }

    /// Writes one of the program's own texts as bytes, such as a manual page.
    pub fn bytes(&self, bytes: &[u8]) -> io::Result<()> {
        let mut streams = self.lock();
        streams.bytes(bytes)?;
        streams.flush()
    }

    /// Prints lines on standard error, wrapped to its width.
    pub fn print_on_stderr(&self, text: &str) {
        let mut streams = self.lock();
        let width = streams.width.of_narration();
        let lines = text.lines().flat_map(|line| hanging(&visible(line), width)).map(|line| line + "\n");
        streams.err(&lines.collect::<String>());
    }

    /// Returns true if every line of the text fits the width of standard error.
    pub fn has_room(&self, text: &str) -> bool {
        let width = self.lock().width.of_narration();
        text.lines().all(|line| line.width() <= width)
    }

    /// Prints a question on standard error, and leaves the cursor behind it.
    pub fn ask(&self, question: &str) {
        let mut streams = self.lock();
        let lines = wrapped("", question, streams.width.of_terminal());
        let space = if question.ends_with(' ') { " " } else { "" }; // wrapping removes the space between the question and the answer
        let question = streams.err_paint.bold(&format!("{}{space}", lines.join("\n")));
        streams.err(&question);
    }

    /// Prints typed characters on standard error, in places where the terminal does not echo them.
    pub fn echo(&self, typed: &str) {
        self.lock().err(typed);
    }

    /// Returns the text as a side note, in grey if standard output has colours.
    pub fn aside(&self, text: &str) -> String {
        self.lock().out_paint.aside(text)
    }

    /// Prints a remark that is not part of a run. It is printed even if the narration is left out.
    pub fn notice(&self, en: &str, zh: &str) {
        let mut streams = self.lock();
        let text = streams.lang.pick(en, zh).to_owned();
        streams.notice(&text);
    }

    /// Prints a heading of the tour on standard error, unless the narration is left out.
    pub fn heading(&self, text: &str) {
        self.lock().heading(text);
    }

    /// Returns the language of the narration.
    pub fn lang(&self) -> Lang {
        self.lock().lang
    }

    /// Returns the text in the language of the narration.
    pub fn pick<'a>(&self, en: &'a str, zh: &'a str) -> &'a str {
        self.lock().lang.pick(en, zh)
    }

    /// Prints an error on standard error: its sentence, its causes, and the next step.
    pub fn report(&self, error: &anyhow::Error) {
        let mut streams = self.lock();
        let text = report(error, streams.lang, streams.err_paint, streams.width.of_narration());
        streams.err(&text);
    }

    /// Shows a footer below everything that is printed, if standard error is a terminal; `None` removes it.
    pub fn footer(&self, text: Option<&str>) {
        self.lock().set_footer(text.map(str::to_owned));
    }

    /// Replaces the footer by a line that stays on the screen.
    pub fn leave_footer(&self, line: &str) {
        let mut streams = self.lock();
        streams.set_footer(None);
        streams.err(&format!("{}\n", visible(line)));
    }

    fn lock(&self) -> Held<'_> {
        Held(self.0.lock().expect("no printer panics while it writes"))
    }
}

/// The decision after a pause in a recorded run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AfterPause {
    /// Print on.
    Continue,
    /// Print the rest without pauses.
    Hurry,
    /// Print nothing more of this run.
    Stop,
}

/// The locked streams. When the lock is released, the footer is drawn again below the new output.
struct Held<'a>(MutexGuard<'a, Streams>);

impl Deref for Held<'_> {
    type Target = Streams;

    fn deref(&self) -> &Streams {
        &self.0
    }
}

impl DerefMut for Held<'_> {
    fn deref_mut(&mut self) -> &mut Streams {
        &mut self.0
    }
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        self.0.put_footer_back();
    }
}

impl Record {
    pub(super) fn shown_in(&self, output: Output) -> bool {
        output == Output::Json || matches!(self.what, What::Line { .. } | What::Narration { .. })
    }
}

#[cfg(test)]
mod tests {
    use super::super::look::Steps;
    use super::*;
    use crate::trace::{ColorChoice, Recorder, Show, Style, WaitingDelta};

    /// A stream whose bytes the test can read.
    #[derive(Clone, Default)]
    struct Tape(Arc<Mutex<Vec<u8>>>);

    impl Write for Tape {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    impl Tape {
        fn text(&self) -> String {
            String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
        }
    }

    const PIPES: Terminals = Terminals { out: false, err: false };

    fn printer(output: Output, lang: Lang, paint: Paint) -> (Printer, Tape, Tape) {
        printer_on(Look::new(output, ColorChoice::Auto, lang), paint, PIPES)
    }

    fn printer_on(look: Look, paint: Paint, terminals: Terminals) -> (Printer, Tape, Tape) {
        let (out, err) = (Tape::default(), Tape::default());
        let printer = Printer::on(look, [Box::new(out.clone()), Box::new(err.clone())], [paint, paint], terminals);
        (printer, out, err)
    }

    fn run() -> Vec<Record> {
        let mut recorder = Recorder::default();
        let at = Duration::from_millis;
        let narration = What::Narration { en: "kubectl run nettool".into(), zh: "运行".into() };
        let dropped = || What::Dropped { key: "default/nettool".into(), known_objects: true };
        let line = |text: &str, style| What::Line { style, text: text.into() };
        vec![
            recorder.program_text(at(1000), narration),
            recorder.informer_event(at(1001), Recorder::BY_HAND, "core::Pod", What::Resynced {}),
            recorder.program_text(at(1001), line("Added : nettool", Style::Added)),
            recorder.informer_event(at(3000), Recorder::BY_HAND, "core::Pod", dropped()),
            recorder.program_text(at(4001), line("Deleted : nettool", Style::Deleted)),
        ]
    }

    const DROPPED: &str = "# Deleted of nettool is dropped: it is neither queued nor among the known objects, so it was \
                           reported before\n";

    #[test]
    fn the_trace_goes_to_stdout_and_the_narration_to_stderr() {
        let (printer, out, err) = printer(Output::Text, Lang::En, Paint::Plain);
        printer.print_run(&run(), Speed::Max, |_| panic!("max does not wait")).unwrap();
        assert_eq!(out.text(), "Added : nettool\nDeleted : nettool\n");
        assert_eq!(err.text(), format!("# kubectl run nettool\n{DROPPED}"));
    }

    #[test]
    fn explain_shows_the_steps_between_the_lines() {
        let look = Look { explain: Show::Yes, ..Look::new(Output::Text, ColorChoice::Auto, Lang::En) };
        let (printer, out, err) = printer_on(look, Paint::Plain, PIPES);
        printer.print_run(&run(), Speed::Max, |_| AfterPause::Continue).unwrap();
        assert_eq!(out.text(), "Added : nettool\nDeleted : nettool\n");
        assert_eq!(err.text(), format!("# kubectl run nettool\n#   resync at 1.0 s\n#   DROPPED nettool\n{DROPPED}"));
    }

    #[test]
    fn redirecting_only_the_trace_leaves_the_narration_out_and_says_so_at_the_end() {
        let only_err = Terminals { out: false, err: true };
        let look = Look::new(Output::Text, ColorChoice::Auto, Lang::En);
        let (printer, out, err) = printer_on(look, Paint::Plain, only_err);
        printer.print_run(&run(), Speed::Max, |_| AfterPause::Continue).unwrap();
        assert_eq!((out.text().lines().count(), err.text()), (2, String::new()));
        drop(printer);
        assert!(
            err.text().replace("\n# ", " ").contains("--narrate shows it here, --transcript FILE"),
            "{}",
            err.text()
        );

        let (printer, _, err) = printer_on(Look { narrate: Show::Yes, ..look }, Paint::Plain, only_err);
        printer.print_run(&run(), Speed::Max, |_| AfterPause::Continue).unwrap();
        assert!(err.text().starts_with("# kubectl run nettool\n"));

        let (printer, _, err) = printer_on(Look { narrate: Show::No, ..look }, Paint::Plain, only_err);
        printer.print_run(&run(), Speed::Max, |_| AfterPause::Continue).unwrap();
        drop(printer);
        assert_eq!(err.text(), "");
    }

    #[test]
    fn on_a_terminal_new_steps_are_shown_and_in_a_pipe_none() {
        for (out, err, narrates, explains) in [
            (true, true, true, Steps::New),
            (true, false, true, Steps::None),
            (false, true, false, Steps::None),
            (false, false, true, Steps::None),
        ] {
            let terminals = Terminals { out, err };
            assert_eq!(
                (terminals.narrates(Show::Auto), terminals.explains(Show::Auto)),
                (narrates, explains),
                "{terminals:?}"
            );
        }
    }

    #[test]
    fn steps_that_come_again_are_shown_on_a_terminal_only_with_explain() {
        let mut recorder = Recorder::default();
        let mut queued = |key: &str| {
            let delta = WaitingDelta::named("Added");
            let what = What::Queued { queue: "DeltaFIFO".into(), key: key.into(), known_objects: true, delta };
            recorder.informer_event(Duration::ZERO, Recorder::BY_HAND, "core::Pod", what)
        };
        let records: Vec<_> = ["a", "b", "c"]
            .into_iter()
            .flat_map(|key| {
                let line = What::Line { style: Style::Plain, text: key.into() };
                [queued(key), Record::without_cause(Duration::ZERO, line)]
            })
            .collect();
        let narration = |explain: Show| {
            let look = Look { explain, ..Look::new(Output::Text, ColorChoice::Auto, Lang::En) };
            let (printer, _, err) = printer_on(look, Paint::Plain, Terminals { out: true, err: true });
            printer.print_run(&records, Speed::Max, |_| AfterPause::Continue).unwrap();
            err.text()
        };
        assert_eq!(narration(Show::Yes).matches("queued Added").count(), 3);
        let short = narration(Show::Auto);
        assert_eq!(short.matches("queued Added").count(), 1, "{short}");
        assert!(short.contains("2 more changes took the same steps"), "{short}");
        assert_eq!(narration(Show::No), "");
    }

    #[test]
    fn a_transcript_has_the_trace_and_the_narration_in_order() {
        let path = std::env::temp_dir().join(format!("informer-lab-transcript-{}", std::process::id()));
        let (printer, _, _) = printer(Output::Text, Lang::En, Paint::Color);
        printer.transcript(&path).unwrap();
        printer.print_run(&run(), Speed::Max, |_| AfterPause::Continue).unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::remove_file(&path).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[..2], ["# kubectl run nettool", "Added : nettool"]);
        assert!(lines[2].starts_with("# Deleted of nettool is dropped"), "{text}");
        assert_eq!(lines.last(), Some(&"Deleted : nettool"));
    }

    #[test]
    fn the_language_changes_the_narration_alone() {
        let (printer, out, err) = printer(Output::Text, Lang::Zh, Paint::Plain);
        printer.print_run(&run(), Speed::Max, |_| AfterPause::Continue).unwrap();
        assert_eq!(out.text(), "Added : nettool\nDeleted : nettool\n");
        assert!(err.text().starts_with("# 运行\n# nettool 的 Deleted 被丢弃"), "{}", err.text());
    }

    #[test]
    fn coloured_output_without_its_codes_is_the_plain_output() {
        let (printer, out, _) = printer(Output::Text, Lang::En, Paint::Color);
        printer.print_run(&run(), Speed::Max, |_| AfterPause::Continue).unwrap();
        assert_eq!(
            out.text(),
            "\u{1b}[38;5;29mAdded : nettool\u{1b}[0m\n\u{1b}[1;38;5;131mDeleted : nettool\u{1b}[0m\n"
        );
    }

    #[test]
    fn records_that_are_not_shown_take_no_pause_of_their_own() {
        let (printer, _, _) = printer(Output::Text, Lang::En, Paint::Plain);
        let mut waits = Vec::new();
        let wait = |pause: Duration| {
            waits.push(pause.as_micros());
            AfterPause::Continue
        };
        printer.print_run(&run(), Speed::Times(2.0), wait).unwrap();
        assert_eq!(waits, [500_000, 500, 999_500, 500_500]);
    }

    #[test]
    fn a_pause_can_end_the_other_pauses_or_the_run() {
        for (decision, pauses, lines) in
            [(AfterPause::Continue, 4, 2), (AfterPause::Hurry, 1, 2), (AfterPause::Stop, 1, 0)]
        {
            let (printer, out, _) = printer(Output::Text, Lang::En, Paint::Plain);
            let mut count = 0;
            let wait = |_| {
                count += 1;
                decision
            };
            printer.print_run(&run(), Speed::Documents, wait).unwrap();
            assert_eq!((count, out.text().lines().count()), (pauses, lines), "{decision:?}");
        }
    }

    #[test]
    fn json_is_the_record_one_object_a_line() {
        let (printer, out, _) = printer(Output::Json, Lang::En, Paint::Color);
        printer.print_run(&run()[1..3], Speed::Max, |_| AfterPause::Continue).unwrap();
        assert_eq!(
            out.text(),
            "{\"atMs\":1001,\"event\":\"resynced\",\"of\":\"Pod\",\"cause\":\"timer\"}\n\
             {\"atMs\":1001,\"event\":\"printed\",\"style\":\"added\",\"line\":\"Added : nettool\"}\n"
        );
    }

    #[test]
    fn a_name_cannot_drive_the_terminal() {
        let (printer, out, _) = printer(Output::Text, Lang::En, Paint::Plain);
        let what = What::Line { style: Style::Plain, text: "a\u{1b}[2Jb\nc".into() };
        printer.print(&Record::without_cause(Duration::ZERO, what)).unwrap();
        assert_eq!(out.text(), "a\\u{1b}[2Jb\\nc\n");
    }
}
