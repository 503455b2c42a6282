//! Reads the fields of claims and volumes that decide about a binding. Upstream: `component-helpers/storage/volume`.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube_client::api::DynamicObject;
use kube_machinery::kinds::amounts;
use serde_json::{Value, json};

use super::object::{annotation, name, namespace, uid};

/// The controller has finished the binding of a claim.
pub(crate) const BIND_COMPLETED: &str = "pv.kubernetes.io/bind-completed";
/// The controller, and not a user, has chosen the volume of a claim, or the claim of a volume.
pub(crate) const BOUND_BY_CONTROLLER: &str = "pv.kubernetes.io/bound-by-controller";
/// The provisioner that has made a volume.
pub(crate) const PROVISIONED_BY: &str = "pv.kubernetes.io/provisioned-by";
/// The provisioner that is to make the volume of a claim; the second name is older.
pub(crate) const STORAGE_PROVISIONER: [&str; 2] =
    ["volume.kubernetes.io/storage-provisioner", "volume.beta.kubernetes.io/storage-provisioner"];
/// The node of the first pod that uses a claim.
pub(crate) const SELECTED_NODE: &str = "volume.kubernetes.io/selected-node";

/// The provisioner of classes whose volumes an administrator makes. Upstream: `NotSupportedProvisioner`.
pub(crate) const NO_PROVISIONER: &str = "kubernetes.io/no-provisioner";

const CLASS_ANNOTATION: &str = "volume.beta.kubernetes.io/storage-class";

pub(crate) fn spec<'a>(object: &'a DynamicObject, field: &str) -> &'a Value {
    &object.data["spec"][field]
}

pub(crate) fn text<'a>(object: &'a DynamicObject, field: &str) -> &'a str {
    spec(object, field).as_str().unwrap_or_default()
}

pub(crate) fn phase(object: &DynamicObject) -> &str {
    object.data["status"]["phase"].as_str().unwrap_or_default()
}

/// Returns the storage class of a claim or volume; empty if it has none.
pub(crate) fn class(object: &DynamicObject) -> &str {
    annotation(object, CLASS_ANNOTATION).unwrap_or_else(|| text(object, "storageClassName"))
}

/// Returns true if a claim names a class, or says that it wants none.
pub(crate) fn names_class(claim: &DynamicObject) -> bool {
    annotation(claim, CLASS_ANNOTATION).is_some() || spec(claim, "storageClassName").is_string()
}

/// Returns the size that a claim requests, in bytes.
pub(crate) fn requested_size(claim: &DynamicObject) -> i64 {
    size(&spec(claim, "resources")["requests"])
}

/// Returns the size of a volume, in bytes.
pub(crate) fn capacity(volume: &DynamicObject) -> i64 {
    size(spec(volume, "capacity"))
}

pub(crate) fn size(list: &Value) -> i64 {
    amounts(&list.clone().into()).get("storage").copied().unwrap_or_default()
}

/// Returns the access modes of a claim or volume.
pub(crate) fn access_modes(object: &DynamicObject) -> &[Value] {
    spec(object, "accessModes").as_array().map_or(&[], Vec::as_slice)
}

pub(crate) fn has_access_modes(volume: &DynamicObject, claim: &DynamicObject) -> bool {
    access_modes(claim).iter().all(|mode| access_modes(volume).contains(mode))
}

/// Returns the volume mode of a claim or volume.
pub(crate) fn volume_mode(object: &DynamicObject) -> &str {
    spec(object, "volumeMode").as_str().unwrap_or("Filesystem")
}

/// Returns the key of the claim in a volume's `claimRef`.
pub(crate) fn claim_key(volume: &DynamicObject) -> Option<String> {
    let claim = spec(volume, "claimRef").as_object()?;
    let field = |name: &str| claim.get(name).and_then(Value::as_str).unwrap_or_default();
    Some(format!("{}/{}", field("namespace"), field("name")))
}

/// Returns the uid in a volume's `claimRef`; empty if a user has reserved the volume.
pub(crate) fn claim_uid(volume: &DynamicObject) -> &str {
    spec(volume, "claimRef")["uid"].as_str().unwrap_or_default()
}

/// Returns true if a volume is reserved for a claim, or bound to it. Upstream: `IsVolumeBoundToClaim`.
pub(crate) fn is_bound_to(volume: &DynamicObject, claim: &ObjectMeta) -> bool {
    let (reference, bound) = (spec(volume, "claimRef"), claim_uid(volume));
    reference["name"] == name(claim)
        && reference["namespace"] == namespace(claim)
        && (bound.is_empty() || bound == uid(claim))
}

/// Returns the `claimRef` of a volume for a claim.
pub(crate) fn reference_to(claim: &ObjectMeta) -> Value {
    json!({
        "kind": "PersistentVolumeClaim", "apiVersion": "v1", "namespace": claim.namespace, "name": claim.name,
        "uid": claim.uid, "resourceVersion": claim.resource_version,
    })
}

/// Returns true if a class binds the volumes of claims only when a pod uses them. Upstream: `IsDelayBindingMode`.
pub(crate) fn is_delayed(class: &DynamicObject) -> bool {
    class.data["volumeBindingMode"] == "WaitForFirstConsumer"
}

/// Returns the name of the claim that is made for a pod's volume of the type `ephemeral`. Upstream: `VolumeClaimName`.
pub(crate) fn ephemeral_claim_name(pod: &str, volume: &str) -> String {
    format!("{pod}-{volume}")
}

/// Returns the error about a claim with the name of a pod's ephemeral volume that was not made for the pod. Upstream:
/// `VolumeIsForPod`.
pub(crate) fn not_made_for(namespace: &str, pod: &str, claim: &str) -> String {
    format!("PVC {namespace}/{claim} was not created for pod {namespace}/{pod} (pod is not owner)")
}

/// Sets an annotation. Returns true if it was not set before.
pub(crate) fn annotate(object: &mut ObjectMeta, key: &str, value: &str) -> bool {
    let annotations = object.annotations.get_or_insert_default();
    annotations.insert(key.to_owned(), value.to_owned()).as_deref() != Some(value)
}
