//! The `Status` objects that are no errors: the answers to a binding, and to a deletion.

use http::StatusCode;

use super::{Details, Status, StatusMeta, read_back};
use crate::http::answer::Answer;
use kube_machinery::kinds::Resource;
use kube_machinery::value::Value;

/// Returns a `Status` with Success and nothing else, as for a binding.
pub(crate) fn created() -> Answer {
    Answer::value(StatusCode::CREATED, success(None, Some(201)))
}

/// Returns the `Status` that answers the deletion of an object.
pub(crate) fn removed(resource: &Resource, name: &str, uid: &str) -> Answer {
    let details = Details {
        name: name.into(),
        group: resource.group().to_owned(),
        kind: resource.plural().into(),
        uid: Some(uid.into()),
        ..Details::default()
    };
    Answer::value(StatusCode::OK, success(Some(&details), None))
}

fn success(details: Option<&Details>, code: Option<u16>) -> Value {
    let metadata = StatusMeta { r#continue: None };
    let (message, reason) = ("", "");
    let status =
        Status { kind: "Status", api_version: "v1", metadata, status: "Success", message, reason, details, code };
    read_back(&serde_json::to_vec(&status).expect("a Status has only text keys"))
}
