//! Reads the initial pods of a cluster from a YAML file that the user has written, in one of three forms: several
//! documents, a List (as kubectl prints it), or a plain sequence. Errors name the line.

use std::collections::BTreeSet;
use std::fmt;

use k8s_openapi::api::core::v1::Pod;
use serde::Deserialize;
use serde::de::{self, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_saphyr::Spanned;

use kube_machinery::conventions::yaml::{self, FileError};
use kube_machinery::kinds::PODS;
use kube_machinery::value::{Map, Value};

/// Parses pods from YAML. `name` is the file's name for error messages. Pods without a namespace get `namespace`.
///
/// # Errors
/// The text is not YAML, or contains something that is not a pod, a pod that an API server would refuse, or the same
/// pod twice.
pub fn pods_from_yaml(text: &str, name: &str, namespace: &str) -> Result<Vec<Pod>, FileError> {
    // A file may have any number of pods, but the parser's limits stay for aliases, which could multiply its contents.
    let options = serde_saphyr::options! {
        budget: serde_saphyr::budget! { max_documents: usize::MAX, max_nodes: usize::MAX, max_events: usize::MAX },
    };
    let documents =
        serde_saphyr::from_multiple_with_options::<Spanned<YamlDocument>>(text, options).map_err(|error| {
            yaml::of_yaml(&error, name, "pods: documents of kind Pod, a List of pods, or a sequence of pods")
        })?;
    let mut seen = BTreeSet::new();
    let mut pods = Vec::new();
    for document in documents {
        for (value, at) in document.value.objects(document.referenced) {
            let pod = pod(value, namespace).map_err(|problem| FileError::at(name, at, problem))?;
            let key = (pod.metadata.namespace.clone(), pod.metadata.name.clone());
            if !seen.insert(key.clone()) {
                let name_of_pod = key.1.unwrap_or_default();
                return Err(FileError::at(name, at, format!("expected every pod once, found {name_of_pod} again")));
            }
            pods.push(pod);
        }
    }
    Ok(pods)
}

/// Checks and completes one pod.
fn pod(mut value: Value, namespace: &str) -> Result<Pod, String> {
    let kind = value["kind"].as_str().unwrap_or("Pod").to_owned();
    if kind != "Pod" {
        return Err(format!("expected a Pod, found kind {kind}"));
    }
    if !value.is_object() {
        return Err("expected a Pod, found something that is not a mapping".into());
    }
    if value.get("metadata").is_none_or(|metadata| !metadata.is_object()) {
        return Err("expected a Pod with metadata.name".into());
    }
    if value["metadata"]["namespace"].as_str().unwrap_or_default().is_empty() {
        value["metadata"]["namespace"] = namespace.into();
    }
    let shaped = PODS
        .decode_value(value)
        .map_err(|error| format!("expected a Pod: {}", error.trim_start_matches("json: ")))?
        .value;
    // Validate the pod as the server will see it, but return it as it was written.
    let mut with_defaults = shaped.clone();
    (PODS.defaults)(&mut with_defaults);
    if let Some(cause) = PODS.causes_of_new(&with_defaults).first() {
        let name = shaped["metadata"]["name"].as_str().unwrap_or_default();
        return Err(format!("expected a valid Pod, but in {name:?} {}", cause.sentence()));
    }
    // Decode from text, as everywhere else: decoding a pod from another source would add seconds of compile time.
    serde_json::from_str(&shaped.to_string()).map_err(|error| format!("expected a Pod: {error}"))
}

/// One document, with the position of each object in a sequence or a List.
enum YamlDocument {
    Empty,
    Sequence(Vec<Spanned<Value>>),
    Mapping { fields: Map, items: Option<Vec<Spanned<Value>>> },
}

impl YamlDocument {
    /// Returns the objects in the document, each with its position. `at` is the position of the document.
    fn objects(self, at: serde_saphyr::Location) -> Vec<(Value, serde_saphyr::Location)> {
        match self {
            Self::Empty => Vec::new(),
            Self::Sequence(items) | Self::Mapping { items: Some(items), .. } => {
                items.into_iter().map(|item| (item.value, item.referenced)).collect()
            }
            Self::Mapping { fields, items: None } => vec![(Value::Object(fields), at)],
        }
    }
}

impl<'de> Deserialize<'de> for YamlDocument {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(DocumentVisitor)
    }
}

struct DocumentVisitor;

impl<'de> Visitor<'de> for DocumentVisitor {
    type Value = YamlDocument;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a pod, a List of pods, or a sequence of pods")
    }

    fn visit_unit<E: de::Error>(self) -> Result<YamlDocument, E> {
        Ok(YamlDocument::Empty)
    }

    fn visit_none<E: de::Error>(self) -> Result<YamlDocument, E> {
        Ok(YamlDocument::Empty)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut sequence: A) -> Result<YamlDocument, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = sequence.next_element()? {
            items.push(item);
        }
        Ok(YamlDocument::Sequence(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut mapping: A) -> Result<YamlDocument, A::Error> {
        let (mut fields, mut items) = (Map::new(), None);
        while let Some(key) = mapping.next_key::<String>()? {
            if key == "items" {
                items = Some(mapping.next_value()?);
            } else {
                fields.insert(key.into(), mapping.next_value()?);
            }
        }
        Ok(YamlDocument::Mapping { fields, items })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_quotes_only_the_beginning_of_a_text_that_is_not_yaml() {
        let text = "Licensed under the Apache License.\n".repeat(100);
        let error = pods_from_yaml(&text, "LICENSE", "default").unwrap_err().to_string();
        assert!(error.starts_with("LICENSE:1: ") && error.contains("\"Licensed under"), "{error}");
        assert!(error.contains("…\", expected a pod") && error.len() < 300, "{error}");
    }

    #[test]
    fn thousands_of_pods_are_read_in_a_list_and_as_documents() {
        let pod = |n| {
            format!(
                "{{kind: Pod, metadata: {{name: web-{n}, labels: {{app: web, tier: front}}}}, spec: {{containers: [{{name: main, image: nginx, \
                ports: [{{name: http, containerPort: 80}}], env: [{{name: A, value: '1'}}, {{name: B, value: '2'}}]}}]}}}}\n"
            )
        };
        let list: String = (0..3000).map(|n| format!("- {}", pod(n))).collect();
        let documents: String = (0..3000).map(|n| format!("---\n{}", pod(n))).collect();
        for text in [format!("kind: List\nitems:\n{list}"), documents] {
            assert_eq!(pods_from_yaml(&text, "pods.yaml", "default").unwrap().len(), 3000);
        }
    }
}
