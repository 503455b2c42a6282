//! The verdict on a program, which the checker prints.

use std::fmt::Write as _;
use std::time::Duration;

use crate::book::{Ink, Paper, page};

use super::journal::EntryKind;
use super::outcome::{End, Outcome};
use crate::exercises::ProgramLanguage;
use crate::trace::{Lang, Words};

/// A mistake of a program, as the judge found it.
#[derive(Clone, Debug)]
pub struct Mistake {
    /// The visible effect of the mistake, in one sentence.
    pub sentence: Words,
    /// The lines of the journal that show the effect.
    pub evidence: Vec<String>,
    /// The advice where to look for the cause.
    pub hint: Words,
}

/// The verdict: `Ok` if the program is right.
#[derive(Clone, Debug)]
pub struct Verdict(Result<(), Mistake>);

impl Verdict {
    /// Returns the verdict on a program in this language.
    ///
    /// If there are several mistakes, it has the one that explains most: a panic, an error or an early end first, then
    /// the judge's finding, then a program that did not stop.
    pub fn of(
        outcome: &Outcome,
        judge: impl FnOnce(&Outcome) -> Result<(), Mistake>,
        language: ProgramLanguage,
    ) -> Self {
        Self(match &outcome.end {
            End::Panicked(_) | End::Failed(_) | End::Early(_) => ended(outcome, language),
            End::Stopped | End::Never => judge(outcome).and_then(|()| ended(outcome, language)),
        })
    }

    /// Returns the verdict on a program that loops without ever waiting, so that even the timeout in virtual time
    /// cannot end it.
    pub fn never_yields() -> Self {
        let sentence = Words::new(
            "The program never lets other tasks run: it loops without an `.await` that waits.",
            "程序一直不让出执行权：它在循环，却没有真正会等待的 `.await`。",
        );
        let hint = Words::new(
            "Wait for a signal (`synced()`, a queue, a stream) instead of asking again and again.",
            "不要反复轮询，等一个信号：`synced()`、队列，或者 stream。",
        );
        Self(Err(Mistake { sentence, evidence: Vec::new(), hint }))
    }

    /// Returns true if the program has no mistake.
    pub fn is_right(&self) -> bool {
        self.0.is_ok()
    }

    /// Returns the mistake, or `None` if the program is right.
    pub fn mistake(&self) -> Option<&Mistake> {
        self.0.as_ref().err()
    }

    /// Returns the text for the learner, wrapped to a width.
    pub fn text(&self, lang: Lang, width: usize) -> String {
        let prose = |text: &Words| page(text.pick(lang), Paper { width, ink: Ink::Plain }).trim_end().to_owned();
        let mistake = match &self.0 {
            Ok(()) => return prose(&Words::new("Right.", "正确。")),
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
fn ended(outcome: &Outcome, language: ProgramLanguage) -> Result<(), Mistake> {
    let sentence = match &outcome.end {
        End::Stopped => return Ok(()),
        End::Early(at) => early(*at),
        End::Failed(error) => {
            let error = quoted(error);
            Words::new(format!("The program ended with an error: {error}."), format!("程序因错误结束：{error}。"))
        }
        End::Panicked(message) => {
            let message = quoted(message);
            Words::new(format!("The program panicked: {message}."), format!("程序 panic 了：{message}。"))
        }
        End::Never => {
            Words::new("The program did not end after the stop signal.", "收到停止信号之后，程序一直没有结束。")
        }
    };
    let hint = match language {
        ProgramLanguage::Rust => rust_hint(&outcome.end),
        ProgramLanguage::Go => go_hint(&outcome.end),
    };
    Err(Mistake { sentence, evidence: outcome.excerpt(is_of_the_program), hint })
}

/// Returns false for what the cluster reports by itself.
fn is_of_the_program(kind: &EntryKind) -> bool {
    !matches!(kind, EntryKind::Written(_))
}

/// Quotes a message of the program as Markdown code, so that its text is not read as Markdown.
fn quoted(text: &str) -> String {
    format!("`{}`", text.replace('`', "'"))
}

fn early(at: Duration) -> Words {
    let seconds = at.as_secs_f64();
    Words::new(
        format!("The program ended by itself after {seconds:.3} s; it should run until it is stopped."),
        format!("程序在 {seconds:.3} 秒后自己结束了；它应该一直运行到被停止。"),
    )
}

fn rust_hint(end: &End) -> Words {
    match end {
        End::Stopped | End::Early(_) => Words::new(
            "Which of its parts returned? Its futures run together.",
            "程序的几个 future 是一起运行的，是哪一个先返回了？",
        ),
        End::Failed(_) => Words::new(
            "Which call returned this error? If the program should continue, it has to handle the error there.",
            "是哪个调用返回的？要继续运行，就得在那里处理它。",
        ),
        End::Panicked(_) => Words::new("The line is in the panic's message above.", "panic 信息（上面）里有行号。"),
        End::Never => Words::new(
            "Every part of it has to end with `trial.stop()`: an informer, workers, a loop of your own.",
            "每一部分都要随 `trial.stop()` 结束：informer、worker、自己写的循环。",
        ),
    }
}

fn go_hint(end: &End) -> Words {
    match end {
        End::Stopped | End::Early(_) => Words::new(
            "`run` has to block until `ctx.Done()`. Which line returns before that?",
            "`run` 要一直阻塞到 `ctx.Done()`。是哪一行提前返回了？",
        ),
        End::Failed(_) => Words::new(
            "Which call returned this error? If the program should continue, it has to handle the error there.",
            "是哪个调用返回的？要继续运行，就得在那里处理它。",
        ),
        End::Panicked(_) => Words::new(
            "A panic in a handler ends the whole process. A type assertion with `, ok` does not panic.",
            "handler 里的 panic 会结束整个进程。带 `, ok` 的类型断言不会 panic。",
        ),
        End::Never => Words::new(
            "`run` has to return after `ctx.Done()`: shut down a queue, end a loop of your own.",
            "`ctx.Done()` 之后 `run` 必须返回：关闭队列，结束自己写的循环。",
        ),
    }
}
