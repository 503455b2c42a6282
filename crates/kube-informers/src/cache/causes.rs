//! Writes an error with its causes, because its own text seldom says why: "cannot list pods" needs the cause
//! "connection refused".

use std::error::Error;
use std::fmt;

/// Returns an error's text with all its causes, each after a colon. A cause whose text the error already contains is
/// not repeated.
///
/// ```
/// # use kube_informers::cache::with_causes;
/// let error = std::io::Error::other("the disk is full");
/// assert_eq!(with_causes(&error).to_string(), "the disk is full");
/// ```
pub fn with_causes(error: &dyn Error) -> impl fmt::Display + '_ {
    WithCauses(error)
}

struct WithCauses<'a>(&'a dyn Error);

impl fmt::Display for WithCauses<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut last_text = self.0.to_string();
        f.write_str(&last_text)?;
        let mut cause = self.0.source();
        while let Some(error) = cause {
            let text = error.to_string();
            if !last_text.contains(&text) {
                write!(f, ": {text}")?;
            }
            last_text = text;
            cause = error.source();
        }
        Ok(())
    }
}
