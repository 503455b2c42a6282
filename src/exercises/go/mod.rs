//! The exercises in Go: `check --in go` builds the program, runs it against a cluster on a loopback port, and judges what
//! it does there. `go_wasm.rs` replaces this folder in a web page.

mod build;
mod gate;
mod outside;
mod process;
mod script;
mod trial;

use anyhow::{Context, Result};

use super::Exercise;
use super::check::Judgement;
use super::checkout::Checkout;
use crate::book::paper;
use crate::console::Ended;
use crate::trace::Printer;

/// Builds and judges the learner's program, and prints the verdict.
///
/// # Errors
/// Go is not installed, or the cluster cannot be served.
pub(super) fn judge(exercise: &Exercise, checkout: &Checkout, printer: &Printer) -> Result<Judgement> {
    let Some(file) = build::build(exercise, checkout, printer)? else {
        return Ok(Judgement::NotCompiled(build::does_not_compile(exercise)));
    };
    let script = script::SCRIPTS.iter().find(|script| script.name == exercise.name);
    let script = script.expect("a test finds the script of every exercise");
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().context("cannot start threads")?;
    let verdict = runtime.block_on(trial::run(script, &file))?;
    let text = verdict.text(printer.lang(), paper(printer).width);
    if Ended::from_write(printer.page(&text))? != Ended::Done {
        return Ok(Judgement::ReaderGone);
    }
    Ok(if verdict.is_right() { Judgement::Right } else { Judgement::Wrong })
}
