//! An expression as an object has it.

use std::sync::OnceLock;

use crate::codec::expression::Expression;
use crate::codec::expression::parse::{parse, told};

/// An expression in CEL.
#[derive(Debug)]
pub(crate) struct Program {
    pub(crate) text: String,
    /// Read when it is first run: whoever stores an object holds the store's lock.
    read: OnceLock<Result<Expression, String>>,
}

impl Program {
    pub(super) fn of(text: &str) -> Self {
        Self { text: text.to_owned(), read: OnceLock::new() }
    }

    /// # Errors
    /// That it cannot be read.
    pub(crate) fn expression(&self) -> Result<&Expression, &str> {
        self.read.get_or_init(|| parse(self.text.trim()).map_err(told)).as_ref().map_err(String::as_str)
    }
}
