//! Parses the YAML files that users of this project write, such as scenarios. `codec/yaml.rs` reads request bodies, as
//! upstream reads them.

use std::time::Duration;

use serde::de::DeserializeOwned;
use serde_saphyr::{Location, Spanned};

/// An error in a file: `pods.yaml:3: expected …`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{file}:{line}: {problem}")]
pub struct FileError {
    file: String,
    line: u64,
    problem: String,
}

impl FileError {
    pub fn at(file: &str, location: Location, problem: impl Into<String>) -> Self {
        Self { file: file.to_owned(), line: location.line().max(1), problem: shortened(&problem.into()) }
    }

    /// Returns the line number, from 1.
    pub fn line(&self) -> u64 {
        self.line
    }
}

/// The longest quotation in an error, in characters.
const QUOTED: usize = 80;

/// Shortens long quotations: a file that is not YAML parses as one string, which the parser quotes whole.
fn shortened(problem: &str) -> String {
    let (mut short, mut quoted, mut escaped) = (String::new(), None, false);
    for c in problem.chars() {
        quoted = match quoted {
            Some(_) if c == '"' && !escaped => None,
            Some(length) => Some(length + 1),
            None => (c == '"').then_some(0),
        };
        escaped = c == '\\' && !escaped;
        match quoted {
            Some(length) if length == QUOTED => short.push('…'),
            Some(length) if length > QUOTED => {}
            _ => short.push(c),
        }
    }
    short
}

/// Parses a file with one document; `expected` describes its contents in a few words.
pub fn read<T: DeserializeOwned>(text: &str, file: &str, expected: &str) -> Result<T, FileError> {
    serde_saphyr::from_str(text).map_err(|error| of_yaml(&error, file, expected))
}

/// Converts the parser's error to an error of the file.
pub fn of_yaml(error: &serde_saphyr::Error, file: &str, expected: &str) -> FileError {
    let plain = error.without_snippet().to_string();
    let first = plain.lines().next().unwrap_or_default();
    // Drops the parser's location, because the error begins with it already.
    let problem = first.split(" at line ").next().unwrap_or(first).trim_start_matches("error: ").to_owned();
    FileError::at(file, error.location().unwrap_or(Location::UNKNOWN), format!("{problem}; expected {expected}"))
}

/// The longest duration that is accepted. It is short enough to be added to a clock without overflow.
const LONGEST: Duration = Duration::from_secs(24 * 60 * 60);

/// Parses a duration such as `150ms` or `1m30s`, which must be neither negative nor longer than a day.
pub fn short_duration(text: &str) -> Option<Duration> {
    let read = text.parse::<jiff::SignedDuration>().ok().and_then(|duration| Duration::try_from(duration).ok());
    read.filter(|duration| *duration <= LONGEST)
}

/// Reads a duration as [`short_duration`] does. An error names the file and the place.
pub fn duration(text: &Spanned<String>, file: &str) -> Result<Duration, FileError> {
    short_duration(&text.value).ok_or_else(|| {
        let problem = format!(
            "expected a duration that is not negative and at most a day, such as 150ms, 4s or 1m30s, found {:?}",
            text.value
        );
        FileError::at(file, text.referenced, problem)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_quotation_is_cut_off() {
        let two = format!("in \"a\\\"b\" {} in \"{}\" here", "x".repeat(200), "y".repeat(81));
        assert_eq!(shortened(&two), two.replace("yy\" here", "…\" here"));
    }
}
