//! The parts of a pod that the checks read, and the parts of their sentences.

use crate::kinds::Resource;
use crate::kinds::fields::{items, text};
use crate::value::Value;

/// The parts of a pod, or of a template of pods, that the checks look at.
#[derive(Clone, Copy)]
pub(super) struct Pod<'a> {
    pub(super) metadata: &'a Value,
    pub(super) spec: &'a Value,
    /// The minor version of Kubernetes whose checks apply.
    pub(super) minor: u64,
}

impl<'a> Pod<'a> {
    /// Returns all containers. Upstream: `visitContainers`.
    pub(super) fn containers(self) -> impl Iterator<Item = &'a Value> {
        ["initContainers", "containers", "ephemeralContainers"].into_iter().flat_map(move |list| items(self.spec, list))
    }

    /// Returns the names of the containers for which `is_bad` is true.
    pub(super) fn containers_that(self, is_bad: impl Fn(&Value) -> bool) -> Vec<&'a str> {
        self.containers().filter(|container| is_bad(container)).map(name).collect()
    }

    /// Returns true if the users of the containers are not those of the node.
    pub(super) fn has_user_namespace(self) -> bool {
        self.spec["hostUsers"] == false
    }
}

pub(super) fn name(of: &Value) -> &str {
    text(of, "name")
}

/// Returns texts in quotes, joined by commas. As upstream, quotes in a text stay as they are.
pub(super) fn joined(texts: impl IntoIterator<Item = impl AsRef<str>>) -> String {
    texts.into_iter().map(|text| format!("\"{}\"", text.as_ref())).collect::<Vec<_>>().join(", ")
}

pub(super) fn plural<'w>(count: usize, one: &'w str, several: &'w str) -> &'w str {
    if count == 1 { one } else { several }
}

pub(super) fn containers(names: &[&str]) -> String {
    format!("{} {}", plural(names.len(), "container", "containers"), joined(names))
}

/// Returns the parts of a pod that set a field: the pod, some containers, or both; `None` if none does.
pub(super) fn setters(pod: bool, names: &[&str]) -> Option<String> {
    match (pod, names.is_empty()) {
        (false, true) => None,
        (true, true) => Some("pod".to_owned()),
        (false, false) => Some(containers(names)),
        (true, false) => Some(format!("pod and {}", containers(names))),
    }
}

/// Returns the metadata and the spec of the pods that an object describes: those of a pod, or of a template; `None` for
/// a kind without pods. Upstream: `DefaultPodSpecExtractor`.
pub fn pod_of<'a>(resource: &Resource, object: &'a Value) -> Option<(&'a Value, &'a Value)> {
    let pod = match (resource.group(), resource.plural()) {
        ("", "pods") => object,
        ("", "podtemplates") => &object["template"],
        ("", "replicationcontrollers")
        | ("apps", "daemonsets" | "deployments" | "replicasets" | "statefulsets")
        | ("batch", "jobs") => &object["spec"]["template"],
        ("batch", "cronjobs") => &object["spec"]["jobTemplate"]["spec"]["template"],
        _ => return None,
    };
    pod.is_object().then(|| (&pod["metadata"], &pod["spec"]))
}

/// Returns true if an update changes what the checks may say of a pod: its containers or their images. An update can
/// change no other field that they read. Upstream: `isSignificantPodUpdate`.
pub fn was_changed(old: &Value, new: &Value) -> bool {
    let differ = |list: &str| {
        let (old, new) = (items(old, list), items(new, list));
        old.len() != new.len() || old.iter().zip(new).any(|(old, new)| old["image"] != new["image"])
    };
    let is_new = |added: &Value| {
        let before = items(old, "ephemeralContainers").iter().find(|container| name(container) == name(added));
        before.is_none_or(|before| before["image"] != added["image"])
    };
    differ("containers") || differ("initContainers") || items(new, "ephemeralContainers").iter().any(is_new)
}
