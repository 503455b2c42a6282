//! A CEL expression of a policy or a webhook, compiled when it first runs.

use std::sync::OnceLock;

use crate::codec::expression::interpreter::Program as Planned;
use crate::codec::expression::parse::{join_faults, parse};

/// A CEL expression and its compiled form.
#[derive(Debug)]
pub struct Program {
    pub text: String,
    /// The compiled expression. It is compiled on first use, because a policy is read while the store's lock is held.
    read: OnceLock<Result<Planned, String>>,
}

impl Program {
    pub(super) fn of(text: &str) -> Self {
        Self { text: text.to_owned(), read: OnceLock::new() }
    }

    /// Returns the compiled expression.
    ///
    /// # Errors
    /// cel-go's message, if the expression does not compile.
    pub fn planned(&self) -> Result<&Planned, &str> {
        self.read.get_or_init(|| read(&self.text)).as_ref().map_err(String::as_str)
    }
}

fn read(text: &str) -> Result<Planned, String> {
    let expression = parse(text.trim()).map_err(|faults| format!("compilation failed: {}", join_faults(faults)))?;
    Planned::of(expression).map_err(|why| format!("program instantiation failed: {why}"))
}
