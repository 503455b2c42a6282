//! The CEL library for semantic versions such as `1.2.3-beta.1+build`: `semver('1.2.3').isLessThan(…)`.
//!
//! Upstream: `pkg/cel/library/semverlib.go`, and `github.com/blang/semver`.

use std::cmp::Ordering;
use std::fmt;

use super::super::{Error, Meter};
use super::quantity::from_ordering;
use super::{Outcome, Value};
use crate::codec::expression::Object;
use crate::conventions::quote::quote;

pub(super) const SEMVER: &str = "kubernetes.Semver";

#[derive(Clone, Debug)]
struct Version {
    /// Major, minor and patch.
    numbers: [u64; 3],
    /// The prerelease: `beta` and 1 in `1.2.3-beta.1`.
    before_release: Vec<Part>,
    /// The build metadata: `5` in `1.2.3+5`.
    build: String,
}

/// A dot-separated identifier of a prerelease. Numbers sort before words.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Part {
    Number(u64),
    Text(String),
}

/// Calls `semver` or `isSemver`. A second argument of true allows a loose notation.
pub(super) fn call(name: &str, args: &[Value]) -> Option<Outcome> {
    let version = match args {
        [Value::String(text)] | [Value::String(text), Value::Bool(false)] => parse(text),
        [Value::String(text), Value::Bool(true)] => parse_loosely(text),
        _ => return None,
    };
    match name {
        "semver" => Some(version.map(Value::object).map_err(Error::Failed)),
        "isSemver" => Some(Ok(Value::Bool(version.is_ok()))),
        _ => None,
    }
}

fn is_number(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_word(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
}

fn has_leading_zero(text: &str) -> bool {
    text.len() > 1 && text.starts_with('0')
}

fn to_number(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| {
        let why = if text.is_empty() { "invalid syntax" } else { "value out of range" };
        format!("strconv.ParseUint: parsing {}: {why}", quote(text))
    })
}

/// Reads the major, minor or patch number, which `name` names in the error.
fn version_number(text: &str, name: &str) -> Result<u64, String> {
    if !is_number(text) {
        return Err(format!("Invalid character(s) found in {} number {}", name.to_ascii_lowercase(), quote(text)));
    }
    if has_leading_zero(text) {
        return Err(format!("{name} number must not contain leading zeroes {}", quote(text)));
    }
    to_number(text)
}

fn parse(text: &str) -> Result<Version, String> {
    if text.is_empty() {
        return Err("Version string empty".to_owned());
    }
    let parts: Vec<&str> = text.splitn(3, '.').collect();
    let [major, minor, rest] = parts.as_slice() else {
        return Err("No Major.Minor.Patch elements found".to_owned());
    };
    let (major, minor) = (version_number(major, "Major")?, version_number(minor, "Minor")?);
    let (rest, build) = rest.split_once('+').map_or((*rest, None), |(rest, build)| (rest, Some(build)));
    let (patch, before) = rest.split_once('-').map_or((rest, None), |(patch, before)| (patch, Some(before)));
    let patch = version_number(patch, "Patch")?;
    let before_release =
        before.into_iter().flat_map(|before| before.split('.')).map(read_part).collect::<Result<_, _>>()?;
    for part in build.into_iter().flat_map(|build| build.split('.')) {
        if part.is_empty() {
            return Err("Build meta data is empty".to_owned());
        }
        if !is_word(part) {
            return Err(format!("Invalid character(s) found in build meta data {}", quote(part)));
        }
    }
    Ok(Version { numbers: [major, minor, patch], before_release, build: build.unwrap_or_default().to_owned() })
}

/// Reads an identifier of the prerelease.
fn read_part(text: &str) -> Result<Part, String> {
    if text.is_empty() {
        return Err("Prerelease is empty".to_owned());
    }
    if !is_number(text) {
        let wrong = || format!("Invalid character(s) found in prerelease {}", quote(text));
        return is_word(text).then(|| Part::Text(text.to_owned())).ok_or_else(wrong);
    }
    if has_leading_zero(text) {
        return Err(format!("Numeric PreRelease version must not contain leading zeroes {}", quote(text)));
    }
    to_number(text).map(Part::Number)
}

/// Parses a version that may be short, have a `v` in front or leading zeros: `v1.2`, `01.2.3`. Upstream:
/// `normalizeAndParse`.
fn parse_loosely(text: &str) -> Result<Version, String> {
    let text = text.strip_prefix('v').unwrap_or(text);
    let mut parts: Vec<String> = text.splitn(3, '.').map(str::to_owned).collect();
    for part in &mut parts {
        let rest = part.trim_start_matches('0');
        let starts_with_digit = rest.starts_with(|c: char| c.is_ascii_digit());
        if part.len() > 1 {
            *part = if starts_with_digit { rest.to_owned() } else { format!("0{rest}") };
        }
    }
    if parts.len() < 3 {
        if parts.last().is_some_and(|last| last.contains(['+', '-'])) {
            return Err("short version cannot contain PreRelease/Build meta data".to_owned());
        }
        parts.resize(3, "0".to_owned());
    }
    parse(&parts.join("."))
}

impl Version {
    /// Compares by precedence: a prerelease sorts before its release, and build metadata does not count.
    fn compare(&self, other: &Self) -> Ordering {
        let numbers = self.numbers.cmp(&other.numbers);
        let release = self.before_release.is_empty().cmp(&other.before_release.is_empty());
        numbers.then(release).then_with(|| self.before_release.cmp(&other.before_release))
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [major, minor, patch] = self.numbers;
        write!(f, "{major}.{minor}.{patch}")?;
        for (i, part) in self.before_release.iter().enumerate() {
            f.write_str(if i == 0 { "-" } else { "." })?;
            match part {
                Part::Number(number) => write!(f, "{number}")?,
                Part::Text(text) => f.write_str(text)?,
            }
        }
        if self.build.is_empty() { Ok(()) } else { write!(f, "+{}", self.build) }
    }
}

impl Object for Version {
    #[cfg(test)]
    fn shown(&self) -> String {
        format!("semver({self})")
    }

    fn type_name(&self) -> &'static str {
        SEMVER
    }

    fn equals(&self, other: &dyn Object) -> Option<bool> {
        (other as &dyn std::any::Any).downcast_ref::<Self>().map(|other| self.compare(other).is_eq())
    }

    fn call(&self, _: &Meter, name: &str, args: &[Value]) -> Option<Outcome> {
        let number = |at: usize| Value::Int(i64::try_from(self.numbers[at]).unwrap_or(i64::MAX));
        Some(Ok(match (name, args) {
            ("major", []) => number(0),
            ("minor", []) => number(1),
            ("patch", []) => number(2),
            ("compareTo", [other]) => from_ordering(self.compare(other.downcast()?)),
            ("isLessThan", [other]) => Value::Bool(self.compare(other.downcast()?).is_lt()),
            ("isGreaterThan", [other]) => Value::Bool(self.compare(other.downcast()?).is_gt()),
            _ => return None,
        }))
    }
}
