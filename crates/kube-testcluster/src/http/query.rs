//! Parses the query of a request, and its values as Go does: flags, integers and their error messages.

use std::num::{IntErrorKind, ParseIntError};

use super::status::ApiError;
use kube_machinery::conventions::escape;

/// The query parameters in the given order. The first one of a repeated name counts; malformed ones are dropped.
#[derive(Clone, Debug, Default)]
pub(crate) struct Query(Vec<(String, String)>);

impl Query {
    pub(crate) fn parse(uri: &http::Uri) -> Self {
        let parameters = uri.query().unwrap_or_default().split('&').filter(|parameter| escape::is_readable(parameter));
        Self(parameters.flat_map(|one| form_urlencoded::parse(one.as_bytes()).into_owned()).collect())
    }

    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    pub(crate) fn all(&self, name: &str) -> Vec<&str> {
        self.0.iter().filter(|(key, _)| key == name).map(|(_, value)| value.as_str()).collect()
    }

    pub(crate) fn text(&self, name: &str) -> String {
        self.get(name).unwrap_or_default().to_owned()
    }

    /// Returns a flag. As upstream, every value except `false` and `0` is true.
    pub(crate) fn flag(&self, name: &str) -> Option<bool> {
        self.get(name).map(|value| !value.eq_ignore_ascii_case("false") && value != "0")
    }

    pub(crate) fn integer(&self, name: &str) -> Result<Option<i64>, ApiError> {
        self.get(name)
            .map(|value| {
                value.parse().map_err(|error: ParseIntError| {
                    let problem = problem(&error);
                    ApiError::bad_request(format!("strconv.ParseInt: parsing {value:?}: {problem}"))
                })
            })
            .transpose()
    }
}

/// Returns Go's message for a text that is not a number.
pub(crate) fn problem(error: &ParseIntError) -> &'static str {
    match error.kind() {
        IntErrorKind::PosOverflow | IntErrorKind::NegOverflow => "value out of range",
        _ => "invalid syntax",
    }
}
