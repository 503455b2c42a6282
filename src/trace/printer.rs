//! Writes records to standard output and standard error.

use std::io::{self, BufWriter, IsTerminal, Write};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use clap::ValueEnum;
use serde::Serialize;

use terminal_size::{Width, terminal_size_of};

use super::color::Paint;
use super::report::report;
use super::side_by_side::{Cell, lines, table};
use super::visible::visible;
use super::{ColorChoice, Lang, Record, Speed, What};
use kube_informers::cache::observe::Event;

/// What standard output holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Output {
    /// The trace's lines
    #[default]
    Text,
    /// One event of the machinery, or one printed line, as a JSON object a line
    Json,
}

/// The format of a run's output.
#[derive(Clone, Copy, Debug)]
pub struct Look {
    /// What standard output contains.
    pub output: Output,
    /// When to colour.
    pub color: ColorChoice,
    /// The language of the narration.
    pub lang: Lang,
}

/// The only writer of standard output and standard error. Clones share the streams.
///
/// Methods that write to standard output fail with [`io::ErrorKind::BrokenPipe`] once its reader has gone. Errors of
/// standard error are ignored, since there is nowhere to report them.
#[derive(Clone)]
pub struct Printer(Arc<Mutex<Streams>>);

struct Streams {
    out: BufWriter<Box<dyn Write + Send>>,
    err: Box<dyn Write + Send>,
    out_paint: Paint,
    err_paint: Paint,
    output: Output,
    lang: Lang,
}

impl Printer {
    /// A printer on the process's standard output and error.
    pub fn new(look: Look) -> Self {
        let (out, err) = (io::stdout(), io::stderr());
        let (out_paint, err_paint) = (look.color.paint(&out), look.color.paint(&err));
        Self::on(look, Box::new(out), out_paint, Box::new(err), err_paint)
    }

    fn on(
        look: Look,
        out: Box<dyn Write + Send>,
        out_paint: Paint,
        err: Box<dyn Write + Send>,
        err_paint: Paint,
    ) -> Self {
        let (output, lang) = (look.output, look.lang);
        Self(Arc::new(Mutex::new(Streams { out: BufWriter::new(out), err, out_paint, err_paint, output, lang })))
    }

    /// Whether standard output is a terminal.
    pub fn on_terminal() -> bool {
        io::stdout().is_terminal()
    }

    /// Whether standard output has colours.
    pub fn colors_output(&self) -> bool {
        self.lock().out_paint == Paint::Color
    }

    /// Prints one record of a live run, at once.
    pub fn print(&self, record: &Record) -> io::Result<()> {
        let mut streams = self.lock();
        streams.write(record)?;
        streams.out.flush()
    }

    /// Prints a recorded run. Between records it calls `wait` with the pause for `speed`.
    pub fn play(&self, records: &[Record], speed: Speed, mut wait: impl FnMut(Duration)) -> io::Result<()> {
        let mut streams = self.lock();
        let (output, mut shown_until) = (streams.output, Duration::ZERO);
        for record in records.iter().filter(|record| record.shown_in(output)) {
            let pause = speed.pause(record.at.saturating_sub(shown_until));
            if !pause.is_zero() {
                streams.out.flush()?;
                wait(pause);
            }
            shown_until = record.at;
            streams.write(record)?;
        }
        streams.out.flush()
    }

    /// Prints two traces side by side on standard output, each with a title. The width is that of the terminal, or 80
    /// columns without one.
    pub fn side_by_side(&self, titles: [&str; 2], runs: [&[Record]; 2]) -> io::Result<()> {
        let width = terminal_size_of(io::stdout()).map_or(80, |(Width(width), _)| usize::from(width));
        let mut streams = self.lock();
        let [left, right] = runs.map(lines);
        for (left, mark, right) in table(titles, &left, &right, width) {
            let Cell { style, text, blank } = left;
            let left = streams.out_paint.line(style, &text);
            let right = streams.out_paint.line(right.style, &right.text);
            let row = format!("{left}{:blank$} {mark} {right}", "");
            writeln!(streams.out, "{}", row.trim_end())?;
        }
        streams.out.flush()
    }

    /// Prints a line that belongs to no run, such as a line in the list of lessons.
    pub fn page(&self, text: &str) -> io::Result<()> {
        let mut streams = self.lock();
        writeln!(streams.out, "{text}")?;
        streams.out.flush()
    }

    /// Prints a text that has a plain and a coloured form, as it stands.
    pub fn page_styled(&self, plain: &str, coloured: &str) -> io::Result<()> {
        let mut streams = self.lock();
        let text = if streams.out_paint == Paint::Color { coloured } else { plain };
        streams.out.write_all(text.as_bytes())?;
        streams.out.flush()
    }

    /// Writes bytes that were made elsewhere, such as a manual page.
    pub fn bytes(&self, bytes: &[u8]) -> io::Result<()> {
        let mut streams = self.lock();
        streams.out.write_all(bytes)?;
        streams.out.flush()
    }

    /// Prints lines on standard error as they stand.
    pub fn complain(&self, text: &str) {
        let mut streams = self.lock();
        let _ = streams.out.flush();
        let _ = streams.err.write_all(text.as_bytes());
    }

    /// Asks on standard error, and leaves the cursor behind the question.
    pub fn ask(&self, question: &str) {
        let mut streams = self.lock();
        let question = streams.err_paint.bold(question);
        let _ = streams.out.flush();
        let _ = write!(streams.err, "{question}");
        let _ = streams.err.flush();
    }

    /// Prints such a line dimmed.
    pub fn page_dimmed(&self, text: &str) -> io::Result<()> {
        let dimmed = self.lock().out_paint.dimmed(text);
        self.page(&dimmed)
    }

    /// Prints a remark that belongs to no time in a run.
    pub fn tell(&self, en: &str, zh: &str) {
        let mut streams = self.lock();
        let text = streams.lang.pick(en, zh).to_owned();
        streams.narrate(&text);
    }

    /// In JSON, prints the event that begins a run: the following events belong to it, up to the next such event. In
    /// text, prints nothing.
    pub fn begins(&self, command: &str) -> io::Result<()> {
        let mut streams = self.lock();
        match streams.output {
            Output::Text => Ok(()),
            Output::Json => streams.json(Duration::ZERO, JsonWhat::Run { event: "run", command }),
        }
    }

    /// Prints a heading of the tour on standard error.
    pub fn heading(&self, text: &str) {
        let mut streams = self.lock();
        let line = streams.err_paint.bold(&format!("\n## {text}"));
        let _ = streams.out.flush();
        let _ = writeln!(streams.err, "{line}");
    }

    /// The language of the narration.
    pub fn lang(&self) -> Lang {
        self.lock().lang
    }

    /// The text in the language of the narration.
    pub fn pick<'a>(&self, en: &'a str, zh: &'a str) -> &'a str {
        self.lock().lang.pick(en, zh)
    }

    /// Prints an error on standard error: its sentence, its causes, and the next step.
    pub fn report(&self, error: &anyhow::Error) {
        let mut streams = self.lock();
        let text = report(error, streams.lang, streams.err_paint);
        let _ = streams.out.flush();
        let _ = streams.err.write_all(text.as_bytes());
    }

    fn lock(&self) -> MutexGuard<'_, Streams> {
        self.0.lock().expect("no printer panics while it writes")
    }
}

impl Record {
    fn shown_in(&self, output: Output) -> bool {
        output == Output::Json || !matches!(self.what, What::Machinery(_))
    }
}

/// One line of `--output json`.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct JsonLine<'a> {
    at_ms: u64,
    #[serde(flatten)]
    what: JsonWhat<'a>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum JsonWhat<'a> {
    Machinery(&'a Event),
    Printed { event: &'static str, line: &'a str },
    Run { event: &'static str, command: &'a str },
}

impl Streams {
    fn write(&mut self, record: &Record) -> io::Result<()> {
        match (&record.what, self.output) {
            (What::Narration { en, zh }, _) => {
                self.out.flush()?;
                let text = self.lang.pick(en, zh).to_owned();
                self.narrate(&text);
                Ok(())
            }
            (What::Line { style, text }, Output::Text) => {
                let line = self.out_paint.line(*style, &visible(text));
                writeln!(self.out, "{line}")
            }
            (What::Line { text, .. }, Output::Json) => {
                self.json(record.at, JsonWhat::Printed { event: "printed", line: text })
            }
            (What::Machinery(event), Output::Json) => self.json(record.at, JsonWhat::Machinery(event)),
            (What::Machinery(_), Output::Text) => Ok(()),
        }
    }

    fn json(&mut self, at: Duration, what: JsonWhat<'_>) -> io::Result<()> {
        let at_ms = u64::try_from(at.as_millis()).unwrap_or(u64::MAX);
        serde_json::to_writer(&mut self.out, &JsonLine { at_ms, what })?;
        self.out.write_all(b"\n")
    }

    fn narrate(&mut self, text: &str) {
        for line in text.lines() {
            let line = self.err_paint.dimmed(&format!("# {}", visible(line)));
            let _ = writeln!(self.err, "{line}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::Style;

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

    fn printer(output: Output, lang: Lang, paint: Paint) -> (Printer, Tape, Tape) {
        let (out, err) = (Tape::default(), Tape::default());
        let look = Look { output, color: ColorChoice::Auto, lang };
        let printer = Printer::on(look, Box::new(out.clone()), paint, Box::new(err.clone()), paint);
        (printer, out, err)
    }

    fn run() -> Vec<Record> {
        let at = Duration::from_millis;
        let told = What::Narration { en: "kubectl run nettool".into(), zh: "运行".into() };
        let queued = What::Machinery(Event::Queued { delta: "Added", key: Some("default/nettool".into()) });
        let line = |text: &str, style| What::Line { style, text: text.into() };
        vec![
            Record { at: at(1000), what: told },
            Record { at: at(1000), what: queued.clone() },
            Record { at: at(1001), what: line("Added : nettool", Style::Added) },
            Record { at: at(3000), what: queued },
            Record { at: at(4001), what: line("Deleted : nettool", Style::Deleted) },
        ]
    }

    #[test]
    fn the_trace_goes_to_stdout_and_the_narration_to_stderr() {
        let (printer, out, err) = printer(Output::Text, Lang::En, Paint::Plain);
        printer.play(&run(), Speed::Max, |_| panic!("max does not wait")).unwrap();
        assert_eq!(out.text(), "Added : nettool\nDeleted : nettool\n");
        assert_eq!(err.text(), "# kubectl run nettool\n");
    }

    #[test]
    fn the_language_changes_the_narration_alone() {
        let (printer, out, err) = printer(Output::Text, Lang::Zh, Paint::Plain);
        printer.play(&run(), Speed::Max, |_| ()).unwrap();
        assert_eq!(out.text(), "Added : nettool\nDeleted : nettool\n");
        assert_eq!(err.text(), "# 运行\n");
    }

    #[test]
    fn coloured_output_without_its_codes_is_the_plain_output() {
        let (printer, out, _) = printer(Output::Text, Lang::En, Paint::Color);
        printer.play(&run(), Speed::Max, |_| ()).unwrap();
        assert_eq!(out.text(), "\u{1b}[32mAdded : nettool\u{1b}[0m\n\u{1b}[31mDeleted : nettool\u{1b}[0m\n");
    }

    #[test]
    fn records_that_are_not_shown_take_no_pause_of_their_own() {
        let (printer, _, _) = printer(Output::Text, Lang::En, Paint::Plain);
        let mut waits = Vec::new();
        printer.play(&run(), Speed::Times(2.0), |pause| waits.push(pause.as_micros())).unwrap();
        assert_eq!(waits, [500_000, 500, 1_500_000]);
    }

    #[test]
    fn json_is_one_object_a_line_with_events_and_printed_lines() {
        let (printer, out, _) = printer(Output::Json, Lang::En, Paint::Color);
        printer.play(&run()[..3], Speed::Max, |_| ()).unwrap();
        assert_eq!(
            out.text(),
            "{\"atMs\":1000,\"event\":\"queued\",\"delta\":\"Added\",\"key\":\"default/nettool\"}\n\
             {\"atMs\":1001,\"event\":\"printed\",\"line\":\"Added : nettool\"}\n"
        );
    }

    #[test]
    fn a_name_cannot_drive_the_terminal() {
        let (printer, out, _) = printer(Output::Text, Lang::En, Paint::Plain);
        let what = What::Line { style: Style::Plain, text: "a\u{1b}[2Jb\nc".into() };
        printer.print(&Record { at: Duration::ZERO, what }).unwrap();
        assert_eq!(out.text(), "a\\u{1b}[2Jb\\nc\n");
    }
}
