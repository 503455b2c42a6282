//! The `fieldValidation` parameter: the treatment of unknown and duplicate fields (faults) in a request body. By
//! default they become warnings of the response.

use kube_machinery::codec::schema::Decoded;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Strictness {
    /// Drops the faults.
    Ignore,
    /// Adds a warning to the response for each fault; the default.
    Warn,
    /// Fails the request.
    Strict,
}

impl Strictness {
    /// Parses the parameter. Returns `None` for an unknown value.
    pub(crate) fn of(text: &str) -> Option<Self> {
        match text {
            "" | "Warn" => Some(Self::Warn),
            "Ignore" => Some(Self::Ignore),
            "Strict" => Some(Self::Strict),
            _ => None,
        }
    }

    /// Joins the faults of a YAML body into one fault if validation is strict; otherwise each stays a warning.
    /// Upstream: `parseYAMLWarnings`.
    pub(crate) fn yaml_warnings(self, faults: Vec<String>) -> Vec<String> {
        match self {
            Self::Strict if !faults.is_empty() => vec![format!("yaml: unmarshal errors:\n  {}", faults.join("\n  "))],
            _ => faults,
        }
    }

    /// Returns the object with its faults, which become warnings. Under `Strict`, returns an error that lists the
    /// faults instead.
    pub(crate) fn check(self, mut decoded: Decoded) -> Result<Decoded, String> {
        match self {
            Self::Strict if !decoded.faults.is_empty() => Err(decoded.faults.join(", ")),
            Self::Ignore => {
                decoded.faults.clear();
                Ok(decoded)
            }
            _ => Ok(decoded),
        }
    }
}
