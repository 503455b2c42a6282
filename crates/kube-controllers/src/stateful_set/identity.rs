//! The identity of a StatefulSet's pods: from the name of the set and a pod's ordinal follow the pod's name, labels,
//! host name and claims, so a replacement has the same ones. Makes new pods and claims. Upstream:
//! `pkg/controller/statefulset/stateful_set_utils.go`.

use k8s_openapi::api::core::v1::Pod;
use kube_client::api::{ApiResource, DynamicObject};
use serde_json::{Value, json};

use crate::shared::object::{name, owned_by};
use crate::shared::revisions::POD_HASH;

pub(super) const POD_NAME: &str = "statefulset.kubernetes.io/pod-name";
const POD_INDEX: &str = "apps.kubernetes.io/pod-index";

/// Returns the ordinal of a pod, if its name is derived from the set's.
pub(super) fn ordinal(set: &str, pod: &str) -> Option<i64> {
    let (parent, digits) = pod.rsplit_once('-')?;
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    (parent == set && is_number).then(|| digits.parse::<i32>().ok().map(i64::from)).flatten()
}

pub(super) fn labels(pod: &str, ordinal: i64) -> Value {
    json!({POD_NAME: pod, POD_INDEX: ordinal.to_string()})
}

/// Returns true if a pod has the label with its own name.
pub(super) fn is_labelled(pod: &Pod) -> bool {
    pod.metadata.labels.as_ref().and_then(|labels| labels.get(POD_NAME)) == pod.metadata.name.as_ref()
}

/// Returns the names of an ordinal's claims, each with the template of the claim.
pub(super) fn claims(set: &DynamicObject, ordinal: i64) -> impl Iterator<Item = (String, &Value)> {
    let templates = set.data["spec"]["volumeClaimTemplates"].as_array().into_iter().flatten();
    templates.map(move |template| {
        let claim = template["metadata"]["name"].as_str().unwrap_or_default();
        (format!("{claim}-{}-{ordinal}", name(&set.metadata)), template)
    })
}

pub(super) fn new_claim(set: &DynamicObject, claim: &str, template: &Value, kind: &ApiResource) -> DynamicObject {
    let metadata = &template["metadata"];
    let mut labels = metadata["labels"].as_object().cloned().unwrap_or_default();
    let selected = set.data["spec"]["selector"]["matchLabels"].as_object().into_iter().flatten();
    labels.extend(selected.map(|(key, value)| (key.clone(), value.clone())));
    let mut new = DynamicObject::new(claim, kind).data(json!({"spec": template["spec"]}));
    new.metadata.labels = serde_json::from_value(json!(labels)).ok();
    new.metadata.annotations = serde_json::from_value(metadata["annotations"].clone()).ok();
    new
}

/// Returns a new pod of a revision. `kinds` are those of StatefulSets and of pods.
pub(super) fn new_pod(
    set: &DynamicObject,
    ordinal: i64,
    revision: &DynamicObject,
    kinds: (&ApiResource, &ApiResource),
) -> DynamicObject {
    let template = &revision.data["data"]["spec"]["template"];
    let (set_name, of_template) = (name(&set.metadata), &template["metadata"]);
    let pod_name = format!("{set_name}-{ordinal}");
    let mut all = of_template["labels"].as_object().cloned().unwrap_or_default();
    all.extend(labels(&pod_name, ordinal).as_object().cloned().unwrap_or_default());
    all.insert(POD_HASH.to_owned(), json!(name(&revision.metadata)));
    let mut spec = template["spec"].clone();
    spec["hostname"] = json!(pod_name);
    spec["subdomain"] = set.data["spec"]["serviceName"].clone();
    spec["volumes"] = volumes(set, ordinal, &spec["volumes"]);
    let (of_sets, of_pods) = kinds;
    let metadata = json!({
        "labels": all, "annotations": of_template["annotations"], "finalizers": of_template["finalizers"],
        "name": pod_name, "ownerReferences": owned_by(&set.metadata, of_sets),
    });
    let mut pod = DynamicObject::new(&pod_name, of_pods).data(json!({ "spec": spec }));
    pod.metadata = serde_json::from_value(metadata).unwrap_or_default();
    pod
}

/// Returns the volumes of the template, and one for each claim, which replaces a volume of the same name.
fn volumes(set: &DynamicObject, ordinal: i64, of_template: &Value) -> Value {
    let mut volumes: Vec<Value> = claims(set, ordinal)
        .map(|(claim, template)| {
            json!({"name": template["metadata"]["name"], "persistentVolumeClaim": {"claimName": claim}})
        })
        .collect();
    let claimed: Vec<Value> = volumes.iter().map(|volume| volume["name"].clone()).collect();
    let others = of_template.as_array().into_iter().flatten().filter(|volume| !claimed.contains(&volume["name"]));
    volumes.extend(others.cloned());
    json!(volumes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ordinal_is_the_number_after_the_name_of_the_set() {
        assert_eq!(ordinal("web", "web-0"), Some(0));
        assert_eq!(ordinal("web", "web-12"), Some(12));
        assert_eq!(ordinal("web-1", "web-1-3"), Some(3));
        for other in ["web", "web-", "web-a", "web-1-3", "other-1", "web-99999999999", "web-+1"] {
            assert_eq!(ordinal("web", other), None, "{other}");
        }
    }
}
