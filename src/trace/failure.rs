//! An error with a suggestion for the next step.

use std::error::Error;
use std::fmt;

/// An error in one sentence, its cause, and what to do about it.
///
/// [`Printer::report`](super::Printer::report) prints the three parts on lines of their own.
#[derive(Debug)]
pub struct Failure {
    sentence: String,
    next: Option<String>,
    cause: Option<Box<dyn Error + Send + Sync>>,
}

impl Failure {
    /// A failure, described in one sentence.
    pub fn new(sentence: impl Into<String>) -> Self {
        Self { sentence: sentence.into(), next: None, cause: None }
    }

    /// Adds what the reader can do now.
    pub fn next(mut self, hint: impl Into<String>) -> Self {
        self.next = Some(hint.into());
        self
    }

    /// Adds the underlying error.
    pub fn because(mut self, cause: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        self.cause = Some(cause.into());
        self
    }

    /// The next step, if there is one.
    pub fn hint(&self) -> Option<&str> {
        self.next.as_deref()
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.sentence)
    }
}

impl Error for Failure {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.cause.as_ref().map(|cause| cause.as_ref() as _)
    }
}
