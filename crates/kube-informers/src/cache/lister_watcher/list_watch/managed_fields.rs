//! managedFields: who set which field, as server-side apply needs it. They are often most of an object and few controllers read
//! them, so they can be left out before an object is read.

use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

use super::members::{Members, Text, member};

/// What is done with `metadata.managedFields`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::cache) enum ManagedFields {
    Kept,
    Skipped,
}

/// Reads an object as if its `metadata` had no `managedFields`.
///
/// They are cut out of the text, so the place that an error names is one in the shorter text. A deserializer that passes them over would
/// be compiled for every type once more. Of a text that has `metadata` twice, which no API server sends, they are cut out of the first.
pub(super) fn without_managed_fields<T: DeserializeOwned>(text: &str) -> serde_json::Result<T> {
    match cut(text) {
        Some(text) => serde_json::from_str(&text),
        None => serde_json::from_str(text),
    }
}

/// The text without the `managedFields` of its metadata; nothing if there are none. What is no JSON is nothing too, so that the reading
/// of the whole text tells the fault.
fn cut(text: &str) -> Option<String> {
    let metadata = member::<&RawValue>(text, "metadata")?.get(); // it stands before `spec` and `status`
    let Members(mut members) = serde_json::from_str(metadata).ok()?;
    let all = members.len();
    members.retain(|(name, _)| !is_managed_fields(name));
    if members.len() == all {
        return None;
    }
    let kept: Vec<_> = members.iter().map(|(name, value)| format!("{name}:{value}")).collect();
    let (before, rest) = text.split_at(metadata.as_ptr().addr() - text.as_ptr().addr());
    Some(format!("{before}{{{}}}{}", kept.join(","), &rest[metadata.len()..]))
}

fn is_managed_fields(name: &RawValue) -> bool {
    serde_json::from_str(name.get()).is_ok_and(|Text(name)| name == "managedFields")
}

#[cfg(test)]
mod tests {
    use k8s_openapi::api::core::v1::Pod;
    use kube_core::{DynamicObject, PartialObjectMeta};
    use serde::Deserialize;
    use serde_json::{Value, json};

    use super::*;

    fn pod() -> Value {
        json!({
            "kind": "Pod", "apiVersion": "v1",
            "metadata": {
                "name": "a",
                "managedFields": [{"manager": "kubectl", "fieldsV1": {"f:metadata": {"f:labels": {}}}}],
                "annotations": {"managedFields": "[]}", "metadata": "kept"},
                "uid": "1",
            },
            "spec": {"containers": [{"name": "c", "image": "i"}], "managedFields": 1},
        })
    }

    #[test]
    fn every_type_is_read_as_if_there_were_none() {
        let (with, mut without) = (pod(), pod());
        without["metadata"].as_object_mut().unwrap().remove("managedFields");
        assert_eq!(without_managed_fields::<Value>(&with.to_string()).unwrap(), without);
        let (with, without) = (with.to_string(), without.to_string());
        let pod: Pod = without_managed_fields(&with).unwrap();
        assert_eq!(pod, serde_json::from_str(&without).unwrap());
        let object: DynamicObject = without_managed_fields(&with).unwrap();
        assert_eq!(object, serde_json::from_str::<DynamicObject>(&without).unwrap());
        let partial: PartialObjectMeta<Pod> = without_managed_fields(&with).unwrap();
        assert_eq!((partial.metadata, partial.types), (object.metadata, object.types));
        #[derive(Debug, PartialEq, Deserialize)]
        struct Wrapped(Option<Box<Value>>);
        let wrapped: Wrapped = without_managed_fields(&with).unwrap();
        assert_eq!(wrapped, serde_json::from_str(&without).unwrap());
    }

    #[test]
    fn only_those_of_the_metadata_are_skipped_whatever_they_are_and_however_they_are_written() {
        let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
        for fields in [r#"[{"a":"]}\"\\"}]"#, "null", "7", r#""text""#, "{}", &deep] {
            for name in ["managedFields", r"managed\u0046ields"] {
                let text = format!(r#"{{"managedFields":1,"metadata":{{"name":"a","{name}":{fields},"uid":"1"}}}}"#);
                let read: Value = without_managed_fields(&text).unwrap();
                assert_eq!(read, json!({"managedFields": 1, "metadata": {"name": "a", "uid": "1"}}));
            }
        }
    }

    #[test]
    fn what_is_wrong_is_as_wrong_as_it_was() {
        let whole = pod().to_string();
        for text in (0..whole.len()).map(|length| &whole[..length]).chain([
            r#"{"metadata":{"managedFields":[}}"#,
            r#"{"metadata":{"managedFields":}}"#,
            r#"{"metadata":{"managedFields"}}"#,
            r#"{"metadata":{"name":7}}"#,
            r#"{"metadata":[]}"#,
            r#"{"metadata":{}}x"#,
            "[]",
            "7",
            "null",
        ]) {
            let (read, plain) = (without_managed_fields::<Pod>(text), serde_json::from_str::<Pod>(text));
            let kind = |error: serde_json::Error| error.classify();
            assert_eq!(read.map_err(kind), plain.map_err(kind), "{text}");
        }
    }

    #[test]
    fn metadata_that_is_missing_or_null_is_read_as_without_it() {
        for text in [r#"{"spec":{"containers":[]}}"#, r#"{"metadata":null}"#, "{}"] {
            let plain = serde_json::from_str::<Pod>(text).map_err(|error| error.to_string());
            assert_eq!(without_managed_fields::<Pod>(text).map_err(|error| error.to_string()), plain);
        }
    }
}
