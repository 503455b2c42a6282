//! `informer-lab doctor`: looks at everything outside of this program that a lesson depends on.

use std::time::Duration;

use anyhow::{Context, Result};

use crate::console::{Console, Ended};
use crate::lab::{Target, reach_real};
use crate::trace::{Failure, Printer, hint, in_one_line};

/// How long a cluster may take to answer.
const PATIENCE: Duration = Duration::from_secs(5);

/// One finding.
struct Finding {
    state: State,
    what: &'static str,
    text: String,
    next: Option<String>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Good,
    /// The lessons run, but not everything can be done.
    Limited,
    Bad,
}

/// Prints a line for each thing, and what to do about those that are not good. Without `target` it looks whether there is a
/// kubeconfig, and a cluster that does not answer is no failure: no lesson needs one.
///
/// # Errors
/// If standard output cannot be written, or the cluster that was named does not answer.
pub fn run(target: Option<&Target>, namespace: &str, console: &Console) -> Result<Ended> {
    let printer = &console.printer;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().context("cannot start")?;
    let cluster = runtime.block_on(cluster(target, namespace, printer));
    let findings = [program(printer), terminal(printer), language(printer), cluster];
    for finding in &findings {
        let ended = Ended::of_writing(print(finding, printer))?;
        if ended != Ended::Done {
            return Ok(ended);
        }
    }
    if findings.iter().any(|finding| finding.state == State::Bad) {
        return Err(Failure::new(("the cluster cannot be watched", "无法监听这个集群")).into());
    }
    Ok(Ended::Done)
}

fn print(finding: &Finding, printer: &Printer) -> std::io::Result<()> {
    let state = match finding.state {
        State::Good => "ok",
        State::Limited => "--",
        State::Bad => "no",
    };
    printer.page(&format!("{state}  {:<9} {}", finding.what, finding.text))?;
    match &finding.next {
        Some(next) => printer.page(&format!("    {}{next}", printer.pick("next: ", "下一步：  "))),
        None => Ok(()),
    }
}

fn program(printer: &Printer) -> Finding {
    let version = env!("CARGO_PKG_VERSION");
    let text = printer.pick(
        "informer-lab {}; its cluster answers as Kubernetes 1.37, its classic one as of 2023",
        "informer-lab {}；内置集群相当于 Kubernetes 1.37，classic 相当于 2023 年",
    );
    Finding { state: State::Good, what: "program", text: text.replace("{}", version), next: None }
}

fn terminal(printer: &Printer) -> Finding {
    const NARROW: u16 = 80;
    let what = "terminal";
    match terminal_size::terminal_size() {
        None => Finding {
            state: State::Limited,
            what,
            text: printer
                .pick("standard output is none: no pauses, no narration", "标准输出不是终端：没有停顿，也没有旁白")
                .to_owned(),
            next: None,
        },
        Some((terminal_size::Width(width), terminal_size::Height(height))) if width < NARROW || height < 24 => {
            Finding {
                state: State::Limited,
                what,
                text: format!("{width}x{height}"),
                next: Some(printer.pick("80x24 shows every picture whole", "80x24 可以完整显示所有的图").to_owned()),
            }
        }
        Some((terminal_size::Width(width), terminal_size::Height(height))) => {
            Finding { state: State::Good, what, text: format!("{width}x{height}"), next: None }
        }
    }
}

fn language(printer: &Printer) -> Finding {
    let text = printer.pick("English (--lang zh: 中文)", "中文（--lang en: English）");
    Finding { state: State::Good, what: "language", text: text.to_owned(), next: None }
}

async fn cluster(target: Option<&Target>, namespace: &str, printer: &Printer) -> Finding {
    let what = "cluster";
    let usual = Target::default();
    match reach_real(target.unwrap_or(&usual), namespace, PATIENCE).await {
        Ok(reached) => Finding {
            state: State::Good,
            what,
            text: format!(
                "{} {}: {}",
                reached.address,
                reached.version,
                printer.pick("pods can be listed and watched", "可以 list 和 watch Pod")
            ),
            next: None,
        },
        Err(error) => {
            let state = if target.is_some() { State::Bad } else { State::Limited };
            let text = in_one_line(&error, printer.lang());
            let hint = hint(&error, printer.lang()).map(str::to_owned);
            let unneeded = printer.pick("the lessons need none; --cluster does", "各课不需要它；只有 --cluster 需要");
            let next = if target.is_some() { hint } else { Some(unneeded.to_owned()) };
            Finding { state, what, text, next }
        }
    }
}
