//! Validation of a container's `volumeMounts`, the paths at which the container sees the files of the pod's volumes,
//! and of its `volumeDevices`, by which the container gets a volume as a raw block device. Upstream:
//! `ValidateVolumeMounts`, `ValidateVolumeDevices` in `pkg/apis/core/validation/validation.go`.

use std::collections::{HashMap, HashSet};

use super::paths::{descending, no_backsteps};
use crate::conventions::cause::{At, Cause};
use crate::conventions::causes::Causes;
use crate::kinds::fields::{each, items, one_of_if_set, required, text};
use crate::value::Value;

const PROPAGATION: [&str; 3] = ["Bidirectional", "HostToContainer", "None"];
const READ_ONLY: [&str; 3] = ["Disabled", "Enabled", "IfPossible"];

/// `volumes` are the pod's valid volumes.
pub(super) fn mounts(container: &Value, volumes: &HashMap<&str, &Value>, at: At<'_>) -> Causes {
    let (mut causes, mut places) = (Causes::new(), HashSet::new());
    let devices = names_and_paths(container, "volumeDevices", "devicePath");
    let paths_of_devices: HashSet<&str> = devices.values().copied().collect();
    // In the rules for sub-paths, propagation and recursive read-only, upstream's path is that of the list.
    let list = format_args!("{at}.volumeMounts");
    for (path, mount) in each(container, "volumeMounts", at) {
        let (name, place) = (text(mount, "name"), text(mount, "mountPath"));
        causes.extend(required(mount, "name", &path));
        if !volumes.contains_key(name) {
            causes.push(Cause::not_found(format_args!("{path}.name"), name));
        }
        causes.extend(required(mount, "mountPath", &path));
        if !places.insert(place) {
            causes.push(Cause::invalid(format_args!("{path}.mountPath"), place, "must be unique"));
        }
        if devices.contains_key(name) {
            causes.push(Cause::invalid(format_args!("{path}.name"), name, "must not already exist in volumeDevices"));
        }
        if paths_of_devices.contains(place) {
            let why = "must not already exist as a path in volumeDevices";
            causes.push(Cause::invalid(format_args!("{path}.mountPath"), place, why));
        }
        causes.extend(part_of_volume(mount, &path, &list));
        causes.extend(propagation(mount, container, &list));
        causes.extend(recursively_read_only(mount, &list));
    }
    causes
}

/// Validates `subPath` and `subPathExpr`, which select the part of the volume to mount.
fn part_of_volume(mount: &Value, at: At<'_>, list: At<'_>) -> Causes {
    let (path, expression) = (text(mount, "subPath"), text(mount, "subPathExpr"));
    let mut causes = descending(path, &format_args!("{list}.subPath"));
    if !expression.is_empty() && !path.is_empty() {
        let why = "subPathExpr and subPath are mutually exclusive";
        causes.push(Cause::invalid(format_args!("{at}.subPathExpr"), expression, why));
    }
    causes.extend(descending(expression, &format_args!("{list}.subPathExpr")));
    causes
}

/// Validates the mount propagation, which makes later mounts visible between the node and the container. `list` is the
/// path of the container's mounts. Upstream: `validateMountPropagation`.
fn propagation(mount: &Value, container: &Value, list: At<'_>) -> Causes {
    let mut causes = Causes::from_iter(one_of_if_set(mount, "mountPropagation", &PROPAGATION, list));
    if mount["mountPropagation"] == "Bidirectional" && container["securityContext"]["privileged"] != true {
        let why = "Bidirectional mount propagation is available only to privileged containers";
        causes.push(Cause::forbidden(format_args!("{list}.mountPropagation"), why));
    }
    causes
}

/// Validates `recursiveReadOnly`, which makes mounts inside of the volume read-only too. Upstream:
/// `validateMountRecursiveReadOnly`.
fn recursively_read_only(mount: &Value, list: At<'_>) -> Causes {
    let mut causes = Causes::from_iter(one_of_if_set(mount, "recursiveReadOnly", &READ_ONLY, list));
    if matches!(mount["recursiveReadOnly"].as_str(), Some("Enabled" | "IfPossible")) {
        let at = format_args!("{list}.recursiveReadOnly");
        if mount["readOnly"] != true {
            causes.push(Cause::forbidden(at, "may only be specified when readOnly is true"));
        }
        if mount["mountPropagation"].as_str().is_some_and(|propagation| propagation != "None") {
            let why = "may only be specified when mountPropagation is None or not specified";
            causes.push(Cause::forbidden(at, why));
        }
    }
    causes
}

/// Returns the paths of a list's items, by the name of the volume.
fn names_and_paths<'a>(container: &'a Value, list: &str, path: &str) -> HashMap<&'a str, &'a str> {
    items(container, list).iter().map(|item| (text(item, "name"), text(item, path))).collect()
}

/// `volumes` are the pod's valid volumes.
pub(super) fn devices(container: &Value, volumes: &HashMap<&str, &Value>, at: At<'_>) -> Causes {
    let (mut causes, mut names, mut places) = (Causes::new(), HashSet::new(), HashSet::new());
    let mounts = names_and_paths(container, "volumeMounts", "mountPath");
    let paths_of_mounts: HashSet<&str> = mounts.values().copied().collect();
    for (path, device) in each(container, "volumeDevices", at) {
        let (name, place) = (text(device, "name"), text(device, "devicePath"));
        let (at_name, at_place) = (format_args!("{path}.name"), format_args!("{path}.devicePath"));
        causes.extend(required(device, "name", &path));
        if !name.is_empty() && !names.insert(name) {
            causes.push(Cause::invalid(at_name, name, "must be unique"));
        }
        match volumes.get(name) {
            Some(volume) if volume["persistentVolumeClaim"].is_null() && volume["ephemeral"].is_null() => {
                let why = "can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode";
                causes.push(Cause::invalid(at_name, name, why));
            }
            Some(_) => {}
            None => causes.push(Cause::not_found(at_name, name)),
        }
        causes.extend(required(device, "devicePath", &path));
        if places.contains(place) {
            causes.push(Cause::invalid(at_place, place, "must be unique"));
        }
        if no_backsteps(place, &"").is_some() {
            causes.push(Cause::invalid(at_place, place, "can not contain backsteps ('..')"));
        } else {
            places.insert(place);
        }
        if mounts.contains_key(name) {
            causes.push(Cause::invalid(at_name, name, "must not already exist in volumeMounts"));
        }
        if paths_of_mounts.contains(place) {
            causes.push(Cause::invalid(at_place, place, "must not already exist as a path in volumeMounts"));
        }
    }
    causes
}
