//! The table of kinds.

use super::resource::{DeleteResponse, Deletion, Generation, Resource, Scope, Subresource, no_defaults};
use super::reviews::REVIEWS;
use super::{config, metadata, namespace, node, pod, replica_set, service};

pub(crate) static NAMESPACES: &Resource = &RESOURCES[0];
pub(crate) static PODS: &Resource = &RESOURCES[1];
pub(crate) static EVENTS: &Resource = &RESOURCES[4];
pub(crate) static NODES: &Resource = &RESOURCES[5];
pub(crate) static SERVICES: &Resource = &RESOURCES[8];

/// Within each group, the order of the plurals is that of discovery.
pub(crate) static RESOURCES: [Resource; 10] = [
    Resource {
        group: "",
        version: "v1",
        plural: "namespaces",
        singular: "namespace",
        kind: "Namespace",
        storage_hash: "Q3oi5N2YM8M=",
        scope: Scope::Cluster,
        short_names: &["ns"],
        categories: &[],
        subresources: &[Subresource::Finalize, Subresource::Status],
        deletion: Deletion::AtOnce,
        delete_response: DeleteResponse::Status,
        generation: Generation::Absent,
        cached: true,
        fields: &[("status.phase", "/status/phase", "")],
        defaults: namespace::set_defaults,
        validate: namespace::validate,
    },
    Resource {
        group: "",
        version: "v1",
        plural: "pods",
        singular: "pod",
        kind: "Pod",
        storage_hash: "xPOwRZ+Yhw8=",
        scope: Scope::Namespaced,
        short_names: &["po"],
        categories: &["all"],
        subresources: &[
            Subresource::Attach,
            Subresource::Binding,
            Subresource::Eviction,
            Subresource::Exec,
            Subresource::Log,
            Subresource::PortForward,
            Subresource::Status,
        ],
        deletion: Deletion::Graceful,
        delete_response: DeleteResponse::Object,
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
        defaults: pod::set_defaults,
        validate: pod::validate,
    },
    Resource {
        group: "apps",
        version: "v1",
        plural: "replicasets",
        singular: "replicaset",
        kind: "ReplicaSet",
        storage_hash: "P1RzHs8/mWQ=",
        scope: Scope::Namespaced,
        short_names: &["rs"],
        categories: &["all"],
        subresources: &[Subresource::Scale, Subresource::Status],
        deletion: Deletion::AtOnce,
        delete_response: DeleteResponse::Status,
        generation: Generation::Counted,
        cached: true,
        fields: &[("status.replicas", "/status/replicas", "0")],
        defaults: replica_set::set_defaults,
        validate: replica_set::validate,
    },
    Resource {
        group: "",
        version: "v1",
        plural: "configmaps",
        singular: "configmap",
        kind: "ConfigMap",
        storage_hash: "qFsyl6wFWjQ=",
        scope: Scope::Namespaced,
        short_names: &["cm"],
        categories: &[],
        subresources: &[],
        deletion: Deletion::AtOnce,
        delete_response: DeleteResponse::Status,
        generation: Generation::Absent,
        cached: true,
        fields: &[],
        defaults: no_defaults,
        validate: config::validate_config_map,
    },
    Resource {
        group: "",
        version: "v1",
        plural: "events",
        singular: "event",
        kind: "Event",
        storage_hash: "r2yiGXH7wu8=",
        scope: Scope::Namespaced,
        short_names: &["ev"],
        categories: &[],
        subresources: &[],
        deletion: Deletion::AtOnce,
        delete_response: DeleteResponse::Status,
        generation: Generation::Absent,
        cached: false,
        fields: &[
            ("involvedObject.kind", "/involvedObject/kind", ""),
            ("involvedObject.namespace", "/involvedObject/namespace", ""),
            ("involvedObject.name", "/involvedObject/name", ""),
            ("involvedObject.uid", "/involvedObject/uid", ""),
            ("involvedObject.apiVersion", "/involvedObject/apiVersion", ""),
            ("involvedObject.resourceVersion", "/involvedObject/resourceVersion", ""),
            ("involvedObject.fieldPath", "/involvedObject/fieldPath", ""),
            ("reason", "/reason", ""),
            ("reportingComponent", "/reportingComponent", ""),
            ("source", "/source/component", ""),
            ("type", "/type", ""),
        ],
        defaults: no_defaults,
        validate: metadata::named,
    },
    Resource {
        group: "",
        version: "v1",
        plural: "nodes",
        singular: "node",
        kind: "Node",
        storage_hash: "XwShjMxG9Fs=",
        scope: Scope::Cluster,
        short_names: &["no"],
        categories: &[],
        subresources: &[Subresource::Status],
        deletion: Deletion::AtOnce,
        delete_response: DeleteResponse::Status,
        generation: Generation::Absent,
        cached: true,
        fields: &[("spec.unschedulable", "/spec/unschedulable", "false")],
        defaults: node::set_defaults,
        validate: metadata::named,
    },
    Resource {
        group: "",
        version: "v1",
        plural: "secrets",
        singular: "secret",
        kind: "Secret",
        storage_hash: "S6u1pOWzb84=",
        scope: Scope::Namespaced,
        short_names: &[],
        categories: &[],
        subresources: &[],
        deletion: Deletion::AtOnce,
        delete_response: DeleteResponse::Status,
        generation: Generation::Absent,
        cached: true,
        fields: &[("type", "/type", "")],
        defaults: config::set_secret_defaults,
        validate: config::validate_secret,
    },
    Resource {
        group: "",
        version: "v1",
        plural: "serviceaccounts",
        singular: "serviceaccount",
        kind: "ServiceAccount",
        storage_hash: "pbx9ZvyFpBE=",
        scope: Scope::Namespaced,
        short_names: &["sa"],
        categories: &[],
        subresources: &[],
        deletion: Deletion::AtOnce,
        delete_response: DeleteResponse::Object,
        generation: Generation::Absent,
        cached: true,
        fields: &[],
        defaults: no_defaults,
        validate: metadata::named,
    },
    Resource {
        group: "",
        version: "v1",
        plural: "services",
        singular: "service",
        kind: "Service",
        storage_hash: "0/CO1lhkEBI=",
        scope: Scope::Namespaced,
        short_names: &["svc"],
        categories: &["all"],
        subresources: &[Subresource::Status],
        deletion: Deletion::AtOnce,
        delete_response: DeleteResponse::Object,
        generation: Generation::Absent,
        cached: true,
        fields: &[("spec.clusterIP", "/spec/clusterIP", ""), ("spec.type", "/spec/type", "")],
        defaults: service::set_defaults,
        validate: service::validate,
    },
    Resource {
        group: "coordination.k8s.io",
        version: "v1",
        plural: "leases",
        singular: "lease",
        kind: "Lease",
        storage_hash: "gqkMMb/YqFM=",
        scope: Scope::Namespaced,
        short_names: &[],
        categories: &[],
        subresources: &[],
        deletion: Deletion::AtOnce,
        delete_response: DeleteResponse::Status,
        generation: Generation::Absent,
        cached: true,
        fields: &[],
        defaults: no_defaults,
        validate: metadata::named,
    },
];

/// Every kind in discovery.
pub(crate) fn served() -> impl Iterator<Item = &'static Resource> {
    RESOURCES.iter().chain(&REVIEWS)
}

/// Finds a row by its group, version and plural.
pub(crate) fn find(group: &str, version: &str, plural: &str) -> Option<&'static Resource> {
    served().find(|row| row.group == group && row.version == version && row.plural == plural)
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
        assert_eq!((NAMESPACES.kind, PODS.kind, SERVICES.kind), ("Namespace", "Pod", "Service"));
        assert_eq!((EVENTS.kind, NODES.kind), ("Event", "Node"));
    }
}
