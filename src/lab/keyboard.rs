//! The reader's own hands on the built-in cluster, for those with one terminal.

use std::io::{self, BufRead, IsTerminal};
use std::thread;

use tokio::sync::mpsc;

use super::Lab;
use kube_testcluster::Step;

/// Says what can be typed, then does what is typed, until the run ends. Never returns.
pub(super) async fn obey(lab: &Lab) {
    if !is_ours() {
        return std::future::pending().await;
    }
    if io::stdin().is_terminal() {
        lab.tell(
            "type run NAME, delete NAME or label NAME KEY=VALUE",
            "可以输入 run NAME、delete NAME 或 label NAME KEY=VALUE",
        );
    }
    let mut lines = lines();
    while let Some(line) = lines.recv().await {
        if !line.trim().is_empty() {
            perform(lab, &line).await;
        }
    }
    std::future::pending().await // nothing more is typed; the run goes on
}

async fn perform(lab: &Lab, line: &str) {
    match line.parse::<Step>() {
        Ok(step) => {
            lab.tell(&step.to_string(), &step.to_string());
            if let Err(error) = step.perform(&lab.client(), lab.namespace()).await {
                lab.tell(&error.to_string(), &error.to_string());
            }
        }
        Err(expected) => lab.tell(&expected, &expected),
    }
}

/// A terminal belongs to the job in the foreground: one in the background that reads from it is stopped by the system.
fn is_ours() -> bool {
    #[cfg(unix)]
    if io::stdin().is_terminal() {
        return rustix::termios::tcgetpgrp(io::stdin())
            .is_ok_and(|foreground| foreground == rustix::process::getpgrp());
    }
    true
}

/// Standard input, read on a thread of its own: nothing can interrupt a read.
fn lines() -> mpsc::UnboundedReceiver<String> {
    let (sender, receiver) = mpsc::unbounded_channel();
    let read = move || {
        for line in io::stdin().lock().lines().map_while(Result::ok) {
            if sender.send(line).is_err() {
                break;
            }
        }
    };
    if let Err(error) = thread::Builder::new().name("keyboard".into()).spawn(read) {
        tracing::warn!(%error, "what is typed is not read");
    }
    receiver
}
