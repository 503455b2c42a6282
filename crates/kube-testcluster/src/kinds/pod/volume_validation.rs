//! Validation of volumes. Upstream: `ValidateVolumes`, `validateVolumeSource` in `pkg/apis/core/validation/validation.go`.

use std::collections::HashSet;

use serde_json::Value;

use super::containers::{items, text};
use crate::kinds::names;
use crate::machinery::cause::Cause;

/// The fields that a type of volume must have.
const REQUIRED: [(&str, &[&str]); 17] = [
    ("azureFile", &["secretName", "shareName"]),
    ("cephfs", &["monitors"]),
    ("cinder", &["volumeID"]),
    ("ephemeral", &["volumeClaimTemplate"]),
    ("flexVolume", &["driver"]),
    ("glusterfs", &["endpoints", "path"]),
    ("photonPersistentDisk", &["pdID"]),
    ("portworxVolume", &["volumeID"]),
    ("rbd", &["monitors", "image"]),
    ("storageos", &["volumeName"]),
    ("vsphereVolume", &["volumePath"]),
    ("hostPath", &["path"]),
    ("secret", &["secretName"]),
    ("configMap", &["name"]),
    ("persistentVolumeClaim", &["claimName"]),
    ("nfs", &["server", "path"]),
    ("csi", &["driver"]),
];

/// The types whose files have a mode.
const WITH_MODE: [&str; 4] = ["secret", "configMap", "downwardAPI", "projected"];

/// The errors in the volumes of a pod spec, and the names of the volumes without an error, which can be mounted.
pub(super) fn volumes<'a>(spec: &'a Value, at: &str) -> (Vec<Cause>, HashSet<&'a str>) {
    let (mut all, mut names) = (Vec::new(), HashSet::new());
    for (i, volume) in items(spec, "volumes").iter().enumerate() {
        let path = format!("{at}.volumes[{i}]");
        let name = text(volume, "name");
        let mut causes = source(volume, &path);
        match name {
            "" => causes.push(Cause::required(format!("{path}.name"), "")),
            name => {
                causes.extend(names::label(name).iter().map(|why| Cause::invalid(format!("{path}.name"), name, why)));
            }
        }
        if names.contains(name) {
            causes.push(Cause::duplicate(format!("{path}.name"), name));
        }
        if causes.is_empty() {
            names.insert(name);
        }
        all.extend(causes);
    }
    (all, names)
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        _ => false,
    }
}

/// The errors in a path on the node. Upstream: `validateHostPathVolumeSource`.
fn host_path(source: &Value, at: &str) -> Vec<Cause> {
    const TYPES: [&str; 8] =
        ["", "BlockDevice", "CharDevice", "Directory", "DirectoryOrCreate", "File", "FileOrCreate", "Socket"];
    let (path, kind) = (text(source, "path"), text(source, "type"));
    let mut causes = Vec::new();
    if path.split('/').any(|part| part == "..") {
        causes.push(Cause::invalid(format!("{at}.path"), path, "must not contain '..'"));
    }
    if !TYPES.contains(&kind) {
        causes.push(Cause::unsupported(format!("{at}.type"), &format!("{kind:?}"), &TYPES));
    }
    causes
}

/// The errors in the keys that become files. Upstream: `validateKeyToPath`.
fn files(source: &Value, at: &str) -> Vec<Cause> {
    let mut causes = Vec::new();
    for (i, item) in items(source, "items").iter().enumerate() {
        let (at, path) = (format!("{at}.items[{i}]"), text(item, "path"));
        if text(item, "key").is_empty() {
            causes.push(Cause::required(format!("{at}.key"), ""));
        }
        match path {
            "" => causes.push(Cause::required(format!("{at}.path"), "")),
            path if path.starts_with('/') => {
                causes.push(Cause::invalid(format!("{at}.path"), path, "must be a relative path"));
            }
            path if path.split('/').any(|part| part == "..") => {
                causes.push(Cause::invalid(format!("{at}.path"), path, "must not contain '..'"));
            }
            _ => {}
        }
        causes.extend(mode(&item["mode"], &format!("{at}.mode")));
    }
    causes
}

fn mode(mode: &Value, at: &str) -> Option<Cause> {
    let fits = mode.as_i64().is_none_or(|mode| (0..=0o777).contains(&mode));
    let detail = "must be a number between 0 and 0777 (octal), both inclusive";
    (!fits).then(|| Cause::invalid_json(at, mode, detail))
}

/// The errors in what a volume is.
fn source(volume: &Value, at: &str) -> Vec<Cause> {
    let mut causes = Vec::new();
    let types = volume.as_object().into_iter().flatten().filter(|(field, _)| *field != "name");
    let types: Vec<(&String, &Value)> = types.collect();
    if types.is_empty() {
        causes.push(Cause::required(at, "must specify a volume type"));
    }
    for (n, (kind, value)) in types.into_iter().enumerate() {
        let path = format!("{at}.{kind}");
        if n > 0 {
            causes.push(Cause::forbidden(path, "may not specify more than 1 volume type"));
            continue;
        }
        for (_, fields) in REQUIRED.iter().filter(|(name, _)| name == kind) {
            let missing = fields.iter().filter(|field| is_empty(&value[**field]));
            causes.extend(missing.map(|field| Cause::required(format!("{path}.{field}"), "")));
        }
        if WITH_MODE.contains(&kind.as_str()) {
            causes.extend(mode(&value["defaultMode"], &format!("{path}.defaultMode")));
        }
        match kind.as_str() {
            "hostPath" => causes.extend(host_path(value, &path)),
            "secret" | "configMap" => causes.extend(files(value, &path)),
            "nfs" if text(value, "path").starts_with(|c| c != '/') => {
                causes.push(Cause::invalid(format!("{path}.path"), text(value, "path"), "must be an absolute path"));
            }
            "csi" if !text(value, "driver").is_empty() => {
                let driver = text(value, "driver");
                let faults = names::subdomain(&driver.to_lowercase());
                causes.extend(faults.iter().map(|why| Cause::invalid(format!("{path}.driver"), driver, why)));
            }
            _ => {}
        }
    }
    causes
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// From the cases of upstream's `TestValidateVolumes` (`pkg/apis/core/validation/validation_test.go`).
    #[test]
    fn a_volume_is_of_one_type_and_has_a_name_of_its_own() {
        for (given, causes, mountable) in [
            (json!([{"name": "abc-123", "hostPath": {"path": "/mnt"}}, {"name": "e", "emptyDir": {}}]), &[][..], 2),
            (json!([{"name": "a"}]), &["spec.volumes[0]: Required value: must specify a volume type"], 0),
            (json!([{"emptyDir": {}}]), &["spec.volumes[0].name: Required value"], 0),
            (
                json!([{"name": "a.b", "emptyDir": {}}]),
                &["spec.volumes[0].name: Invalid value: \"a.b\": must not contain dots"],
                0,
            ),
            (
                json!([{"name": "a", "emptyDir": {}}, {"name": "a", "emptyDir": {}}]),
                &["spec.volumes[1].name: Duplicate value: \"a\""],
                1,
            ),
            (
                json!([{"name": "a", "emptyDir": {}, "hostPath": {"path": "/mnt"}}]),
                &["spec.volumes[0].hostPath: Forbidden: may not specify more than 1 volume type"],
                0,
            ),
            (json!([{"name": "a", "hostPath": {}}]), &["spec.volumes[0].hostPath.path: Required value"], 0),
            (
                json!([{"name": "a", "nfs": {}}]),
                &["spec.volumes[0].nfs.server: Required value", "spec.volumes[0].nfs.path: Required value"],
                0,
            ),
            (
                json!([{"name": "a", "secret": {"defaultMode": 0o1000}}]),
                &[
                    "spec.volumes[0].secret.secretName: Required value",
                    "spec.volumes[0].secret.defaultMode: Invalid value: 512: must be a number between 0 and 0777 (octal), \
                     both inclusive",
                ],
                0,
            ),
        ] {
            let spec = json!({"volumes": given});
            let (told, names) = volumes(&spec, "spec");
            let told: Vec<String> = told.iter().map(Cause::sentence).collect();
            assert_eq!((told, names.len()), (causes.iter().map(ToString::to_string).collect(), mountable), "{given}");
        }
    }
}
