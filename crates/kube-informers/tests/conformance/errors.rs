//! Errors, in the form in which they are recorded.

use std::fmt::Display;

use kube_informers::cache::{ApiError, Error, KeyError};
use serde_json::{Value, json};

/// An error without a kind of its own.
pub fn other(error: &impl Display) -> Value {
    json!({"kind": "Other", "text": error.to_string()})
}

/// An error of the API.
pub fn api(error: &ApiError) -> Value {
    let kind = if error.is_not_found() { "NotFound" } else { "Other" };
    json!({"kind": kind, "text": error.to_string()})
}

/// A key error. Its text holds the object in Go's print form, which only an object without metadata has here too.
pub fn key(error: &KeyError) -> Value {
    let mut shown = json!({"kind": "KeyError", "inner": error.source.to_string()});
    if !error.object.starts_with("Fields") {
        shown["text"] = json!(error.to_string());
    }
    shown
}

/// An error of a store, an indexer or a queue.
pub fn store(error: &Error) -> Value {
    match error {
        Error::Key(error) => key(error),
        Error::Transaction(error) => json!({
            "kind": "TransactionError",
            "text": error.to_string(),
            "successful": error.successful,
            "total": error.total,
            "errors": error.errors.iter().map(ToString::to_string).collect::<Vec<_>>(),
        }),
        error => other(error),
    }
}
