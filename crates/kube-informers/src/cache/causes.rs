//! An error in one line, with what caused it.

use std::error::Error;
use std::fmt;

/// Writes an error and all its causes, each after a colon: `cannot list pods: the API server refused: pods is forbidden`.
/// A cause whose text the error before it already ends with is not repeated.
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
        let mut said = self.0.to_string();
        f.write_str(&said)?;
        let mut cause = self.0.source();
        while let Some(error) = cause {
            let text = error.to_string();
            if !said.ends_with(&text) {
                write!(f, ": {text}")?;
            }
            said = text;
            cause = error.source();
        }
        Ok(())
    }
}
