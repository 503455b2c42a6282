//! A CEL expression of an admission policy or webhook. It is compiled when it first runs, and the compiled form is
//! kept. It is not compiled when the object is read, because the store's lock is held then, and compilation would take
//! too long.

use std::sync::OnceLock;

use crate::codec::expression::interpreter::Program as Planned;
use crate::codec::expression::parse::{join_faults, parse};

#[derive(Debug)]
pub struct Program {
    pub text: String,
    /// The compiled expression or the error; empty before the first use.
    compiled: OnceLock<Result<Planned, String>>,
}

impl Program {
    pub(super) fn of(text: &str) -> Self {
        Self { text: text.to_owned(), compiled: OnceLock::new() }
    }

    /// Returns the compiled expression.
    ///
    /// # Errors
    /// cel-go's message, if the expression does not compile.
    pub fn planned(&self) -> Result<&Planned, &str> {
        self.compiled.get_or_init(|| compile(&self.text)).as_ref().map_err(String::as_str)
    }
}

fn compile(text: &str) -> Result<Planned, String> {
    let expression = parse(text.trim()).map_err(|faults| format!("compilation failed: {}", join_faults(faults)))?;
    Planned::of(expression).map_err(|why| format!("program instantiation failed: {why}"))
}
