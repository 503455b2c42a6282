//! Replaces `go/` in the build for a web page, which cannot start a program.

use anyhow::Result;

use super::Exercise;
use super::check::Judgement;
use super::checkout::Checkout;
use crate::trace::{Failure, Printer};

/// Fails, because a web page starts no programs.
///
/// # Errors
/// Always.
pub(super) fn judge(_exercise: &Exercise, _checkout: &Checkout, _printer: &Printer) -> Result<Judgement> {
    Err(Failure::not_in_a_page().into())
}
