//! The kinds that are served: one row each.

use k8s_openapi::api::apps::v1::ReplicaSet;
use k8s_openapi::api::core::v1::{Namespace, Pod};
use kube::core::ApiResource;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::cause::Cause;
use super::{defaults, validation};

/// Whether objects of a kind live in namespaces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scope {
    Namespaced,
    Cluster,
}

/// What a DELETE does to an object without finalizers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Deletion {
    /// The object gets a deletionTimestamp and stays until its grace period was cut to 0.
    Graceful,
    /// The object is gone at once.
    AtOnce,
}

/// Whether `metadata.generation` counts the changes of an object's spec.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Generation {
    Counted,
    Absent,
}

/// A path below an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Subresource {
    Status,
    Binding,
}

impl Subresource {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Status => "status",
            Self::Binding => "binding",
        }
    }
}

/// A kind: everything that the server knows about it.
#[derive(Debug)]
pub(crate) struct Resource {
    /// Empty for the core group.
    pub(crate) group: &'static str,
    pub(crate) version: &'static str,
    /// No two rows have the same plural.
    pub(crate) plural: &'static str,
    pub(crate) singular: &'static str,
    pub(crate) kind: &'static str,
    pub(crate) scope: Scope,
    pub(crate) short_names: &'static [&'static str],
    pub(crate) categories: &'static [&'static str],
    pub(crate) subresources: &'static [Subresource],
    pub(crate) deletion: Deletion,
    pub(crate) generation: Generation,
    /// Whether a watch cache stands before storage. (One that does not only serves the watches.)
    pub(crate) cached: bool,
    /// What a field selector may ask for, and where it is found; what is missing counts as the text given last.
    /// `metadata.name` and `metadata.namespace` are understood for every kind.
    pub(crate) fields: &'static [(&'static str, &'static str, &'static str)],
    /// What a bookmark has besides `metadata`, because the Go type behind it cannot leave it out.
    pub(crate) blank: &'static str,
    /// Gives the object the shape of its type: drops what the type does not have; fails if something has a wrong type.
    pub(crate) shape: fn(Value) -> Result<Value, serde_json::Error>,
    /// Fills in what the client left out.
    pub(crate) defaults: fn(&mut Value),
    /// What is wrong with a new object, or with a new state (first) of an old one (second).
    pub(crate) validate: fn(&Value, Option<&Value>) -> Vec<Cause>,
}

impl Resource {
    /// `v1` or `group/version`.
    pub(crate) fn api_version(&self) -> String {
        if self.group.is_empty() { self.version.to_owned() } else { format!("{}/{}", self.group, self.version) }
    }

    /// The kind as a client names it that works with objects of no fixed type. (A client typed by a wide struct such as
    /// Pod costs seconds of compile time for each form in which it reads and writes it.)
    pub(crate) fn dynamic(&self) -> ApiResource {
        ApiResource {
            group: self.group.to_owned(),
            version: self.version.to_owned(),
            api_version: self.api_version(),
            kind: self.kind.to_owned(),
            plural: self.plural.to_owned(),
        }
    }

    pub(crate) fn is_namespaced(&self) -> bool {
        self.scope == Scope::Namespaced
    }

    pub(crate) fn subresource(&self, name: &str) -> Option<Subresource> {
        self.subresources.iter().copied().find(|subresource| subresource.name() == name)
    }

    /// As error messages name it: `pods`, `replicasets.apps`.
    pub(crate) fn qualified(&self) -> String {
        if self.group.is_empty() { self.plural.to_owned() } else { format!("{}.{}", self.plural, self.group) }
    }
}

/// Finds a row by its place in the API.
pub(crate) fn find(group: &str, version: &str, plural: &str) -> Option<&'static Resource> {
    RESOURCES.iter().find(|row| row.group == group && row.version == version && row.plural == plural)
}

pub(crate) static NAMESPACES: &Resource = &RESOURCES[0];
pub(crate) static PODS: &Resource = &RESOURCES[1];

pub(crate) static RESOURCES: [Resource; 3] = [
    Resource {
        group: "",
        version: "v1",
        plural: "namespaces",
        singular: "namespace",
        kind: "Namespace",
        scope: Scope::Cluster,
        short_names: &["ns"],
        categories: &[],
        subresources: &[Subresource::Status],
        deletion: Deletion::AtOnce,
        generation: Generation::Absent,
        cached: true,
        fields: &[("status.phase", "/status/phase", "")],
        blank: r#","spec":{},"status":{}"#,
        shape: shape::<Namespace>,
        defaults: defaults::namespace,
        validate: validation::namespace,
    },
    Resource {
        group: "",
        version: "v1",
        plural: "pods",
        singular: "pod",
        kind: "Pod",
        scope: Scope::Namespaced,
        short_names: &["po"],
        categories: &["all"],
        subresources: &[Subresource::Binding, Subresource::Status],
        deletion: Deletion::Graceful,
        generation: Generation::Counted,
        cached: true,
        fields: &[
            ("spec.nodeName", "/spec/nodeName", ""),
            ("spec.restartPolicy", "/spec/restartPolicy", ""),
            ("spec.schedulerName", "/spec/schedulerName", ""),
            ("spec.serviceAccountName", "/spec/serviceAccountName", ""),
            ("spec.hostNetwork", "/spec/hostNetwork", "false"),
            ("status.phase", "/status/phase", ""),
            ("status.podIP", "/status/podIP", ""),
            ("status.nominatedNodeName", "/status/nominatedNodeName", ""),
        ],
        blank: r#","spec":{"containers":null},"status":{}"#,
        shape: shape::<Pod>,
        defaults: defaults::pod,
        validate: validation::pod,
    },
    Resource {
        group: "apps",
        version: "v1",
        plural: "replicasets",
        singular: "replicaset",
        kind: "ReplicaSet",
        scope: Scope::Namespaced,
        short_names: &["rs"],
        categories: &["all"],
        subresources: &[Subresource::Status],
        deletion: Deletion::AtOnce,
        generation: Generation::Counted,
        cached: true,
        fields: &[("status.replicas", "/status/replicas", "0")],
        blank: r#","spec":{"selector":null,"template":{"metadata":{},"spec":{"containers":null}}},"status":{"replicas":0}"#,
        shape: shape::<ReplicaSet>,
        defaults: defaults::replica_set,
        validate: validation::replica_set,
    },
];

fn shape<T: DeserializeOwned + Serialize>(mut value: Value) -> Result<Value, serde_json::Error> {
    if let Some(fields) = value.as_object_mut() {
        fields.remove("kind");
        fields.remove("apiVersion");
    }
    let mut value = serde_json::to_value(serde_json::from_value::<T>(value)?)?;
    if let Some(fields) = value.as_object_mut() {
        fields.remove("kind");
        fields.remove("apiVersion");
        fields.entry("metadata").or_insert_with(|| Value::Object(serde_json::Map::new()));
    }
    Ok(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_rows_share_a_plural() {
        let mut plurals: Vec<_> = RESOURCES.iter().map(|row| row.plural).collect();
        plurals.sort_unstable();
        plurals.dedup();
        assert_eq!(plurals.len(), RESOURCES.len());
        assert_eq!((NAMESPACES.kind, PODS.kind), ("Namespace", "Pod"));
    }
}
