//! Validates the volume sources that are not in `storage_systems`, such as `emptyDir`, `hostPath`, `secret`, `nfs` and
//! `csi`. A source is the field of a volume that says where its files come from. `volume_validation` and
//! PersistentVolumes make their lists of all types from [`Type`]. Upstream: `validateHostPathVolumeSource` and its
//! neighbours in `pkg/apis/core/validation/validation.go`.

use super::paths::{descending, local, no_backsteps};
use crate::conventions::cause::{At, Cause};
use crate::conventions::causes::Causes;
use crate::conventions::quantity::Quantity;
use crate::kinds::fields::{each, invalid, one_of_if_set, required, required_one_of, text};
use crate::kinds::names;
use crate::value::Value;

const HOST_PATH_TYPES: [&str; 8] =
    ["", "BlockDevice", "CharDevice", "Directory", "DirectoryOrCreate", "File", "FileOrCreate", "Socket"];
pub(super) const PULL_POLICIES: [&str; 3] = ["Always", "IfNotPresent", "Never"];

/// A type of volume, with its validation.
pub struct Type {
    /// The field of the volume that holds the source.
    pub(in crate::kinds) field: &'static str,
    /// The name of the field in upstream's cause about a second source. Sometimes it differs from `field`.
    pub(in crate::kinds) second: &'static str,
    /// The name of the field in upstream's causes about the source itself. Sometimes it differs from `field`.
    pub(in crate::kinds) path: &'static str,
    pub(in crate::kinds) check: fn(&Value, At<'_>) -> Causes,
}

/// Returns a type for which upstream's causes use the real name of the field.
pub(in crate::kinds) const fn volume_type(field: &'static str, check: fn(&Value, At<'_>) -> Causes) -> Type {
    Type { field, second: field, path: field, check }
}

pub(super) fn empty_dir(source: &Value, at: At<'_>) -> Causes {
    let limit = source["sizeLimit"].as_str().and_then(|text| Quantity::parse(text).ok());
    let is_wrong = limit.is_some_and(|limit| limit.is_negative());
    let why = "SizeLimit field must be a valid resource quantity";
    is_wrong.then(|| Cause::forbidden(format_args!("{at}.sizeLimit"), why)).into_iter().collect()
}

pub(in crate::kinds) fn host_path(source: &Value, at: At<'_>) -> Causes {
    if let Some(cause) = required(source, "path", at) {
        return Causes::from([cause]);
    }
    let mut causes = Causes::from_iter(no_backsteps(text(source, "path"), &format_args!("{at}.path")));
    causes.extend(one_of_if_set(source, "type", &HOST_PATH_TYPES, at));
    causes
}

pub(super) fn git_repo(source: &Value, at: At<'_>) -> Causes {
    let mut causes = Causes::from_iter(required(source, "repository", at));
    causes.extend(descending(text(source, "directory"), &format_args!("{at}.directory")));
    causes
}

pub(super) fn secret(source: &Value, at: At<'_>) -> Causes {
    let mut causes = Causes::from_iter(required(source, "secretName", at));
    causes.extend(mode(source, "defaultMode", at));
    causes.extend(each(source, "items", at).flat_map(|(at, item)| key_to_path(item, &at)));
    causes
}

pub(super) fn config_map(source: &Value, at: At<'_>) -> Causes {
    let mut causes = Causes::from_iter(required(source, "name", at));
    causes.extend(mode(source, "defaultMode", at));
    causes.extend(each(source, "items", at).flat_map(|(at, item)| key_to_path(item, &at)));
    causes
}

/// Upstream: `validateKeyToPath`.
pub(super) fn key_to_path(item: &Value, at: At<'_>) -> Causes {
    let mut causes: Causes = required(item, "key", at).into_iter().chain(required(item, "path", at)).collect();
    causes.extend(local(text(item, "path"), &format_args!("{at}.path")));
    causes.extend(mode(item, "mode", at));
    causes
}

/// Checks the range of a file mode.
pub(super) fn mode(parent: &Value, field: &str, at: At<'_>) -> Option<Cause> {
    let fits = parent[field].as_i64().is_none_or(|mode| (0..=0o777).contains(&mode));
    let detail = "must be a number between 0 and 0777 (octal), both inclusive";
    (!fits).then(|| Cause::invalid_json(format_args!("{at}.{field}"), &parent[field], detail))
}

pub(in crate::kinds) fn nfs(source: &Value, at: At<'_>) -> Causes {
    let (path, mut causes) = (text(source, "path"), Causes::new());
    causes.extend(["server", "path"].into_iter().filter_map(|field| required(source, field, at)));
    if !path.starts_with('/') {
        causes.push(Cause::invalid(format_args!("{at}.path"), path, "must be an absolute path"));
    }
    causes
}

pub(super) fn claim(source: &Value, at: At<'_>) -> Causes {
    required(source, "claimName", at).into_iter().collect()
}

/// Validates the name of a CSI driver in a field. Upstream: `ValidateCSIDriverName`.
pub(in crate::kinds) fn csi_driver_name(parent: &Value, field: &str, at: At<'_>) -> Causes {
    let (driver, path) = (text(parent, field), format_args!("{at}.{field}"));
    let mut causes = Causes::from_iter(required(parent, field, at));
    if !driver.is_empty() {
        causes.extend((driver.len() > 63).then(|| Cause::too_long(path, 63)));
        causes.extend(invalid(&path, driver, names::subdomain(&driver.to_lowercase())));
    }
    causes
}

/// Upstream: `validateCSIVolumeSource`.
pub(super) fn csi(source: &Value, at: At<'_>) -> Causes {
    let mut causes = csi_driver_name(source, "driver", at);
    let secret = &source["nodePublishSecretRef"];
    if secret.is_object() {
        match text(secret, "name") {
            "" => causes.push(Cause::required(format_args!("{at}.nodePublishSecretRef.name"), "")),
            name => causes.extend(invalid(&format_args!("{at}.name"), name, names::subdomain(name))),
        }
    }
    causes
}

pub(super) fn image(source: &Value, at: At<'_>) -> Causes {
    let mut causes = Causes::from_iter(required(source, "reference", at));
    causes.extend(required_one_of(text(source, "pullPolicy"), &PULL_POLICIES, &format_args!("{at}.pullPolicy")));
    causes
}
