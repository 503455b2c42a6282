//! An expression as an object has it.

use std::sync::OnceLock;

use crate::codec::expression::interpreter::Program as Planned;
use crate::codec::expression::parse::{parse, told};

/// An expression in CEL.
#[derive(Debug)]
pub struct Program {
    pub text: String,
    /// Read when it is first run: whoever stores an object holds the store's lock.
    read: OnceLock<Result<Planned, String>>,
}

impl Program {
    pub(super) fn of(text: &str) -> Self {
        Self { text: text.to_owned(), read: OnceLock::new() }
    }

    /// # Errors
    /// That it cannot be read.
    pub fn planned(&self) -> Result<&Planned, &str> {
        self.read.get_or_init(|| read(&self.text)).as_ref().map_err(String::as_str)
    }
}

fn read(text: &str) -> Result<Planned, String> {
    let expression = parse(text.trim()).map_err(|faults| format!("compilation failed: {}", told(faults)))?;
    Planned::of(expression).map_err(|why| format!("program instantiation failed: {why}"))
}
