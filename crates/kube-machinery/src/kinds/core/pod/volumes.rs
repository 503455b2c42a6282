//! The defaults of volumes in pods, such as the file mode 0644. PersistentVolumes share the defaults of some sources.
//! Upstream: `SetDefaults_Volume` and the functions for each source in `pkg/apis/core/v1/defaults.go`.

use super::image;
use crate::conventions::edit::{empty, list, object_field, set_default};
use crate::value::{Value, json};

/// The default file mode 0644: readable by all, writable by the owner.
const MODE: u32 = 0o644;

/// The volume types that have a `defaultMode` for files.
const WITH_MODES: [&str; 4] = ["secret", "configMap", "downwardAPI", "projected"];

/// The defaults of string fields: volume type, field and value.
const TEXTS: [(&str, &str, &str); 10] = [
    ("hostPath", "type", ""),
    ("iscsi", "iscsiInterface", "default"),
    ("rbd", "pool", "rbd"),
    ("rbd", "user", "admin"),
    ("rbd", "keyring", "/etc/ceph/keyring"),
    ("azureDisk", "cachingMode", "ReadWrite"),
    ("azureDisk", "fsType", "ext4"),
    ("azureDisk", "kind", "Shared"),
    ("scaleIO", "storageMode", "ThinProvisioned"),
    ("scaleIO", "fsType", "xfs"),
];

/// Sets the defaults of a volume. A volume without a type becomes an `emptyDir`.
pub(crate) fn volume(volume: &mut Value) {
    if volume.as_object().is_some_and(|fields| fields.keys().all(|field| field == "name")) {
        set_default(volume, "emptyDir", empty());
    }
    for field in WITH_MODES {
        if let Some(source) = object_field(volume, field) {
            set_default(source, "defaultMode", json!(MODE));
        }
    }
    sources(volume);
    if let Some(image) = object_field(volume, "image") {
        let policy = image::pull_policy(image["reference"].as_str().unwrap_or_default());
        set_default(image, "pullPolicy", json!(policy));
    }
    if let Some(downward) = object_field(volume, "downwardAPI") {
        list(downward, "items").for_each(field_reference);
    }
    let projected = object_field(volume, "projected");
    for source in projected.into_iter().flat_map(|projected| list(projected, "sources")) {
        if let Some(downward) = object_field(source, "downwardAPI") {
            list(downward, "items").for_each(field_reference);
        }
        if let Some(token) = object_field(source, "serviceAccountToken") {
            set_default(token, "expirationSeconds", json!(3600));
        }
    }
    let claim = object_field(volume, "ephemeral").and_then(|ephemeral| object_field(ephemeral, "volumeClaimTemplate"));
    if let Some(spec) = claim.and_then(|claim| object_field(claim, "spec")) {
        set_default(spec, "volumeMode", json!("Filesystem"));
    }
}

/// Sets the defaults of the sources that pods and persistent volumes share.
pub(in crate::kinds) fn sources(volume: &mut Value) {
    for (kind, field, value) in TEXTS {
        if let Some(source) = object_field(volume, kind) {
            set_default(source, field, json!(value));
        }
    }
    if let Some(disk) = object_field(volume, "azureDisk") {
        set_default(disk, "readOnly", json!(false));
    }
}

pub(crate) fn field_reference(from: &mut Value) {
    if let Some(reference) = object_field(from, "fieldRef") {
        set_default(reference, "apiVersion", json!("v1"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filled(mut given: Value) -> Value {
        volume(&mut given);
        given
    }

    #[test]
    fn a_volume_without_a_type_becomes_an_empty_dir() {
        assert_eq!(filled(json!({"name": "a"})), json!({"name": "a", "emptyDir": {}}));
    }

    /// The mode 420 is 0644 in octal.
    #[test]
    fn files_get_a_mode_tokens_an_expiration_and_host_paths_a_type() {
        assert_eq!(filled(json!({"secret": {"secretName": "s"}}))["secret"]["defaultMode"], 420);
        assert_eq!(filled(json!({"configMap": {"defaultMode": 256}}))["configMap"]["defaultMode"], 256);
        assert_eq!(filled(json!({"hostPath": {"path": "/"}}))["hostPath"], json!({"path": "/", "type": ""}));
        let sources = json!([
            {"serviceAccountToken": {"path": "token"}},
            {"downwardAPI": {"items": [{"path": "n", "fieldRef": {"fieldPath": "metadata.name"}}]}},
        ]);
        let projected = filled(json!({"projected": {"sources": sources}}))["projected"].take();
        assert_eq!(projected["defaultMode"], 420);
        assert_eq!(projected["sources"][0]["serviceAccountToken"]["expirationSeconds"], 3600);
        assert_eq!(projected["sources"][1]["downwardAPI"]["items"][0]["fieldRef"]["apiVersion"], "v1");
    }
}
