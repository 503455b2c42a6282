//! Tests of the printer, on streams in memory.

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
    assert!(err.text().replace("\n# ", " ").contains("--narrate shows it here, --transcript FILE"), "{}", err.text());

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
    assert!(short.contains("more steps like those above"), "{short}");
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
    assert_eq!(out.text(), "\u{1b}[38;5;29mAdded : nettool\u{1b}[0m\n\u{1b}[1;38;5;131mDeleted : nettool\u{1b}[0m\n");
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
    for (decision, pauses, lines) in [(AfterPause::Continue, 4, 2), (AfterPause::Hurry, 1, 2), (AfterPause::Stop, 1, 0)]
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
        "{\"atMs\":1001,\"event\":\"resynced\",\"of\":\"Pod\",\"cause\":\"timer\",\"caption\":{\
         \"en\":\"A resync begins, with no objects of the store. It sends no request to the API server.\",\
         \"zh\":\"resync 开始，store 里有 0 个对象，不向 API server 发请求。\"}}\n\
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
