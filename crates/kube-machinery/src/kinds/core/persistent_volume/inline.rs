//! The spec of a PersistentVolume inside of a VolumeAttachment, for a volume of a pod that has been translated to a CSI
//! volume. Upstream: `ValidatePersistentVolumeSpec` with `validateInlinePersistentVolumeSpec`.

use super::sources;
use super::validation::{recycled_root, some_access_modes};
use crate::conventions::cause::{At, Cause};
use crate::conventions::causes::Causes;
use crate::conventions::edit::object;
use crate::kinds::core::pod::volumes;
use crate::kinds::fields::{pairs, text};
use crate::kinds::resource_list::round_up;
use crate::value::Value;

const NOT_INLINE: &str = "may not be specified in the context of inline volumes";

/// Upstream: `SetObjectDefaults_VolumeAttachment`.
pub(in crate::kinds) fn set_inline_defaults(spec: &mut Value) {
    round_up(spec, "capacity");
    volumes::sources(spec);
}

/// Validates the spec, which is at `path`. It must be of a CSI volume, and cannot be bound.
pub(in crate::kinds) fn inline_spec(spec: &Value, path: At<'_>) -> Causes {
    let at = |field: &str| format!("{path}.{field}");
    let mut causes = Causes::new();
    if spec["claimRef"].is_object() {
        causes.push(Cause::forbidden(at("claimRef"), NOT_INLINE));
    }
    if pairs(spec, "capacity").next().is_some() {
        causes.push(Cause::forbidden(at("capacity"), NOT_INLINE));
    }
    if !spec["csi"].is_object() {
        causes.push(Cause::required(at("csi"), "has to be specified in the context of inline volumes"));
    }
    causes.extend(some_access_modes(spec, &at("accessModes")));
    if !matches!(text(spec, "persistentVolumeReclaimPolicy"), "" | "Retain") {
        let why = "may only be Retain in the context of inline volumes";
        causes.push(Cause::forbidden(at("persistentVolumeReclaimPolicy"), why));
    }
    if spec["nodeAffinity"].is_object() {
        causes.push(Cause::forbidden(at("nodeAffinity"), NOT_INLINE));
    }
    // A node affinity is forbidden, so a local volume has none.
    let mut alone = spec.clone();
    object(&mut alone).remove("nodeAffinity");
    causes.extend(sources::validate(&alone, "", path));
    causes.extend(recycled_root(spec, path));
    if !text(spec, "storageClassName").is_empty() {
        causes.push(Cause::forbidden(at("storageClassName"), NOT_INLINE));
    }
    if spec["volumeMode"].as_str().is_some_and(|mode| mode != "Filesystem") {
        let why = "may not specify volumeMode other than Filesystem in the context of inline volumes";
        causes.push(Cause::forbidden(at("volumeMode"), why));
    }
    causes
}
