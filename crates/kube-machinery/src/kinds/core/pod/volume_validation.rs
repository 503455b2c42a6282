//! Validation of a pod's list of volumes: each has a unique name and exactly one source, such as `emptyDir` or
//! `secret`. The table `TYPES` lists all sources with the functions that validate them. Upstream: `ValidateVolumes` and
//! `validateVolumeSource` in `pkg/apis/core/validation/validation.go`.

use std::collections::{HashMap, HashSet};

use super::claim_template::ephemeral;
use super::projected::{downward_api, projected};
use super::retired_systems as old;
use super::storage_systems as systems;
use super::volume_sources::{self as sources, Type, volume_type};
use crate::conventions::cause::{At, Cause};
use crate::conventions::causes::Causes;
use crate::kinds::fields::{each, text};
use crate::kinds::names;
use crate::value::Value;

/// The volume types in the order in which upstream checks them.
const TYPES: [Type; 30] = [
    volume_type("emptyDir", sources::empty_dir),
    volume_type("hostPath", sources::host_path),
    volume_type("gitRepo", sources::git_repo),
    // `path` and `second` are upstream's names in its causes, which sometimes differ from the field.
    Type { path: "persistentDisk", ..volume_type("gcePersistentDisk", systems::gce_disk) },
    volume_type("awsElasticBlockStore", systems::aws_disk),
    volume_type("secret", sources::secret),
    volume_type("nfs", sources::nfs),
    volume_type("iscsi", systems::iscsi),
    volume_type("glusterfs", old::glusterfs),
    volume_type("flocker", old::flocker),
    volume_type("persistentVolumeClaim", sources::claim),
    volume_type("rbd", old::rbd),
    volume_type("cinder", systems::cinder),
    Type { second: "cephFS", ..volume_type("cephfs", old::cephfs) },
    volume_type("quobyte", old::quobyte),
    Type { second: "downwarAPI", ..volume_type("downwardAPI", downward_api) }, // upstream's spelling
    volume_type("fc", systems::fibre_channel),
    volume_type("flexVolume", systems::flex),
    volume_type("configMap", sources::config_map),
    volume_type("azureFile", systems::azure_file),
    volume_type("vsphereVolume", systems::vsphere),
    volume_type("photonPersistentDisk", old::photon_disk),
    volume_type("portworxVolume", systems::portworx),
    volume_type("azureDisk", systems::azure_disk),
    volume_type("storageos", old::storage_os),
    volume_type("projected", projected),
    volume_type("scaleIO", old::scale_io),
    volume_type("csi", sources::csi),
    volume_type("ephemeral", ephemeral),
    volume_type("image", sources::image),
];

/// Validates the volumes. Also returns the valid ones by name, because only these can be mounted. `pod` is the name of
/// the pod, empty for a pod template.
pub(super) fn volumes<'a>(spec: &'a Value, pod: &str, at: At<'_>) -> (Causes, HashMap<&'a str, &'a Value>) {
    let (mut all, mut valid) = (Causes::new(), HashMap::new());
    // The names of the claims that will be made for the pod's `ephemeral` volumes. No other volume may use them.
    let claims: HashSet<String> = each(spec, "volumes", at)
        .filter(|(_, volume)| !pod.is_empty() && volume["ephemeral"].is_object())
        .map(|(_, volume)| format!("{pod}-{}", text(volume, "name")))
        .collect();
    for (path, volume) in each(spec, "volumes", at) {
        let name = text(volume, "name");
        let mut causes = source(volume, pod, &path);
        match name {
            "" => causes.push(Cause::required(format_args!("{path}.name"), "")),
            name => {
                causes.extend(
                    names::label(name).iter().map(|why| Cause::invalid(format_args!("{path}.name"), name, why)),
                );
            }
        }
        if valid.contains_key(name) {
            causes.push(Cause::duplicate(format_args!("{path}.name"), name));
        }
        if causes.is_empty() {
            valid.insert(name, volume);
        }
        all.extend(causes);
        let claim = text(&volume["persistentVolumeClaim"], "claimName");
        if claims.contains(claim) {
            let why = "must not reference a PVC that gets created for an ephemeral volume";
            all.push(Cause::invalid(format_args!("{path}.persistentVolumeClaim.claimName"), claim, why));
        }
    }
    (all, valid)
}

/// Validates the source of a volume, of which there must be exactly one.
fn source(volume: &Value, pod: &str, at: At<'_>) -> Causes {
    let (mut causes, mut count) = (Causes::new(), 0);
    for kind in TYPES.iter().filter(|kind| volume[kind.field].is_object()) {
        count += 1;
        if count == 1 {
            causes.extend((kind.check)(&volume[kind.field], &format_args!("{at}.{}", kind.path)));
        } else {
            causes.push(Cause::forbidden(
                format_args!("{at}.{}", kind.second),
                "may not specify more than 1 volume type",
            ));
        }
        causes.extend(validate_derived_names(kind, volume, pod, at, count == 1));
    }
    if count == 0 {
        causes.push(Cause::required(at, "must specify a volume type"));
    }
    causes
}

/// Validates the names that are made from the volume's name: `NAME:PORTAL` for an iSCSI volume, and the name of the
/// claim of an `ephemeral` volume.
fn validate_derived_names(kind: &Type, volume: &Value, pod: &str, at: At<'_>, is_first: bool) -> Causes {
    let (name, at) = (text(volume, "name"), format_args!("{at}.name"));
    match kind.field {
        "iscsi" => {
            let why = systems::long_portal(&volume["iscsi"], name);
            why.map(|why| Cause::invalid(at, name, why)).into_iter().collect()
        }
        "ephemeral" if is_first && !pod.is_empty() && !name.is_empty() => {
            let claim = format!("{pod}-{name}");
            let messages = names::subdomain(&claim);
            messages.iter().map(|why| Cause::invalid(at, name, &format!("PVC name {claim:?}: {why}"))).collect()
        }
        _ => Causes::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::json;

    /// From the cases of upstream's `TestValidateVolumes` (`pkg/apis/core/validation/validation_test.go`).
    #[test]
    fn a_volume_has_one_type_and_a_unique_name() {
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
                json!([{"name": "a", "nfs": {"path": "a"}}]),
                &[
                    "spec.volumes[0].nfs.server: Required value",
                    "spec.volumes[0].nfs.path: Invalid value: \"a\": must be an absolute path",
                ],
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
            let (sentences, names) = volumes(&spec, "", &"spec");
            let sentences: Vec<String> = sentences.iter().map(Cause::sentence).collect();
            assert_eq!(
                (sentences, names.len()),
                (causes.iter().map(ToString::to_string).collect(), mountable),
                "{given}"
            );
        }
    }
}
