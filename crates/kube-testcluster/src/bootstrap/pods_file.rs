//! Reads the initial pods of a cluster from a YAML file that the user has written. Errors name the line.

use std::collections::BTreeSet;

use k8s_openapi::api::core::v1::Pod;

use super::yaml_documents;
use kube_machinery::conventions::yaml::FileError;
use kube_machinery::kinds::PODS;
use kube_machinery::value::Value;

/// Parses pods from YAML. `name` is the file's name for error messages. Pods without a namespace get `namespace`.
///
/// # Errors
/// The text is not YAML, or contains something that is not a pod, a pod that an API server would refuse, or the same
/// pod twice.
pub fn pods_from_yaml(text: &str, name: &str, namespace: &str) -> Result<Vec<Pod>, FileError> {
    let expected = "pods: documents of kind Pod, a List of pods, or a sequence of pods";
    let mut seen = BTreeSet::new();
    let mut pods = Vec::new();
    for (value, at) in yaml_documents::objects(text, name, expected)? {
        let pod = pod(value, namespace).map_err(|problem| FileError::at(name, at, problem))?;
        let key = (pod.metadata.namespace.clone(), pod.metadata.name.clone());
        if !seen.insert(key.clone()) {
            let name_of_pod = key.1.unwrap_or_default();
            return Err(FileError::at(name, at, format!("expected every pod once, found {name_of_pod} again")));
        }
        pods.push(pod);
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
    // Decode from text, as all other code does: code that decodes a pod from a `Value` would take seconds to compile.
    serde_json::from_str(&shaped.to_string()).map_err(|error| format!("expected a Pod: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_quotes_only_the_beginning_of_a_text_that_is_not_yaml() {
        let text = "Licensed under the Apache License.\n".repeat(100);
        let error = pods_from_yaml(&text, "LICENSE", "default").unwrap_err().to_string();
        assert!(error.starts_with("LICENSE:1: ") && error.contains("\"Licensed under"), "{error}");
        assert!(error.contains("…\", expected an object") && error.len() < 300, "{error}");
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
