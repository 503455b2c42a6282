//! The verdict on a program, which the checker prints.

use std::fmt::Write as _;
use std::time::Duration;

use informer_lab::book::{Ink, Paper, page};

use crate::bilingual::{Bilingual, Lang};
use crate::outcome::{End, Outcome};

#[derive(Clone, Debug)]
pub struct Mistake {
    /// The visible effect of the mistake, in one sentence.
    pub sentence: Bilingual,
    /// The lines of the journal that show the effect.
    pub evidence: Vec<String>,
    pub hint: Bilingual,
}

/// `Ok` if the program is right.
#[derive(Clone, Debug)]
pub struct Verdict(Result<(), Mistake>);

impl Verdict {
    /// Returns the mistake that explains most: a panic, an error or an early end first, then the judge's finding, then a program that did
    /// not stop.
    pub fn of(outcome: &Outcome, judge: impl FnOnce(&Outcome) -> Result<(), Mistake>) -> Self {
        Self(match &outcome.end {
            End::Panicked(_) | End::Failed(_) | End::Early(_) => ended(outcome),
            End::Stopped | End::Never => judge(outcome).and_then(|()| ended(outcome)),
        })
    }

    /// Returns the verdict on a program that loops without ever waiting, so that even the timeout in virtual time
    /// cannot end it.
    pub fn never_yields() -> Self {
        let sentence = Bilingual::new(
            "The program never gave the others their turn: it loops without an `.await` that waits.",
            "程序一直不让出执行权：它在循环，却没有真正会等待的 `.await`。",
        );
        let hint = Bilingual::new(
            "Wait for a signal (`synced()`, a queue, a stream) instead of asking again and again.",
            "不要反复轮询，等一个信号：`synced()`、队列，或者 stream。",
        );
        Self(Err(Mistake { sentence, evidence: Vec::new(), hint }))
    }

    pub fn is_right(&self) -> bool {
        self.0.is_ok()
    }

    #[cfg(test)]
    pub fn mistake(&self) -> Option<&Mistake> {
        self.0.as_ref().err()
    }

    pub fn text(&self, lang: Lang, width: usize) -> String {
        let prose = |text: &Bilingual| page(text.pick(lang), Paper { width, ink: Ink::Plain }).trim_end().to_owned();
        let mistake = match &self.0 {
            Ok(()) => return prose(&Bilingual::new("Right.", "正确。")),
            Err(mistake) => mistake,
        };
        let mut text = prose(&mistake.sentence) + "\n";
        if !mistake.evidence.is_empty() {
            text.push('\n');
        }
        for line in &mistake.evidence {
            let _ = writeln!(text, "  {line}"); // writing to a String succeeds
        }
        let _ = write!(text, "\n{}", prose(&mistake.hint));
        text
    }
}

/// Returns a mistake if the program did not end as it should.
fn ended(outcome: &Outcome) -> Result<(), Mistake> {
    let (sentence, hint) = match &outcome.end {
        End::Stopped => return Ok(()),
        End::Early(at) => early(*at),
        End::Failed(error) => (
            Bilingual::new(
                format!("The program ended with an error: {}.", quoted(error)),
                format!("程序因错误结束：{}。", quoted(error)),
            ),
            Bilingual::new(
                "Which call returned it? A program that goes on has to handle it there.",
                "是哪个调用返回的？要继续运行，就得在那里处理它。",
            ),
        ),
        End::Panicked(message) => (
            Bilingual::new(
                format!("The program panicked: {}.", quoted(message)),
                format!("程序 panic 了：{}。", quoted(message)),
            ),
            Bilingual::new("The line is in the panic's message above.", "panic 信息（上面）里有行号。"),
        ),
        End::Never => (
            Bilingual::new(
                "The program did not end within 30 seconds after it was told to stop.",
                "收到停止信号 30 秒后，程序还没有结束。",
            ),
            Bilingual::new(
                "Every part of it has to end with `trial.stop()`: an informer, workers, a loop of your own.",
                "每一部分都要随 `trial.stop()` 结束：informer、worker、自己写的循环。",
            ),
        ),
    };
    Err(Mistake { sentence, evidence: outcome.excerpt(|_| true), hint })
}

/// Quotes a message of the program as Markdown code, so that its text is not read as Markdown.
fn quoted(text: &str) -> String {
    format!("`{}`", text.replace('`', "'"))
}

/// Returns the sentence and the hint for a program that returned too early.
fn early(at: Duration) -> (Bilingual, Bilingual) {
    let seconds = at.as_secs_f64();
    (
        Bilingual::new(
            format!("The program ended by itself after {seconds:.3} s; it should run until it is stopped."),
            format!("程序在 {seconds:.3} 秒后自己结束了；它应该一直运行到被停止。"),
        ),
        Bilingual::new(
            "Which of its parts returned? Its futures run together.",
            "是哪一部分先返回了？它的几个 future 是一起跑的。",
        ),
    )
}
