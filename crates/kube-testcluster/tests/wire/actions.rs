//! Repeats the writes that the recording program made while a watch was open. A recording describes them in a short
//! text form, such as `DELETE alpha`.

use serde_json::{Value, json};

use crate::client::{PODS, Server, pod, running};

/// Performs one recorded action.
///
/// # Errors
/// The action is unknown, or the server refuses the write, because an earlier write is missing from the recording.
pub async fn act(server: &Server, action: &str) -> Result<(), String> {
    let words: Vec<&str> = action.split([' ', ':']).filter(|word| !word.is_empty()).collect();
    let after = |word: &str| -> Value {
        let (_, text) = action.split_once(word).unwrap();
        serde_json::from_str(text).unwrap()
    };
    let (method, path, body) = match words.as_slice() {
        ["POST", "pod", name, "labels", ..] => ("POST", PODS.to_owned(), pod(name, &after("labels "))),
        ["POST", "configmap", name] => {
            ("POST", "/api/v1/namespaces/default/configmaps".to_owned(), json!({"metadata": {"name": name}}))
        }
        ["POST", "event", _, ..] => ("POST", "/api/v1/namespaces/default/events".to_owned(), after("POST event ")),
        ["merge", "patch", name, "labels", ..] => {
            ("PATCH", format!("{PODS}/{name}"), json!({"metadata": {"labels": after("labels ")}}))
        }
        ["DELETE", name] => ("DELETE", format!("{PODS}/{name}"), Value::Null),
        ["DELETE", name, parameter] => ("DELETE", format!("{PODS}/{name}?{parameter}"), Value::Null),
        ["PUT", "status", "of", name, "Running"] => ("PATCH", format!("{PODS}/{name}/status"), running()),
        _ => return Err(format!("the body of {action:?} is unknown: the recording is not complete")),
    };
    server.try_write(method, &path, &body).await
}
