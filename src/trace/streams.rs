//! The three outputs of the printer: trace lines go to stdout, narration and messages to stderr, and a plain copy of the
//! trace and the narration to the transcript file. The printer locks this for every call.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use super::color::Paint;
use super::commentary::{Commentary, Remark, Speaker};
use super::footer::Footer;
use super::look::{Steps, Terminals};
use super::side_by_side::{Cell, in_one_column, lines, table, tears_a_drawing};
use super::visible::{printable, visible};
use super::width::{Width, hanging, labelled, wrapped};
use super::{Failure, Lang, Look, Output, Record, Show, Style, What, to_json};

/// Standard output, standard error and the transcript. If some narration was left out, the drop prints a notice of
/// that, unless the user asked to leave it out or a transcript has it.
///
/// The narration is the text around the trace that explains it, and it can be left out: headings, the lesson's own
/// sentences ([`What::Narration`]), and the remarks that the [`Commentary`] finds in the records. A notice is a message
/// of the program; it is always printed.
pub(super) struct Streams {
    out: BufWriter<Box<dyn Write + Send>>,
    err: Box<dyn Write + Send>,
    pub(super) out_paint: Paint,
    pub(super) err_paint: Paint,
    output: Output,
    pub(super) lang: Lang,
    /// True if the narration is printed. If not, only the transcript has it.
    narrates: bool,
    /// The explainer's remarks, the steps of an informer, that the narration includes. The transcript has the same.
    steps: Steps,
    /// The number of the current run's steps that are left out because they come again.
    repeated: usize,
    /// True if the user knows already that steps are left out.
    has_said_repeated: bool,
    /// True if the user asked to leave the narration out.
    silent: bool,
    /// True if some narration was left out.
    left_out: bool,
    pub(super) width: Width,
    footer: Footer,
    commentary: Commentary,
    transcript: Option<BufWriter<File>>,
    /// The error that ended the transcript early, until `flush` returns it.
    transcript_error: Option<io::Error>,
}

/// The width of the narration in a transcript.
const TRANSCRIPT_WIDTH: usize = 100;

impl Streams {
    pub(super) fn new(
        look: Look,
        [out, err]: [Box<dyn Write + Send>; 2],
        [out_paint, err_paint]: [Paint; 2],
        terminals: Terminals,
    ) -> Self {
        Self {
            out: BufWriter::new(out),
            err,
            out_paint,
            err_paint,
            output: look.output,
            lang: look.lang,
            narrates: terminals.narrates(look.narrate),
            steps: if terminals.narrates(look.narrate) { terminals.explains(look.explain) } else { Steps::None },
            repeated: 0,
            has_said_repeated: false,
            silent: look.narrate == Show::No,
            left_out: false,
            width: Width::of(terminals),
            footer: Footer::on(terminals.err),
            commentary: Commentary::default(),
            transcript: None,
            transcript_error: None,
        }
    }

    pub(super) fn transcript(&mut self, path: &Path) -> Result<(), Failure> {
        let file = File::create(path).map_err(|error| {
            let name = path.display();
            Failure::new((format!("cannot write the transcript {name}"), format!("无法写入 {name}")))
                .next(("choose another file for --transcript", "请为 --transcript 换一个文件"))
                .because(error)
        })?;
        self.transcript = Some(BufWriter::new(file));
        Ok(())
    }

    /// Sets the footer below everything that is printed; `None` removes it.
    pub(super) fn set_footer(&mut self, text: Option<String>) {
        self.lift_footer();
        self.footer.set(text);
    }

    /// Removes the footer from the screen before other text is printed.
    pub(super) fn lift_footer(&mut self) {
        self.footer.lift(&mut self.err);
    }

    pub(super) fn put_footer_back(&mut self) {
        if self.footer.is_lifted() {
            let _ = self.out.flush();
            self.footer.put_back(&mut self.err, self.width.of_terminal());
        }
    }

    pub(super) fn shows(&self, record: &Record) -> bool {
        record.shown_in(self.output)
    }

    /// Returns the commentary's remarks to print before a record, without the steps that are left out.
    pub(super) fn remarks(&mut self, record: &Record) -> Vec<Remark> {
        let remarks = self.commentary.remarks_before(record);
        remarks.into_iter().filter(|remark| self.includes(remark)).collect()
    }

    /// Returns true if a remark is printed. Counts the steps that are left out because they come again.
    fn includes(&mut self, remark: &Remark) -> bool {
        if remark.by == Speaker::Narrator {
            return true;
        }
        let repeats = self.steps == Steps::New && remark.again;
        self.repeated += usize::from(repeats);
        self.steps != Steps::None && !repeats
    }

    pub(super) fn remark(&mut self, remark: &Remark) -> io::Result<()> {
        self.lift_footer();
        self.out.flush()?;
        let text = visible(self.lang.pick(&remark.en, &remark.zh));
        match remark.by {
            Speaker::Narrator => self.narrate("# ", &text),
            Speaker::Explainer => self.narrate("#   ", &text),
        }
        Ok(())
    }

    /// Prints the explainer's unfinished line at the end of a run, and says once whether steps were left out.
    pub(super) fn end_commentary(&mut self) -> io::Result<()> {
        if let Some(remark) = self.commentary.end()
            && self.includes(&remark)
        {
            self.remark(&remark)?;
        }
        let repeated = std::mem::take(&mut self.repeated);
        if repeated > 0 && !std::mem::replace(&mut self.has_said_repeated, true) {
            let (en, zh) = (
                match repeated {
                    1 => "one more step like those above: --explain shows it too".to_owned(),
                    _ => format!("{repeated} more steps like those above: --explain shows them too"),
                },
                format!("另有 {repeated} 步和上面的一样：加 --explain 全部显示"),
            );
            self.lift_footer();
            self.out.flush()?;
            self.narrate("# ", self.lang.pick(&en, &zh));
        }
        Ok(())
    }

    /// Ends a run of which nothing more is printed.
    pub(super) fn forget_run(&mut self) -> io::Result<()> {
        self.commentary = Commentary::default();
        self.repeated = 0;
        self.flush()
    }

    pub(super) fn write(&mut self, record: &Record) -> io::Result<()> {
        if self.shows(record) {
            self.lift_footer();
        }
        match (&record.what, self.output) {
            (_, Output::Json) => {
                writeln!(self.out, "{}", to_json(record)?)?;
            }
            (What::Line { style, text }, Output::Text) => {
                for part in hanging(&visible(text), self.width.of_screen()) {
                    writeln!(self.out, "{}", self.out_paint.line(*style, &part))?;
                }
            }
            (_, Output::Text) => {}
        }
        match &record.what {
            What::Line { text, .. } => {
                self.write_transcript(&[visible(text)]);
                Ok(())
            }
            What::Narration { en, zh } => {
                self.out.flush()?;
                let text = self.lang.pick(en, zh).to_owned();
                self.narrate("# ", &text);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    pub(super) fn line(&mut self, text: &str) -> io::Result<()> {
        self.lift_footer();
        writeln!(self.out, "{}", printable(text))
    }

    pub(super) fn labelled(&self, label: &str, text: &str) -> String {
        let lines: Vec<_> = text.split('\n').map(visible).collect();
        labelled(label, &lines.join("\n"), self.width.of_screen()).join("\n") + "\n"
    }

    /// Writes one of the program's own texts, whose escape codes are not made visible.
    pub(super) fn bytes(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.lift_footer();
        self.out.write_all(bytes)
    }

    pub(super) fn flush(&mut self) -> io::Result<()> {
        if let Some(Err(error)) = self.transcript.as_mut().map(Write::flush) {
            self.lose_transcript(&error);
        }
        self.transcript_error.take().map_or(Ok(()), Err)?;
        self.out.flush()
    }

    pub(super) fn notice(&mut self, text: &str) {
        self.lift_footer();
        let _ = self.out.flush();
        self.print_wrapped("# ", text);
    }

    pub(super) fn heading(&mut self, text: &str) {
        self.lift_footer();
        let _ = self.out.flush();
        let heading = format!("\n## {text}");
        self.write_transcript(std::slice::from_ref(&heading));
        if self.narrates {
            let lines = labelled("## ", text, self.width.of_screen());
            let lines: Vec<_> = lines.iter().map(|line| self.err_paint.bold(line)).collect();
            let _ = self.err.write_all(format!("\n{}\n", lines.join("\n")).as_bytes()); // one write, because log lines are written here too
        } else {
            self.left_out = true;
        }
    }

    /// Prints a message that is already formatted on standard error.
    pub(super) fn err(&mut self, text: &str) {
        self.lift_footer();
        let _ = self.out.flush();
        let _ = self.err.write_all(text.as_bytes());
        let _ = self.err.flush();
    }

    pub(super) fn side_by_side(&mut self, titles: [&str; 2], runs: [&[Record]; 2]) -> io::Result<()> {
        let width = self.width.of_output();
        let [left, right] = runs.map(|run| lines(run, self.lang));
        if tears_a_drawing(titles, &left, &right, width) {
            let head = titles.map(|title| (Style::Plain, title.to_owned()));
            let head = [('<', &head[0]), ('>', &head[1])];
            for (mark, (style, text)) in head.into_iter().chain(in_one_column(&left, &right)) {
                self.write_transcript(&[format!("{mark} {text}")]);
                writeln!(self.out, "{mark} {}", self.out_paint.line(*style, text))?;
            }
            return self.out.flush();
        }
        for (left, mark, right) in table(titles, &left, &right, width) {
            let Cell { style, text, blank } = left;
            let plain = format!("{text}{:blank$} {mark} {}", "", right.text);
            self.write_transcript(&[plain.trim_end().to_owned()]);
            let left = self.out_paint.line(style, &text);
            let right = self.out_paint.line(right.style, &right.text);
            let row = format!("{left}{:blank$} {mark} {right}", "");
            writeln!(self.out, "{}", row.trim_end())?;
        }
        self.out.flush()
    }

    /// Prints a text of the narration, or only writes it into the transcript if the narration is left out.
    fn narrate(&mut self, mark: &str, text: &str) {
        if self.narrates {
            self.print_wrapped(mark, text);
        } else {
            self.left_out = true;
            self.write_transcript(&wrapped(mark, &printable(text), TRANSCRIPT_WIDTH));
        }
    }

    /// Prints a narration or a notice on standard error, and writes it into the transcript. With the mark `# ` the text
    /// is bold. The explainer's remarks have another mark and are plain; dimmed, they could not be read on a projector.
    fn print_wrapped(&mut self, mark: &str, text: &str) {
        let text = printable(text);
        for line in wrapped(mark, &text, self.width.of_narration()) {
            let line = if mark == "# " { self.err_paint.bold(&line) } else { line };
            let _ = self.err.write_all(format!("{line}\n").as_bytes()); // one write, because log lines are written here too
        }
        self.write_transcript(&wrapped(mark, &text, TRANSCRIPT_WIDTH));
    }

    /// Writes lines into the transcript. The first error ends the transcript, and the next `flush` returns that error.
    fn write_transcript(&mut self, lines: &[String]) {
        let Some(transcript) = &mut self.transcript else { return };
        if let Err(error) = lines.iter().try_for_each(|line| writeln!(transcript, "{line}")) {
            self.lose_transcript(&error);
        }
    }

    fn lose_transcript(&mut self, error: &io::Error) {
        self.transcript = None;
        // Replaces the error's kind, because a broken pipe means elsewhere that the reader of standard output has gone.
        self.transcript_error = Some(io::Error::other(format!("the transcript cannot be written: {error}")));
    }
}

impl Drop for Streams {
    fn drop(&mut self) {
        self.set_footer(None);
        let _ = self.end_commentary();
        let _ = self.flush();
        if self.left_out && !self.silent && self.transcript.is_none() {
            let (en, zh) = (
                "the narration is hidden because the trace is redirected: --narrate shows it here, \
                 --transcript FILE writes both to a file, in order",
                "trace 输出到别处，所以不显示旁白：--narrate 在这里显示旁白，--transcript FILE 把两者按顺序写到文件里",
            );
            self.print_wrapped("# ", self.lang.pick(en, zh));
        }
    }
}
