//! The plugin `StorageObjectInUseProtection`: new claims and volumes get a finalizer, which the protection controllers
//! remove when nothing uses the deleted object any more. Upstream protects a third kind, VolumeAttributesClass, which
//! has no such controller here. Upstream: `plugin/pkg/admission/storage/storageobjectinuseprotection`.

use kube_machinery::conventions::edit::object;
use kube_machinery::value::{Value, json};

pub(super) const PVC_FINALIZER: &str = "kubernetes.io/pvc-protection";
pub(super) const PV_FINALIZER: &str = "kubernetes.io/pv-protection";

/// Adds the finalizer to a new object, unless the object has it already.
pub(super) fn admit(new: &mut Value, finalizer: &str) {
    let finalizers = &new["metadata"]["finalizers"];
    let mut finalizers: Vec<Value> = finalizers.as_array().into_iter().flatten().cloned().collect();
    if !finalizers.iter().any(|one| one == finalizer) {
        finalizers.push(json!(finalizer));
        object(&mut new["metadata"]).insert("finalizers".into(), json!(finalizers));
    }
}
