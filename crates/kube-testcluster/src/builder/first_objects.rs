//! Writes the objects that a cluster has at its start: namespaces, roles, nodes and pods. They are stored directly,
//! without requests and admission, because no controller and no client runs yet.

use k8s_openapi::api::core::v1::{Node, Pod};

use serde::Serialize;

use crate::admission::builtin::DEFAULT_ACCOUNT;
use crate::bootstrap::{api_service, bootstrap_policy, flow_control, many_pods};
use crate::controllers::cluster_role_aggregation::{is_aggregated, rules_of};
use crate::controllers::root_ca::root_ca;
use crate::settings::Controllers;
use crate::store::Store;
use crate::store::object::{Draft, Key};
use crate::verbs::create::{prepare, prepare_own};
use crate::verbs::ownership::Component;
use kube_controllers::ControllerName;
use kube_controllers::nodes::node::{self, follow_template, node};
use kube_controllers::nodes::node_lease;
use kube_machinery::kinds::{
    self, API_SERVICES, CONFIG_MAPS, Catalog, ENDPOINT_SLICES, ENDPOINTS, LEASES, NAMESPACES, NODES, PODS,
    PRIORITY_CLASSES, Resource, SERVICE_ACCOUNTS, SERVICE_CIDRS, SERVICES, STORAGE_CLASSES,
};
use kube_machinery::value::{Value, json};

const NAMESPACES_AT_START: [&str; 4] = ["default", "kube-node-lease", "kube-public", "kube-system"];

/// Writes all initial objects: those of the system, the nodes, the given pods, and a crowd of further pods.
pub(super) fn write(store: &Store, nodes: usize, templates: &[Node], pods: Vec<Pod>, crowd: usize) {
    write_system(store);
    if store.settings.enabled_controllers().has(ControllerName::PersistentVolumeBinder) {
        put(store, STORAGE_CLASSES, None, default_storage_class());
    }
    let now = store.clock.now();
    for n in 1..=nodes {
        let mut node = node(n, &now);
        if let Some(template) = (n - 1).checked_rem(templates.len()).map(|at| &templates[at]) {
            follow_template(&mut node, &value_of(template));
        }
        put(store, NODES, None, node);
    }
    for pod in pods {
        let namespace = pod.metadata.namespace.clone().unwrap_or_else(|| "default".to_owned());
        if store.get(NAMESPACES, &Key::new(None, &namespace)).is_none() {
            write_namespace(store, &namespace);
        }
        let mut value = value_of(&pod);
        value["metadata"]["namespace"] = json!(namespace);
        put(store, PODS, Some(&namespace), value);
    }
    for n in 1..=crowd {
        put(store, PODS, Some("default"), many_pods::pod(n, nodes, &now));
    }
    for n in 1..=nodes {
        write_lease(store, n);
    }
}

/// Writes the Lease of the n-th node, which its kubelet renews if the cluster has heartbeats.
fn write_lease(store: &Store, n: usize) {
    let node = store.get(NODES, &Key::new(None, &node::name(n))).and_then(|node| node.open().ok());
    if let Some(node) = node {
        let lease = node_lease::lease(&node.value, store.clock);
        put_own(Component::KUBELET, store, LEASES, Some(node_lease::NAMESPACE), lease);
    }
}

fn value_of(object: &impl Serialize) -> Value {
    kube_machinery::value::to_value(object).expect("an object has only text keys")
}

/// Writes the bootstrap roles and bindings of kube-apiserver that do not exist yet. If controllers run, aggregated
/// roles get their rules at once.
fn write_policy(store: &Store) {
    let (aggregated, others): (Vec<_>, Vec<_>) = bootstrap_policy::objects().partition(|(_, role)| is_aggregated(role));
    for (resource, object) in others {
        let namespace = object["metadata"]["namespace"].as_str().map(ToOwned::to_owned);
        write_missing(store, resource, namespace.as_deref(), object);
    }
    // In reverse, because an aggregated role precedes the roles that it is made of, which may be aggregated, too.
    for (resource, mut role) in aggregated.into_iter().rev() {
        if store.settings.controllers != Controllers::None {
            role["rules"] = json!(rules_of(store, &role).expect("a role that was just written can be read"));
        }
        write_missing(store, resource, None, role);
    }
}

/// Writes the objects that kube-apiserver creates at its start and that do not exist yet.
pub(super) fn write_system(store: &Store) {
    for namespace in NAMESPACES_AT_START {
        if store.get(NAMESPACES, &Key::new(None, namespace)).is_none() {
            write_namespace(store, namespace);
        }
    }
    if store.settings.has_system_objects() {
        write_missing(store, SERVICE_CIDRS, None, api_service::service_cidr(&store.clock.now()));
        write_missing(store, SERVICES, Some("default"), api_service::service());
        write_missing(store, ENDPOINTS, Some("default"), api_service::endpoints());
        write_missing(store, ENDPOINT_SLICES, Some("default"), api_service::endpoint_slice());
        for class in system_priority_classes() {
            write_missing(store, PRIORITY_CLASSES, None, class);
        }
        for api in kinds::api_service::local(Catalog::default().served()) {
            write_missing(store, API_SERVICES, None, api);
        }
        for (resource, object) in flow_control::objects(&store.clock.now()) {
            write_missing_by(Component::FLOW_CONTROL, store, resource, None, object);
        }
    }
    if store.settings.has_policy() {
        write_policy(store);
    }
}

/// Returns the priority classes of the pods that a cluster cannot do without. Upstream: `SystemPriorityClasses`.
fn system_priority_classes() -> [Value; 2] {
    let class = |name: &str, value: i64, description: &str| {
        let metadata = json!({"name": name});
        json!({"metadata": metadata, "value": value, "description": description})
    };
    [
        class(
            "system-node-critical",
            2_000_001_000,
            "Used for system critical pods that must not be moved from their current node.",
        ),
        class(
            "system-cluster-critical",
            2_000_000_000,
            "Used for system critical pods that must run in the cluster, but can be moved to another node if necessary.",
        ),
    ]
}

/// Returns the default storage class, whose volumes the binder makes. Clusters for tests, such as kind and minikube,
/// begin with one of this name, so most manifests have claims without a class.
fn default_storage_class() -> Value {
    let annotations = json!({"storageclass.kubernetes.io/is-default-class": "true"});
    json!({"metadata": {"name": "standard", "annotations": annotations}, "provisioner": "kube-testcluster/simulated"})
}

/// Writes an object of kube-apiserver itself if it does not exist yet.
fn write_missing(store: &Store, resource: &Resource, namespace: Option<&str>, value: Value) {
    write_missing_by(Component::SERVER, store, resource, namespace, value);
}

fn write_missing_by(by: Component, store: &Store, resource: &Resource, namespace: Option<&str>, value: Value) {
    let name = value["metadata"]["name"].as_str().unwrap_or_default();
    if store.get(resource, &Key::new(namespace, name)).is_none() {
        put_own(by, store, resource, namespace, value);
    }
}

fn write_namespace(store: &Store, name: &str) {
    put_own(Component::SERVER, store, NAMESPACES, None, json!({"metadata": {"name": name}}));
    if store.settings.makes_accounts() {
        let account = json!({"metadata": {"name": DEFAULT_ACCOUNT, "namespace": name}});
        put_own(Component::CONTROLLERS, store, SERVICE_ACCOUNTS, Some(name), account);
        put_own(Component::CONTROLLERS, store, CONFIG_MAPS, Some(name), root_ca(name));
    }
}

/// Writes a node, or a pod of the user, without a field manager.
fn put(store: &Store, resource: &Resource, namespace: Option<&str>, value: Value) {
    let mut value = shaped(resource, value);
    prepare(store, resource, namespace, &mut value);
    store_as_it_is(store, resource, namespace, value);
}

/// Writes an object that a component of the cluster creates.
fn put_own(component: Component, store: &Store, resource: &Resource, namespace: Option<&str>, value: Value) {
    let mut value = shaped(resource, value);
    prepare_own(component, store, resource, namespace, &mut value);
    store_as_it_is(store, resource, namespace, value);
}

/// Decodes an object as its type.
fn shaped(resource: &Resource, value: Value) -> Value {
    resource.decode_value(value).expect("it was made from a typed object").value
}

fn store_as_it_is(store: &Store, resource: &Resource, namespace: Option<&str>, mut value: Value) {
    let name = value["metadata"]["name"].as_str().unwrap_or_default().to_owned();
    let draft = Draft::new(resource, Key::new(namespace, &name), &mut value);
    store.put(&mut store.lock(), draft, value);
}
