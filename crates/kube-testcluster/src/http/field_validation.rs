//! Unknown fields in request bodies: `fieldValidation`.

use axum::response::Response;
use http::{HeaderValue, header};

use super::query::Query;
use super::status::ApiError;
use crate::codec::schema::Decoded;
use crate::machinery::cause::Cause;

/// The values of `fieldValidation`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Strictness {
    Ignore,
    /// The response has a warning for each unknown field; the default.
    Warn,
    /// The request fails.
    Strict,
}

impl Strictness {
    pub(crate) fn of_query(query: &Query, options: &'static str) -> Result<Self, ApiError> {
        match query.get("fieldValidation").unwrap_or_default() {
            "" | "Warn" => Ok(Self::Warn),
            "Ignore" => Ok(Self::Ignore),
            "Strict" => Ok(Self::Strict),
            other => {
                let supported = ["Ignore", "Strict", "Warn", ""];
                let cause = Cause::unsupported("fieldValidation", &format!("{other:?}"), &supported);
                Err(ApiError::invalid_options(options, vec![cause]))
            }
        }
    }

    /// Returns the object, with the unknown fields to warn about, or an error that names them.
    pub(crate) fn check(self, mut decoded: Decoded) -> Result<Decoded, String> {
        match self {
            Self::Strict if !decoded.unknown.is_empty() => {
                let fields: Vec<String> = decoded.unknown.iter().map(|field| unknown_field(field)).collect();
                Err(fields.join(", "))
            }
            Self::Ignore => {
                decoded.unknown.clear();
                Ok(decoded)
            }
            _ => Ok(decoded),
        }
    }
}

fn unknown_field(field: &str) -> String {
    format!("unknown field {field:?}")
}

/// Adds a warning for each unknown field to a response.
pub(crate) fn warn(mut response: Response, unknown: &[String]) -> Response {
    for field in unknown {
        let text = unknown_field(field).replace('\\', "\\\\").replace('"', "\\\"");
        if let Ok(value) = HeaderValue::from_str(&format!("299 - \"{text}\"")) {
            response.headers_mut().append(header::WARNING, value);
        }
    }
    response
}
