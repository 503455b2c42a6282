//! The policy of a namespace: a level and a version for each of the modes enforce, audit and warn. Upstream:
//! `api/helpers.go`.

use std::fmt;

use crate::conventions::cause::Cause;
use crate::conventions::causes::Causes;

/// A set of checks: `Restricted` has those of `Baseline`, and `Privileged` has none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    Privileged,
    Baseline,
    Restricted,
}

impl Level {
    fn parse(text: &str) -> Option<Self> {
        [Self::Privileged, Self::Baseline, Self::Restricted].into_iter().find(|level| level.name() == text)
    }

    fn name(self) -> &'static str {
        match self {
            Self::Privileged => "privileged",
            Self::Baseline => "baseline",
            Self::Restricted => "restricted",
        }
    }
}

/// The minor version of Kubernetes whose checks apply.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Version {
    Minor(u64),
    Latest,
}

impl Version {
    fn parse(text: &str) -> Option<Self> {
        if text == "latest" {
            return Some(Self::Latest);
        }
        let minor = text.strip_prefix("v1.")?;
        let is_canonical = minor == "0" || !minor.starts_with('0') && minor.bytes().all(|byte| byte.is_ascii_digit());
        // Upstream parses the number into an `int` of Go.
        let number = minor.parse().ok().filter(|number| i64::try_from(*number).is_ok());
        number.filter(|_| is_canonical).map(Self::Minor)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LevelVersion {
    pub level: Level,
    pub version: Version,
}

impl fmt::Display for LevelVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.version {
            Version::Latest => write!(f, "{}:latest", self.level.name()),
            Version::Minor(minor) => write!(f, "{}:v1.{minor}", self.level.name()),
        }
    }
}

/// The levels of a namespace: the mode `enforce` refuses a pod that violates its level, and `warn` warns the client. The
/// mode `audit` writes to the audit log, which this server does not have; only its labels are checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Policy {
    pub enforce: LevelVersion,
    pub warn: LevelVersion,
}

const ENFORCE: &str = "pod-security.kubernetes.io/enforce";
const ENFORCE_VERSION: &str = "pod-security.kubernetes.io/enforce-version";
const AUDIT: &str = "pod-security.kubernetes.io/audit";
const AUDIT_VERSION: &str = "pod-security.kubernetes.io/audit-version";
const WARN: &str = "pod-security.kubernetes.io/warn";
const WARN_VERSION: &str = "pod-security.kubernetes.io/warn-version";

/// The level of an invalid label.
const STRICTEST: Level = Level::Restricted;

impl Policy {
    /// The policy of a namespace without labels: kube-apiserver's default.
    const DEFAULT: Self = {
        let privileged = LevelVersion { level: Level::Privileged, version: Version::Latest };
        Self { enforce: privileged, warn: privileged }
    };

    /// Returns the policy that the labels of a namespace choose, and the causes against invalid labels. `label` returns
    /// the value of a label. With an invalid level, the mode `enforce` has the strictest one, and the mode `warn` warns
    /// of nothing. Upstream: `PolicyToEvaluate`.
    pub fn of_labels<'a>(label: impl Fn(&str) -> Option<&'a str>) -> (Self, Causes) {
        let mut reader = Reader { label, causes: Causes::default() };
        let mut policy = Self::DEFAULT;
        let enforced = reader.level(ENFORCE);
        policy.enforce.level = enforced.map_or(policy.enforce.level, |level| level.unwrap_or(STRICTEST));
        policy.enforce.version = reader.version(ENFORCE_VERSION).unwrap_or(Version::Latest);
        reader.level(AUDIT);
        reader.version(AUDIT_VERSION);
        let warned = reader.level(WARN);
        policy.warn.level = warned.map_or(policy.warn.level, |level| level.unwrap_or(Level::Privileged));
        let version = reader.version(WARN_VERSION);
        policy.warn.version = version.unwrap_or(Version::Latest);
        // A stricter level is also the one that is warned about, unless the labels name another one.
        if let (None, Some(Some(level))) = (warned, enforced)
            && level > policy.warn.level
        {
            policy.warn = LevelVersion { level, version: version.unwrap_or(policy.enforce.version) };
        }
        (policy, reader.causes)
    }
}

struct Reader<F> {
    label: F,
    causes: Causes,
}

impl<'a, F: Fn(&str) -> Option<&'a str>> Reader<F> {
    /// Returns the level in a label; `None` without the label, and `Some(None)` for an invalid one.
    fn level(&mut self, label: &str) -> Option<Option<Level>> {
        self.parsed(label, Level::parse, "must be one of privileged, baseline, restricted")
    }

    /// Returns the version in a label, which is the latest one for an invalid label; `None` without the label.
    fn version(&mut self, label: &str) -> Option<Version> {
        let version = self.parsed(label, Version::parse, r#"must be "latest" or "v1.x""#);
        version.map(|version| version.unwrap_or(Version::Latest))
    }

    fn parsed<T>(&mut self, name: &str, parse: fn(&str) -> Option<T>, problem: &str) -> Option<Option<T>> {
        let text = (self.label)(name)?;
        let parsed = parse(text);
        if parsed.is_none() {
            self.causes.push(Cause::invalid(format!("metadata.labels[{name}]"), text, problem));
        }
        Some(parsed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the policy of labels as `enforce` and `warn`, and the number of causes.
    fn policy(labels: &[(&str, &str)]) -> (String, String, usize) {
        let (policy, causes) = Policy::of_labels(|label| {
            let name = label.strip_prefix("pod-security.kubernetes.io/").unwrap();
            labels.iter().find(|(known, _)| *known == name).map(|(_, value)| *value)
        });
        (policy.enforce.to_string(), policy.warn.to_string(), causes.len())
    }

    fn chosen(enforce: &str, warn: &str, causes: usize) -> (String, String, usize) {
        (enforce.to_owned(), warn.to_owned(), causes)
    }

    #[test]
    fn a_stricter_enforced_level_is_also_warned_about() {
        let latest = "privileged:latest";
        assert_eq!(policy(&[]), chosen(latest, latest, 0));
        assert_eq!(policy(&[("enforce", "baseline")]), chosen("baseline:latest", "baseline:latest", 0));
        let versioned = [("enforce", "baseline"), ("enforce-version", "v1.24")];
        assert_eq!(policy(&versioned), chosen("baseline:v1.24", "baseline:v1.24", 0));
        let warned = [("enforce", "baseline"), ("warn", "privileged")];
        assert_eq!(policy(&warned), chosen("baseline:latest", latest, 0));
        let version_alone = [("enforce", "restricted"), ("warn-version", "v1.0")];
        assert_eq!(policy(&version_alone), chosen("restricted:latest", "restricted:v1.0", 0));
    }

    #[test]
    fn an_invalid_label_is_enforced_strictly_and_warns_of_nothing() {
        assert_eq!(policy(&[("enforce", "strict")]), chosen("restricted:latest", "privileged:latest", 1));
        assert_eq!(policy(&[("warn", "")]), chosen("privileged:latest", "privileged:latest", 1));
        for version in ["v1", "1.2", "v1.02", "v1.", "v1.-1", "v1.99999999999999999999", "v2.0", "Latest"] {
            assert_eq!(policy(&[("audit-version", version)]).2, 1, "{version}");
        }
    }
}
