//! Validates the source of a PersistentVolume: exactly one of `nfs`, `csi`, `local` and so on. Most sources are
//! validated as in pods (`core::pod`). Upstream: `ValidatePersistentVolumeSpec` in
//! `pkg/apis/core/validation/validation.go`, and the functions from `validateISCSIPersistentVolumeSource` on.

use crate::conventions::cause::{At, Cause};
use crate::conventions::causes::Causes;
use crate::kinds::core::pod::paths::no_backsteps;
use crate::kinds::core::pod::retired_systems as old;
use crate::kinds::core::pod::storage_systems as systems;
use crate::kinds::core::pod::volume_sources::{self as sources, Type, volume_type};
use crate::kinds::fields::{invalid, required, text};
use crate::kinds::names;
use crate::value::Value;

/// The volume types in the order in which upstream checks them.
const TYPES: [Type; 22] = [
    volume_type("hostPath", sources::host_path),
    // `path` and `second` are upstream's names in its causes, which sometimes differ from the field.
    Type { path: "persistentDisk", ..volume_type("gcePersistentDisk", systems::gce_disk) },
    volume_type("awsElasticBlockStore", systems::aws_disk),
    volume_type("glusterfs", old::glusterfs_volume),
    volume_type("flocker", old::flocker),
    volume_type("nfs", sources::nfs),
    volume_type("rbd", old::rbd),
    volume_type("quobyte", old::quobyte),
    Type { second: "cephFS", ..volume_type("cephfs", old::cephfs) },
    volume_type("iscsi", systems::iscsi_volume),
    volume_type("cinder", cinder),
    volume_type("fc", systems::fibre_channel),
    volume_type(FLEX, systems::flex),
    volume_type("azureFile", azure_file),
    volume_type("vsphereVolume", systems::vsphere),
    volume_type("photonPersistentDisk", old::photon_disk),
    volume_type("portworxVolume", systems::portworx),
    volume_type("azureDisk", systems::azure_disk),
    volume_type("scaleIO", old::scale_io),
    volume_type(LOCAL, local),
    volume_type("storageos", storage_os),
    volume_type("csi", csi),
];
/// The volume type that upstream accepts even if another type precedes it.
const FLEX: &str = "flexVolume";
/// The volume type that requires a node affinity.
const LOCAL: &str = "local";

/// Validates the source in the spec, which is at `path`. `name` is the name of the PersistentVolume.
pub(super) fn validate(spec: &Value, name: &str, path: At<'_>) -> Causes {
    let (mut causes, mut count) = (Causes::new(), 0);
    for kind in TYPES.iter().filter(|kind| spec[kind.field].is_object()) {
        count += 1;
        if count > 1 && kind.field != FLEX {
            let at = format_args!("{path}.{}", kind.second);
            causes.push(Cause::forbidden(at, "may not specify more than 1 volume type"));
            continue;
        }
        let mut found = (kind.check)(&spec[kind.field], &format_args!("{path}.{}", kind.path));
        if let Some(long) = long_portal(spec, name, path).filter(|_| kind.field == "iscsi") {
            // Upstream reports a long portal after a missing one, but before all other causes.
            found.insert(usize::from(text(&spec["iscsi"], "targetPortal").is_empty()), long);
        }
        causes.extend(found);
        if kind.field == LOCAL && spec["nodeAffinity"].is_null() {
            causes.push(Cause::required(format_args!("{path}.nodeAffinity"), "Local volume requires node affinity"));
        }
    }
    if count == 0 {
        causes.push(Cause::required(path, "must specify a volume type"));
    }
    causes
}

/// Returns true if both specs have the same volume source. A CSI source may gain a `controllerExpandSecretRef`.
pub(super) fn are_same(spec: &Value, before: &Value) -> bool {
    const SECRET: &str = "controllerExpandSecretRef";
    TYPES.iter().all(|kind| {
        let (mut new, old) = (spec[kind.field].clone(), &before[kind.field]);
        if kind.field == "csi" && old.is_object() && old[SECRET].is_null() {
            new.as_object_mut().and_then(|new| new.remove(SECRET));
        }
        new == *old
    })
}

/// Checks that the iSCSI portal and the name of the volume are together not too long.
fn long_portal(spec: &Value, name: &str, path: At<'_>) -> Option<Cause> {
    let source = &spec["iscsi"];
    let why = systems::long_portal(source, name)?;
    Some(Cause::invalid(format_args!("{path}.iscsi.targetportal"), text(source, "targetPortal"), why))
}

fn cinder(source: &Value, at: At<'_>) -> Causes {
    let mut causes = systems::cinder(source, at);
    causes.extend(namespace_of_secret(source, at));
    causes
}

fn storage_os(source: &Value, at: At<'_>) -> Causes {
    let mut causes = old::storage_os(source, at);
    causes.extend(namespace_of_secret(source, at));
    causes
}

/// Checks that the reference to a secret has a namespace, which only PersistentVolumes need.
fn namespace_of_secret(source: &Value, at: At<'_>) -> Option<Cause> {
    let secret = &source["secretRef"];
    secret.is_object().then(|| required(secret, "namespace", &format_args!("{at}.secretRef"))).flatten()
}

fn azure_file(source: &Value, at: At<'_>) -> Causes {
    let mut causes = systems::azure_file(source, at);
    if source["secretNamespace"] == "" {
        causes.push(Cause::required(format_args!("{at}.secretNamespace"), ""));
    }
    causes
}

fn local(source: &Value, at: At<'_>) -> Causes {
    let found = required(source, "path", at).or_else(|| no_backsteps(text(source, "path"), &format_args!("{at}.path")));
    found.into_iter().collect()
}

/// Upstream: `validateCSIPersistentVolumeSource`.
fn csi(source: &Value, at: At<'_>) -> Causes {
    const SECRETS: [&str; 4] =
        ["controllerPublishSecretRef", "controllerExpandSecretRef", "nodePublishSecretRef", "nodeExpandSecretRef"];
    let mut causes = sources::csi_driver_name(source, "driver", at);
    causes.extend(required(source, "volumeHandle", at));
    for field in SECRETS.into_iter().filter(|field| source[*field].is_object()) {
        causes.extend(secret(&source[field], &format_args!("{at}.{field}")));
    }
    causes
}

/// Upstream: `validatePVSecretReference`.
fn secret(secret: &Value, at: At<'_>) -> Causes {
    let (name, namespace) = (text(secret, "name"), text(secret, "namespace"));
    let mut causes = Causes::from_iter(required(secret, "name", at));
    if !name.is_empty() {
        causes.extend(invalid(&format_args!("{at}.name"), name, names::subdomain(name)));
    }
    causes.extend(required(secret, "namespace", at));
    if !namespace.is_empty() {
        causes.extend(invalid(&format_args!("{at}.namespace"), namespace, names::label(namespace)));
    }
    causes
}
