//! Performs the steps that a user types into the terminal of a live run.

use std::io::{self, BufRead, IsTerminal};
use std::thread;

use tokio::sync::mpsc;

use super::Lab;
use kube_testcluster::Step;

/// Prints what can be typed, and performs each line, until the run ends. Never returns.
pub(super) async fn perform_typed_steps(lab: &Lab) {
    if !is_ours() {
        return std::future::pending().await;
    }
    if io::stdin().is_terminal() {
        lab.narrate(
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
            lab.narrate(&step.to_string(), &step.to_string());
            if let Err(error) = step.perform(&lab.client(), lab.namespace()).await {
                lab.narrate(&error.to_string(), &error.to_string());
            }
        }
        Err(expected) => lab.narrate(&expected, &expected),
    }
}

/// Whether this process may read standard input. The system stops a background process that reads from a terminal.
fn is_ours() -> bool {
    #[cfg(unix)]
    if io::stdin().is_terminal() {
        return rustix::termios::tcgetpgrp(io::stdin())
            .is_ok_and(|foreground| foreground == rustix::process::getpgrp());
    }
    true
}

/// Reads standard input on a separate thread, since a read cannot be cancelled.
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
