//! Converts errors to the JSON form of the recordings.

use std::fmt::Display;

use kube_informers::cache::{ApiError, Error, KeyError};
use serde_json::{Value, json};

use super::object::NoMetadata;

/// Converts an error that has no recorded kind of its own.
pub fn other(error: &impl Display) -> Value {
    json!({"kind": "Other", "text": error.to_string()})
}

/// Converts the error of a lister.
pub fn api(error: &ApiError) -> Value {
    let kind = if error.is_not_found() { "NotFound" } else { "Other" };
    json!({"kind": kind, "text": error.to_string()})
}

pub fn key(error: &KeyError) -> Value {
    json!({"kind": "KeyError", "inner": error.source.to_string(), "text": text_of_key(error)})
}

/// Returns client-go's text of a key error. client-go prints the object, or its delta if a resync found it in the
/// queue; the library prints neither, because an object may be a Secret.
fn text_of_key(error: &KeyError) -> String {
    let NoMetadata { object } = error.source.downcast_ref().expect("the tests' key function fails for one reason");
    let object = match error.delta {
        Some(kind) => format!("{{Type:{kind} Object:{object}}}"),
        None => object.clone(),
    };
    format!("couldn't create key for object {object}: {}", error.source)
}

/// Returns client-go's text of an error.
fn text(error: &Error) -> String {
    match error {
        Error::Key(error) => text_of_key(error),
        Error::Enqueue(error) => format!("couldn't enqueue object: {}", text(error)),
        Error::Transaction(error) => {
            let (failed, errors) = (error.errors.len(), error.errors.iter().map(text).collect::<Vec<_>>().join(" "));
            format!("failed to execute ({failed}/{}) transactions failed due to: [{errors}]", error.total)
        }
        error => error.to_string(),
    }
}

/// Converts the error of a store, an indexer or a queue.
pub fn store(whole: &Error) -> Value {
    match whole {
        Error::Key(error) => key(error),
        Error::Transaction(error) => json!({
            "kind": "TransactionError",
            "text": text(whole),
            "successful": error.successful,
            "total": error.total,
            "errors": error.errors.iter().map(text).collect::<Vec<_>>(),
        }),
        error => other(&text(error)),
    }
}
