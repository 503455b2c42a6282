//! Converts custom resources from one version to another, with the conversion webhook of their definition. Without one,
//! only the apiVersion changes, and fields that the other version's schema does not have are dropped. The verbs convert
//! objects between the stored version and the version of a request; policies convert their parameters. Upstream:
//! `pkg/apiserver/conversion/webhook_converter.go` in `k8s.io/apiextensions-apiserver`.

use std::time::Duration;

use super::{TimeoutParameter, post};
use crate::http::status::ApiError;
use crate::store::Store;
use kube_machinery::kinds::Resource;
use kube_machinery::kinds::custom_resource::ConversionWebhook;
use kube_machinery::value::{Map, Value, json};

/// The timeout of a conversion webhook. Upstream has no limit except the timeout of the request.
const TIMEOUT: Duration = Duration::from_secs(30);

/// The versions of `ConversionReview` that this server supports.
const VERSIONS: [&str; 2] = ["v1", "v1beta1"];

/// Converts an object to another version of its kind, both without `kind` and `apiVersion`. Calls the webhook if the
/// kind has one. The error is upstream's message for a failed conversion.
pub(crate) async fn converted(
    store: &Store,
    (from, to): (&Resource, &Resource),
    value: Value,
) -> Result<Value, ApiError> {
    if from == to {
        return Ok(value);
    }
    match to.conversion_webhook() {
        Some(hook) => {
            let converted = convert(store, hook, to, vec![typed(from, value)]).await?.pop();
            Ok(to.coerce(converted.unwrap_or_default()))
        }
        None => Ok(to.coerce(value)),
    }
}

/// Converts custom resources to the version of `to`. Each object names its version in `apiVersion`.
pub(crate) async fn in_version(store: &Store, to: &Resource, mut objects: Vec<Value>) -> Result<Vec<Value>, ApiError> {
    let version = to.api_version();
    let others: Vec<&mut Value> = objects.iter_mut().filter(|object| object["apiVersion"] != version).collect();
    let mut converted: Vec<Value> = others.iter().map(|object| Value::clone(object)).collect();
    if let Some(hook) = to.conversion_webhook() {
        converted = convert(store, hook, to, converted).await?;
    }
    for (object, converted) in others.into_iter().zip(converted) {
        *object = typed(to, to.coerce(converted));
    }
    Ok(objects)
}

/// Adds kind and apiVersion to an object.
fn typed(resource: &Resource, mut value: Value) -> Value {
    value["kind"] = resource.kind().into();
    value["apiVersion"] = resource.api_version().into();
    value
}

/// Calls the webhook with these objects, and checks the converted ones.
async fn convert(
    store: &Store,
    hook: &ConversionWebhook,
    to: &Resource,
    objects: Vec<Value>,
) -> Result<Vec<Value>, ApiError> {
    let Some(first) = objects.first() else { return Ok(objects) };
    let from = first["apiVersion"].as_str().unwrap_or_default();
    let what = format!("conversion webhook for {from}, Kind={}", to.kind());
    let failed = |why: &str| ApiError::internal(format!("{what} {why}"));
    let known = hook.review_versions.iter().find(|version| VERSIONS.contains(&version.as_str()));
    let version = known.ok_or_else(|| ApiError::internal("no supported conversion review versions"))?;
    let uid = store.random().uid();
    let review = json!({
        "kind": "ConversionReview", "apiVersion": format!("apiextensions.k8s.io/{version}"),
        "request": {"uid": uid, "desiredAPIVersion": to.api_version(), "objects": objects},
    });
    let mut answer = post(store, &hook.client, TIMEOUT, &review, TimeoutParameter::NotSent)
        .await
        .map_err(|why| failed(&format!("failed: {why}")))?;
    let converted = answered(&mut answer, version, &uid).map_err(|why| failed(&format!("failed: {why}")))?;
    if converted.len() != objects.len() {
        return Err(failed(&format!("returned {} objects, expected {}", converted.len(), objects.len())));
    }
    let pairs = objects.iter().zip(converted).enumerate();
    pairs.map(|(n, (original, object))| checked(original, object, to, n).map_err(|why| failed(&why))).collect()
}

/// Returns the converted objects of a response. Upstream: `getConvertedObjectsFromResponse`.
fn answered(answer: &mut Value, version: &str, uid: &str) -> Result<Vec<Value>, String> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let (api_version, kind) = (text(&answer["apiVersion"]), text(&answer["kind"]));
    if version == "v1" && (api_version.as_str(), kind.as_str()) != ("apiextensions.k8s.io/v1", "ConversionReview") {
        let wanted = "apiextensions.k8s.io/v1, Kind=ConversionReview";
        return Err(format!("expected webhook response of {wanted}, got {api_version}, Kind={kind}"));
    }
    let response = &mut answer["response"];
    if !response.is_object() {
        return Err("no response provided".to_owned());
    }
    if version == "v1" && response["uid"] != uid {
        return Err(format!("expected response.uid={uid:?}, got {:?}", text(&response["uid"])));
    }
    let (status, message) = (text(&response["result"]["status"]), text(&response["result"]["message"]));
    match (status.as_str(), message.as_str()) {
        ("Success", _) => {}
        (_, "") => return Err(format!("response.result.status was '{status}', not 'Success'")),
        _ => return Err(message),
    }
    match response["convertedObjects"].take() {
        Value::Array(objects) => Ok(objects.into_iter().collect()),
        _ => Ok(Vec::new()),
    }
}

/// Checks a converted object, and restores the metadata of the original except labels and annotations. Upstream:
/// `validateConvertedObject` and `restoreObjectMeta`.
fn checked(original: &Value, mut object: Value, to: &Resource, n: usize) -> Result<Value, String> {
    let invalid = |why: String| format!("returned invalid converted object at index {n}: {why}");
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let (wanted, got) = (to.api_version(), text(&object["apiVersion"]));
    if wanted != got {
        return Err(invalid(format!("invalid groupVersion (expected {wanted}, received {got})")));
    }
    if object["kind"] != to.kind() {
        let got = text(&object["kind"]);
        return Err(invalid(format!("invalid kind (expected {}, received {got})", to.kind())));
    }
    for (field, what) in [("name", "name"), ("namespace", "namespace"), ("uid", "UID")] {
        let (before, after) = (text(&original["metadata"][field]), text(&object["metadata"][field]));
        if before != after {
            return Err(invalid(format!("must have the same {what}: {before} != {after}")));
        }
    }
    let of_metadata = |why: String| format!("returned invalid metadata in object at index {n}: {why}");
    let returned = match object["metadata"].take() {
        Value::Object(metadata) => metadata,
        Value::Null => return Err(of_metadata("missing metadata in converted object".to_owned())),
        _ => return Err(of_metadata("invalid metadata in converted object".to_owned())),
    };
    object["metadata"] = restored(&original["metadata"], returned).map_err(of_metadata)?;
    Ok(object)
}

/// Returns the original metadata with the labels and annotations that the webhook returned.
fn restored(original: &Value, mut returned: Map) -> Result<Value, String> {
    let mut metadata = original.as_object().cloned().unwrap_or_default();
    for field in ["labels", "annotations"] {
        match returned.remove(field) {
            None | Some(Value::Null) => drop(metadata.remove(field)),
            Some(Value::Object(texts)) => {
                if let Some((key, _)) = texts.iter().find(|(_, value)| !value.is_string()) {
                    return Err(format!("metadata.{field}[{key}] must be a string in converted object"));
                }
                metadata.insert(field.into(), Value::Object(texts));
            }
            Some(_) => return Err(format!("invalid metadata.{field} in converted object")),
        }
    }
    Ok(Value::Object(metadata))
}

#[cfg(test)]
mod tests {
    use super::*;
    use kube_machinery::kinds::CONFIG_MAPS;

    #[test]
    fn a_converted_object_keeps_its_metadata_except_labels_and_annotations() {
        let original = json!({"metadata": {"name": "a", "uid": "u", "finalizers": ["f"], "labels": {"old": "1"}}});
        let object = |metadata: Value| json!({"kind": "ConfigMap", "apiVersion": "v1", "metadata": metadata});
        let good = object(json!({"name": "a", "uid": "u", "labels": {"new": "1"}, "finalizers": []}));
        let metadata = checked(&original, good, CONFIG_MAPS, 0).unwrap()["metadata"].clone();
        assert_eq!(metadata, json!({"name": "a", "uid": "u", "finalizers": ["f"], "labels": {"new": "1"}}));
        let renamed = checked(&original, object(json!({"name": "b", "uid": "u"})), CONFIG_MAPS, 2).unwrap_err();
        assert_eq!(renamed, "returned invalid converted object at index 2: must have the same name: a != b");
    }
}
