//! Removes `metadata.managedFields`, server-side apply's record of field owners, from an object's text before decoding.
//! The record is often most of an object, and few controllers read it.

use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

use super::members::{Members, Text, member};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::cache) enum ManagedFields {
    Kept,
    Skipped,
}

/// Decodes an object as if its `metadata` had no `managedFields`.
///
/// They are cut out of the text, so the position in an error refers to the shorter text. A deserializer that skips them
/// would have to be compiled again for every type. If a text has `metadata` twice, which no API server sends, they are
/// cut out of the first only.
pub(super) fn without_managed_fields<T: DeserializeOwned>(text: &str) -> serde_json::Result<T> {
    match cut(text) {
        Some(text) => serde_json::from_str(&text),
        None => serde_json::from_str(text),
    }
}

/// Returns the text without `metadata.managedFields`; `None` if there are none. Also `None` for a text that is not
/// JSON, because decoding the original text then reports the fault.
fn cut(text: &str) -> Option<String> {
    let metadata = member::<&RawValue>(text, "metadata")?.get(); // API servers write it before `spec` and `status`
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

/// Returns true if a member's name, as it stands in the text, is `managedFields`.
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
    fn every_type_is_decoded_as_if_there_were_no_managed_fields() {
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
    fn only_managed_fields_of_the_metadata_are_cut_out_with_any_value_and_any_escapes() {
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
    fn a_faulty_text_fails_with_the_same_kind_of_error_as_without_the_cut() {
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
    fn missing_or_null_metadata_is_decoded_as_without_the_cut() {
        for text in [r#"{"spec":{"containers":[]}}"#, r#"{"metadata":null}"#, "{}"] {
            let plain = serde_json::from_str::<Pod>(text).map_err(|error| error.to_string());
            assert_eq!(without_managed_fields::<Pod>(text).map_err(|error| error.to_string()), plain);
        }
    }
}
