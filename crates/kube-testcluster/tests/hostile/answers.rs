//! Checks that an answer to a hostile request is one that Kubernetes could give.

use serde_json::{Value, json};

/// Messages of errors that upstream also answers with 500 and without a reason.
const UNCLASSIFIED: [&str; 17] = [
    "Component not found: ",
    "strconv.ParseUint: ",
    "resourceVersion should not be set",
    "resourceVersion: Invalid value: ",
    "target.",
    "unknown patch type: ",
    // Objects in a server-side apply that do not fit their type.
    "failed to convert new object (",
    "failed to create typed ",
    "failed to create manager for existing fields: ",
    // Errors in the middle of a strategic merge.
    " does not contain declared merge key: ",
    "merging an object in json but data type is not struct",
    "unable to find api field in struct ",
    "expected slice or array type, but got: ",
    "no elements in any of the given slices",
    "The order in patch list:",
    "expected a ",
    "list element types are not identical: ",
];

/// Returns true if the text has the message of an error that is a 500 upstream too.
pub fn is_unclassified(text: &str) -> bool {
    UNCLASSIFIED.iter().any(|known| text.contains(known))
}

/// Accepts every success. An error must be a `Status` that agrees with the HTTP code, or one of the plain texts of Go's
/// HTTP server.
///
/// # Errors
/// The offending part of the answer.
pub fn check(status: u16, content_type: &str, body: &[u8]) -> Result<(), String> {
    let text = String::from_utf8_lossy(body);
    if status < 200 {
        return Err(format!("a status of {status}"));
    }
    if status < 400 {
        return Ok(());
    }
    if content_type.starts_with("text/plain") {
        let known = matches!((status, text.as_ref()), (404, "404 page not found\n") | (400, "400 Bad Request"));
        return if known { Ok(()) } else { Err(text.into_owned()) };
    }
    if !content_type.starts_with("application/json") {
        return Ok(()); // other requests get the same answers as JSON, which is checked
    }
    let value: Value = serde_json::from_slice(body).map_err(|error| format!("{error}: {text}"))?;
    let form = (&value["kind"], &value["apiVersion"], &value["status"], &value["code"]);
    if form != (&json!("Status"), &json!("v1"), &json!("Failure"), &json!(status)) {
        return Err(text.into_owned());
    }
    let message = value["message"].as_str().filter(|message| !message.is_empty()).ok_or("no message")?;
    let reason = value["reason"].as_str().unwrap_or_default();
    match status {
        500 if reason.is_empty() && is_unclassified(message) => Ok(()),
        501 if message.starts_with("the containers of this cluster are not real") => Ok(()),
        504 if reason == "Timeout" => Ok(()),
        400..500 if !reason.is_empty() => Ok(()),
        _ => Err(text.into_owned()),
    }
}
