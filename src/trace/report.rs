//! Formats an error for the user: its sentence, its causes, and the next step.

use std::error::Error;
use std::fmt::Write as _;

use super::cause_zh::cause_in_chinese;
use super::color::Paint;
use super::visible::visible;
use super::width::hanging;
use super::{Failure, Lang};

pub(super) fn report(error: &anyhow::Error, lang: Lang, paint: Paint, width: usize) -> String {
    let label = lang.pick("error:", "错误：");
    let text = text(error, lang);
    let lines = text.lines().flat_map(|line| hanging(line, width)).map(|line| line + "\n");
    lines.collect::<String>().replacen(label, &paint.alarm(label), 1)
}

/// Returns the unwrapped lines. A cause that the error above quotes is left out.
fn text(error: &anyhow::Error, lang: Lang) -> String {
    let mut text = lang.pick("error:", "错误：").to_owned();
    let space = lang.pick(" ", ""); // a Chinese colon is as wide as an English one with a space
    let mut message = paragraph(&sentence(error, lang));
    let _ = writeln!(text, "{space}{message}");
    for (cause, is_quoted) in causes(error) {
        let cause = paragraph(&cause_in(cause, lang));
        if !is_quoted && !message.contains(&cause) {
            let _ = writeln!(text, "  {}{space}{cause}", lang.pick("caused by:", "原因："));
            message = cause;
        }
    }
    if let Some(hint) = hint(error, lang) {
        let _ = writeln!(text, "  {}{space}{}", lang.pick("next:", "下一步："), paragraph(hint));
    }
    text
}

/// Formats the error and its causes as one line.
pub fn in_one_line(error: &anyhow::Error, lang: Lang) -> String {
    let causes = causes(error).filter(|(_, is_quoted)| !is_quoted).map(|(cause, _)| cause_in(cause, lang));
    causes.fold(sentence(error, lang), |message, cause| match message.contains(&cause) {
        true => message,
        false => format!("{message}{}{cause}", lang.pick(": ", "：")),
    })
}

/// Returns the causes, each with true if the error above it quotes it. Many errors quote their cause, which would then
/// be printed twice.
fn causes(error: &anyhow::Error) -> impl Iterator<Item = (&(dyn Error + 'static), bool)> {
    let mut above = error.to_string();
    error.chain().skip(1).map(move |cause| {
        let text = cause.to_string();
        let is_quoted = above.contains(&text);
        above = text;
        (cause, is_quoted)
    })
}

/// Returns the advice of the error or of the first cause that has any.
pub fn hint(error: &anyhow::Error, lang: Lang) -> Option<&str> {
    // Items of `chain` cannot be downcast to a context; only the error itself can.
    let outer = error.downcast_ref::<Failure>().and_then(|failure| failure.hint(lang));
    outer.or_else(|| error.chain().find_map(|cause| cause.downcast_ref::<Failure>()?.hint(lang)))
}

/// Returns the sentence of the error, without its causes.
pub fn sentence(error: &anyhow::Error, lang: Lang) -> String {
    let message = error.to_string();
    // `downcast_ref` may also find a cause, whose sentence is not this error's.
    let failure = error.downcast_ref::<Failure>().filter(|failure| failure.sentence(Lang::En) == message);
    match (failure, lang) {
        (Some(failure), _) => failure.sentence(lang).to_owned(),
        (None, Lang::Zh) => cause_in_chinese(&message).unwrap_or(message),
        (None, Lang::En) => message,
    }
}

fn cause_in(cause: &(dyn Error + 'static), lang: Lang) -> String {
    if let Some(failure) = cause.downcast_ref::<Failure>() {
        return failure.sentence(lang).to_owned();
    }
    let text = cause.to_string();
    match lang {
        Lang::En => text,
        Lang::Zh => cause_in_chinese(&text).unwrap_or(text),
    }
}

/// Formats a text of several lines, such as a YAML error with an excerpt: all lines but the first are indented.
fn paragraph(text: &str) -> String {
    text.lines().map(visible).collect::<Vec<_>>().join("\n    ")
}

#[cfg(test)]
mod tests {
    use std::io;

    use super::*;

    fn reported(error: &anyhow::Error) -> String {
        report(error, Lang::En, Paint::Plain, usize::MAX)
    }

    #[test]
    fn a_report_fits_a_narrow_terminal() {
        let failure =
            Failure::new("the file has a line that is no step of a scenario").next("write one of run, delete, label");
        let report = report(&failure.into(), Lang::En, Paint::Plain, 40);
        let lines = [
            "error: the file has a line that is no",
            "    step of a scenario",
            "  next: write one of run, delete, label",
        ];
        assert_eq!(report.lines().collect::<Vec<_>>(), lines);
    }

    #[test]
    fn a_next_step_may_come_from_a_context() {
        let error = anyhow::anyhow!("refused").context(Failure::new("no access").next("log in"));
        assert_eq!(reported(&error), "error: no access\n  caused by: refused\n  next: log in\n");
    }

    #[test]
    fn a_report_says_each_cause_once_and_the_next_step() {
        let io = io::Error::new(io::ErrorKind::ConnectionRefused, "connection refused");
        let failure = Failure::new("no answer from https://a:1").because(io).next("is the cluster up?");
        assert_eq!(
            reported(&anyhow::Error::new(failure).context("the lesson ended")),
            "error: the lesson ended\n  caused by: no answer from https://a:1\n  caused by: connection refused\n  next: is the cluster up?\n"
        );
    }

    #[test]
    fn a_report_of_our_own_error_is_in_the_readers_language() {
        let failure = Failure::new(("no answer", "没有响应")).next(("wait", "请等待")).because("refused");
        let report = report(&anyhow::Error::new(failure), Lang::Zh, Paint::Plain, usize::MAX);
        assert_eq!(report, "错误：没有响应\n  原因：refused\n  下一步：请等待\n");
    }

    #[test]
    fn an_error_of_a_library_is_explained_in_chinese_too() {
        let error =
            anyhow::anyhow!("the request to the API server failed").context("Connection refused (os error 111)");
        let report = report(&error, Lang::Zh, Paint::Plain, usize::MAX);
        assert!(
            report.starts_with("错误：连接被拒绝，") && report.contains("\n  原因：对 API server 的请求失败"),
            "{report}"
        );
    }

    #[test]
    fn a_frequent_cause_appears_once_in_chinese() {
        let io = io::Error::from_raw_os_error(2);
        let error = anyhow::Error::new(io).context(Failure::new(("cannot read a.yaml", "无法读取 a.yaml")));
        let report = report(&error, Lang::Zh, Paint::Plain, usize::MAX);
        let cause = "没有这个文件或目录（No such file or directory (os error 2)）";
        assert_eq!(report, format!("错误：无法读取 a.yaml\n  原因：{cause}\n"));
    }
}
