//! `informer-lab doctor`: checks before a workshop whether the lessons will work here, one line for each check.

use std::io;
use std::time::Duration;

use anyhow::{Context, Result};
use kube_testcluster::KUBERNETES_VERSION;
use terminal_size::{Height, Width, terminal_size_of};

use crate::console::{Console, Ended, Progress};
use crate::lab::{HOW_TO_NAME_ONE, Target, reach_real};
use crate::trace::{Failure, Printer, hint, in_one_line, sentence};

/// The width and height of a terminal that shows every picture whole.
const WHOLE: (u16, u16) = (80, 24);

/// The time that a cluster has for the connection, and again for the checks.
const PATIENCE: Duration = Duration::from_secs(5);

/// One line of the report.
struct Finding {
    health: Health,
    /// The thing that was checked, in English and Chinese.
    what: (&'static str, &'static str),
    text: String,
    next: Option<String>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Health {
    Good,
    /// The lessons run, but some features are missing.
    Limited,
    Bad,
}

/// Checks everything, and prints one line for each check, with advice where something is wrong. Without `target`, it
/// tries the default kubeconfig, and a cluster that does not answer is no failure, because no lesson needs one.
///
/// # Errors
/// Standard output cannot be written, or the cluster that `target` names does not answer.
pub fn run(target: Option<&Target>, namespace: &str, console: &Console) -> Result<Ended> {
    let printer = &console.printer;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().context("cannot start")?;
    let asking = Progress::begin(printer, ("checking the cluster", "正在检查集群"));
    let cluster = runtime.block_on(cluster(target, namespace, printer));
    drop(asking);
    let findings = [program(printer), terminal(printer), language(printer), cluster];
    for finding in &findings {
        let ended = Ended::from_write(print(finding, printer))?;
        if ended != Ended::Done {
            return Ok(ended);
        }
    }
    if findings.iter().any(|finding| finding.health == Health::Bad) {
        return Err(Failure::new(("the cluster cannot be watched", "无法 watch 这个集群")).into());
    }
    Ok(Ended::Done)
}

fn print(finding: &Finding, printer: &Printer) -> io::Result<()> {
    let mark = match finding.health {
        Health::Good => "ok",
        Health::Limited => "--",
        Health::Bad => "no",
    };
    let (en, zh) = finding.what;
    let what = printer.pick(&format!("{en:<9}"), zh).to_owned();
    let line = |label: &str, text: &str| printer.page(printer.labelled(label, text).trim_end());
    line(&format!("{mark}  {what} "), &finding.text)?;
    match &finding.next {
        Some(next) => line(&format!("    {}", printer.pick("next: ", "下一步：")), next),
        None => Ok(()),
    }
}

fn program(printer: &Printer) -> Finding {
    let text = printer
        .pick(
            "informer-lab {program}, whose built-in cluster behaves like Kubernetes {cluster}",
            "informer-lab {program}，内置集群相当于 Kubernetes {cluster}",
        )
        .replace("{program}", env!("CARGO_PKG_VERSION"))
        .replace("{cluster}", KUBERNETES_VERSION.trim_start_matches('v'));
    Finding { health: Health::Good, what: ("program", "程序"), text, next: None }
}

fn terminal(printer: &Printer) -> Finding {
    let what = ("terminal", "终端");
    let Some((Width(width), Height(height))) = terminal_size_of(io::stdout()) else {
        let text = printer
            .pick("standard output is not a terminal: no pauses, no pages", "标准输出不是终端：没有停顿，也不分页");
        return Finding { health: Health::Limited, what, text: text.to_owned(), next: None };
    };
    let text = format!("{width}x{height}");
    if width >= WHOLE.0 && height >= WHOLE.1 {
        return Finding { health: Health::Good, what, text, next: None };
    }
    let next =
        printer.pick("enlarge it: 80x24 shows every picture whole", "请放大：80x24 可以完整显示所有的图").to_owned();
    Finding { health: Health::Limited, what, text, next: Some(next) }
}

fn language(printer: &Printer) -> Finding {
    let text = printer.pick("English (--lang zh: 中文)", "中文（--lang en: English）");
    Finding { health: Health::Good, what: ("language", "语言"), text: text.to_owned(), next: None }
}

async fn cluster(target: Option<&Target>, namespace: &str, printer: &Printer) -> Finding {
    let what = ("cluster", "集群");
    let default = Target::default();
    match reach_real(target.unwrap_or(&default), namespace, PATIENCE).await {
        Ok(reached) => Finding {
            health: Health::Good,
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
            let health = if target.is_some() { Health::Bad } else { Health::Limited };
            // Without a target, the causes would only list the places that have no kubeconfig.
            let text = match target {
                Some(_) => in_one_line(&error, printer.lang()),
                None => sentence(&error, printer.lang()),
            };
            let hint = hint(&error, printer.lang()).map(str::to_owned);
            let unneeded = printer.pick("the lessons work without it", "不影响运行课程，无需处理");
            let next = match (target, hint) {
                (Some(_), hint) => hint,
                // A kubeconfig exists but cannot be used: show its hint. The hint on how to name a kubeconfig is left
                // out, because lessons need none.
                (None, Some(hint)) if hint != HOW_TO_NAME_ONE.0 && hint != HOW_TO_NAME_ONE.1 => {
                    Some(format!("{unneeded}{}{hint}", printer.pick("; for --cluster, ", "；要用 --cluster，")))
                }
                (None, _) => Some(format!(
                    "{unneeded}{}",
                    printer.pick(
                        "; --cluster needs a kubeconfig that can be read",
                        "；使用 --cluster 才需要可用的 kubeconfig"
                    )
                )),
            };
            Finding { health, what, text, next }
        }
    }
}
