//! Validates the volume sources that name a storage system, such as iSCSI or Azure Disk, and for which
//! Kubernetes still has a driver, in the tree or as CSI. `retired_systems` validates the others. Upstream:
//! `validateISCSIVolumeSource` and its neighbours in `pkg/apis/core/validation/validation.go`.

use crate::conventions::cause::{At, Cause};
use crate::conventions::causes::Causes;
use crate::kinds::fields::{items, number, one_of_if_set, pairs, required, text};
use crate::value::Value;

const CACHING: [&str; 3] = ["None", "ReadOnly", "ReadWrite"];
const MANAGED_URI: &str =
    "/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}";
const BLOB_URI: &str = "https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd";
const AZURE_KINDS: [&str; 3] = ["Dedicated", "Managed", "Shared"];

pub(super) fn require_all(source: &Value, fields: &[&str], at: At<'_>) -> Causes {
    fields.iter().filter_map(|field| required(source, field, at)).collect()
}

/// Checks that the reference to a secret, if there is one, has a name.
pub(super) fn secret_reference(source: &Value, at: At<'_>) -> Option<Cause> {
    let secret = &source["secretRef"];
    secret.is_object().then(|| required(secret, "name", &format_args!("{at}.secretRef"))).flatten()
}

/// Checks the range of a LUN, the number of a disk in a storage system.
fn lun(number: i64, at: At<'_>) -> Option<Cause> {
    let fits = (0..=255).contains(&number);
    (!fits).then(|| {
        Cause::invalid_as(format_args!("{at}.lun"), &number.to_string(), "must be between 0 and 255, inclusive")
    })
}

/// Checks the range of a partition number. 0 means the whole disk.
fn partition(source: &Value, at: At<'_>) -> Option<Cause> {
    let fits = (0..=255).contains(&number(source, "partition"));
    let why = "must be between 1 and 255, inclusive";
    (!fits).then(|| Cause::invalid_json(format_args!("{at}.partition"), &source["partition"], why))
}

pub(in crate::kinds) fn gce_disk(source: &Value, at: At<'_>) -> Causes {
    let mut causes = require_all(source, &["pdName"], at);
    causes.extend(partition(source, at));
    causes
}

pub(in crate::kinds) fn aws_disk(source: &Value, at: At<'_>) -> Causes {
    let mut causes = require_all(source, &["volumeID"], at);
    causes.extend(partition(source, at));
    causes
}

pub(in crate::kinds) fn iscsi(source: &Value, at: At<'_>) -> Causes {
    disk_behind_portal(source, "must be valid format starting with iqn, eui, or naa", at)
}

/// Validates the iSCSI source of a PersistentVolume, for which upstream has a shorter message.
pub(in crate::kinds) fn iscsi_volume(source: &Value, at: At<'_>) -> Causes {
    disk_behind_portal(source, "must be valid format", at)
}

/// Validates an iSCSI source. `unknown` is the message for a name with an unknown prefix.
fn disk_behind_portal(source: &Value, unknown: &str, at: At<'_>) -> Causes {
    let mut causes = require_all(source, &["targetPortal", "iqn"], at);
    let name = text(source, "iqn");
    if !name.is_empty() {
        causes.extend(qualified_name(name, unknown, &format_args!("{at}.iqn")));
    }
    causes.extend(lun(number(source, "lun"), at));
    let uses_chap = source["chapAuthDiscovery"] == true || source["chapAuthSession"] == true;
    if uses_chap && !source["secretRef"].is_object() {
        causes.push(Cause::required(format_args!("{at}.secretRef"), ""));
    }
    causes.extend(secret_reference(source, at));
    if let Some(name) = source["initiatorName"].as_str() {
        causes.extend(qualified_name(name, unknown, &format_args!("{at}.initiatorname"))); // upstream's path
    }
    causes
}

/// Returns the error message if an iSCSI source has an initiator name, and its portal and the name of its volume are
/// together too long.
pub(in crate::kinds) fn long_portal(source: &Value, name: &str) -> Option<&'static str> {
    let is_long = source["initiatorName"].is_string() && name.len() + 1 + text(source, "targetPortal").len() > 64;
    is_long.then_some(
        "Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if iscsi.initiatorName is specified.",
    )
}

/// Checks the name of an iSCSI target or initiator. `unknown` is the message for an unknown prefix.
fn qualified_name(name: &str, unknown: &str, at: At<'_>) -> Option<Cause> {
    let fits = match name.get(..3) {
        Some("iqn") => is_iqn(name),
        Some("eui") => is_identifier(name, 16),
        Some("naa") => is_identifier(name, 32),
        _ => return Some(Cause::invalid(at, name, unknown)),
    };
    (!fits).then(|| Cause::invalid(at, name, "must be valid format"))
}

/// Matches upstream's regular expression `iqn\.\d{4}-\d{2}\.([[:alnum:]-.]+)(:[^,;*&$|\s]+)$`, which may match anywhere
/// in the name.
fn is_iqn(name: &str) -> bool {
    let is_rest_valid = |rest: &str| {
        let date = rest.get(..8).unwrap_or_default();
        let is_date = date.bytes().enumerate().all(|(i, byte)| match i {
            4 => byte == b'-',
            7 => byte == b'.',
            _ => byte.is_ascii_digit(),
        });
        let Some((domain, target)) = rest.get(8..).and_then(|rest| rest.split_once(':')) else { return false };
        let is_domain = !domain.is_empty() && domain.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '.');
        let is_target =
            !target.is_empty() && !target.contains([',', ';', '*', '&', '$', '|', ' ', '\t', '\n', '\x0c', '\r']);
        is_date && is_domain && is_target
    };
    name.match_indices("iqn.").any(|(start, found)| is_rest_valid(&name[start + found.len()..]))
}

/// Matches upstream's regular expressions `^eui.[[:alnum:]]{16}$` and `^naa.[[:alnum:]]{32}$`, of which the caller has
/// checked the first three letters.
fn is_identifier(name: &str, digits: usize) -> bool {
    let mut rest = name.chars().skip(3);
    let is_separated = rest.next().is_some_and(|c| c != '\n');
    let rest: Vec<char> = rest.collect();
    is_separated && rest.len() == digits && rest.iter().all(char::is_ascii_alphanumeric)
}

pub(in crate::kinds) fn cinder(source: &Value, at: At<'_>) -> Causes {
    let mut causes = require_all(source, &["volumeID"], at);
    causes.extend(secret_reference(source, at));
    causes
}

pub(in crate::kinds) fn fibre_channel(source: &Value, at: At<'_>) -> Causes {
    let (targets, ids) = (items(source, "targetWWNs"), items(source, "wwids"));
    let (path, mut causes) = (format_args!("{at}.targetWWNs"), Causes::new());
    if targets.is_empty() && ids.is_empty() {
        causes.push(Cause::required(path, "must specify either targetWWNs or wwids, but not both"));
    }
    if !targets.is_empty() && !ids.is_empty() {
        let why = "targetWWNs and wwids can not be specified simultaneously";
        causes.push(Cause::invalid_json(path, &source["targetWWNs"], why));
    }
    if !targets.is_empty() {
        match source["lun"].as_i64() {
            None => {
                causes.push(Cause::required(format_args!("{at}.lun"), "lun is required if targetWWNs is specified"))
            }
            Some(number) => causes.extend(lun(number, at)),
        }
    }
    causes
}

pub(in crate::kinds) fn flex(source: &Value, at: At<'_>) -> Causes {
    let mut causes = require_all(source, &["driver"], at);
    for (option, _) in pairs(source, "options") {
        let domain = option.split_once('/').map_or(option, |(domain, _)| domain);
        let domain = format!(".{}", domain.to_lowercase());
        if domain.ends_with(".kubernetes.io") || domain.ends_with(".k8s.io") {
            let why = "kubernetes.io and k8s.io namespaces are reserved";
            causes.push(Cause::invalid(format_args!("{at}.options[{option}]"), option, why));
        }
    }
    causes
}

pub(in crate::kinds) fn azure_file(source: &Value, at: At<'_>) -> Causes {
    require_all(source, &["secretName", "shareName"], at)
}

pub(in crate::kinds) fn azure_disk(source: &Value, at: At<'_>) -> Causes {
    let mut causes = require_all(source, &["diskName", "diskURI"], at);
    causes.extend(one_of_if_set(source, "cachingMode", &CACHING, at));
    causes.extend(one_of_if_set(source, "kind", &AZURE_KINDS, at));
    let (uri, at_uri) = (text(source, "diskURI"), format_args!("{at}.diskURI"));
    match source["kind"].as_str() {
        Some("Managed") if !uri.starts_with("/subscriptions/") => {
            causes.push(Cause::unsupported_text(at_uri, uri, &[MANAGED_URI]));
        }
        Some(kind) if kind != "Managed" && !uri.starts_with("https://") => {
            causes.push(Cause::unsupported_text(at_uri, uri, &[BLOB_URI]));
        }
        _ => {}
    }
    causes
}

pub(in crate::kinds) fn vsphere(source: &Value, at: At<'_>) -> Causes {
    require_all(source, &["volumePath"], at)
}

pub(in crate::kinds) fn portworx(source: &Value, at: At<'_>) -> Causes {
    require_all(source, &["volumeID"], at)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// From the cases of upstream's `TestValidateVolumes`.
    #[test]
    fn iscsi_names_are_recognized() {
        for good in [
            "iqn.2015-02.example.com:test",
            "iqn.2015-02.example.com:storage.disk1.sys1.xyz",
            "eui.0123456789abcdef",
            "naa.62004567BA64678D0123456789ABCDEF",
        ] {
            assert!(qualified_name(good, "", &"a").is_none(), "{good}");
        }
        for bad in
            ["iqn.2015-02.example.com", "iqn.2015-2.a:b", "iqn.2015-02.a:b c", "eui.0123", "naa.1", "test", "", "iq"]
        {
            assert!(qualified_name(bad, "", &"a").is_some(), "{bad}");
        }
    }
}
