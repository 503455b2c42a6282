//! Validates `fieldRef` and `resourceFieldRef` (the downward API): a value comes from a field of the pod, or from the
//! requests and limits of a container. Upstream: `validateObjectFieldSelector` and
//! `validateContainerResourceFieldSelector` in `pkg/apis/core/validation/validation.go`.

use crate::conventions::cause::{At, Cause};
use crate::conventions::causes::Causes;
use crate::conventions::quantity::Quantity;
use crate::kinds::fields::{invalid, required, text};
use crate::kinds::names;
use crate::value::Value;

/// The fields of a pod that a `fieldRef` can name. Upstream: `ConvertDownwardAPIFieldLabel` in
/// `pkg/apis/core/pods/helpers.go`.
const FIELDS: [&str; 15] = [
    "metadata.annotations",
    "metadata.labels",
    "metadata.name",
    "metadata.namespace",
    "metadata.uid",
    "spec.host",
    "spec.nodeName",
    "spec.restartPolicy",
    "spec.schedulerName",
    "spec.serviceAccountName",
    "status.hostIP",
    "status.hostIPs",
    "status.phase",
    "status.podIP",
    "status.podIPs",
];
/// The amounts that a `resourceFieldRef` can name, beside those of huge pages.
const RESOURCES: [&str; 6] = [
    "limits.cpu",
    "limits.ephemeral-storage",
    "limits.memory",
    "requests.cpu",
    "requests.ephemeral-storage",
    "requests.memory",
];
/// The amounts of huge pages, without the size of a page.
const HUGE: [&str; 2] = ["limits.hugepages-", "requests.hugepages-"];
/// The units of all resources but cpu.
const DIVISORS: [&str; 13] = ["1", "1k", "1M", "1G", "1T", "1P", "1E", "1Ki", "1Mi", "1Gi", "1Ti", "1Pi", "1Ei"];

/// `allowed` are the fields that may be named here: variables and files support different ones.
pub(super) fn field(reference: &Value, allowed: &[&str], at: At<'_>) -> Causes {
    for field in ["apiVersion", "fieldPath"] {
        if let Some(cause) = required(reference, field, at) {
            return Causes::from([cause]);
        }
    }
    let (version, path) = (text(reference, "apiVersion"), text(reference, "fieldPath"));
    let at_path = format_args!("{at}.fieldPath");
    let unknown =
        |why: String| Causes::from([Cause::invalid(at_path, path, &format!("error converting fieldPath: {why}"))]);
    if version != "v1" {
        return unknown(format!("unsupported pod version: {version}"));
    }
    match subscript(path) {
        Some(("metadata.annotations", key)) => {
            let key = key.to_lowercase();
            return invalid(at, &key, names::label_key(&key));
        }
        Some(("metadata.labels", key)) => return invalid(at, key, names::label_key(key)),
        Some(_) => return unknown(format!("field label does not support subscript: {path}")),
        None => {}
    }
    if !FIELDS.contains(&path) {
        return unknown(format!("field label not supported: {path}"));
    }
    // `spec.host` is the old name of the field.
    let path = if path == "spec.host" { "spec.nodeName" } else { path };
    let is_allowed = allowed.contains(&path);
    (!is_allowed).then(|| Cause::unsupported_text(at_path, path, allowed)).into_iter().collect()
}

/// Splits `path['key']` into its parts. Upstream: `SplitMaybeSubscriptedPath`.
fn subscript(path: &str) -> Option<(&str, &str)> {
    path.strip_suffix("']")?.split_once("['").filter(|(path, _)| !path.is_empty())
}

/// The place of a `resourceFieldRef`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ReferenceHolder {
    /// In an environment variable, where the container name is optional and defaults to the variable's own container.
    Variable,
    /// In a volume, where the container name is required.
    Volume,
}

pub(super) fn resource(reference: &Value, holder: ReferenceHolder, at: At<'_>) -> Causes {
    let resource = text(reference, "resource");
    let is_huge = HUGE.iter().any(|prefix| resource.starts_with(prefix));
    let mut causes = Causes::new();
    if holder == ReferenceHolder::Volume && text(reference, "containerName").is_empty() {
        causes.push(Cause::required(format_args!("{at}.containerName"), ""));
    } else if resource.is_empty() {
        causes.push(Cause::required(format_args!("{at}.resource"), ""));
    } else if !RESOURCES.contains(&resource) && !is_huge {
        causes.push(Cause::unsupported_text(format_args!("{at}.resource"), resource, &RESOURCES));
    }
    causes.extend(divisor(reference, resource, is_huge, at));
    causes
}

/// Validates the unit in which the amount is given. Upstream: `validateContainerResourceDivisor`.
fn divisor(reference: &Value, resource: &str, is_huge: bool, at: At<'_>) -> Option<Cause> {
    let divisor = reference["divisor"].as_str().and_then(|text| Quantity::parse(text).ok())?.to_string();
    let of = match resource {
        _ if divisor == "0" => return None, // the default
        "limits.cpu" | "requests.cpu" if ["1m", "1"].contains(&&*divisor) => return None,
        "limits.cpu" | "requests.cpu" => {
            let why = "only divisor's values 1m and 1 are supported with the cpu resource";
            return Some(Cause::invalid(format_args!("{at}.divisor"), resource, why));
        }
        _ if DIVISORS.contains(&&*divisor) => return None,
        "limits.memory" | "requests.memory" => "memory",
        "limits.ephemeral-storage" | "requests.ephemeral-storage" => "local ephemeral storage",
        _ if is_huge => "hugepages",
        _ => return None,
    };
    let why = format!("only divisor's values {} are supported with the {of} resource", DIVISORS.join(", "));
    Some(Cause::invalid(format_args!("{at}.divisor"), resource, &why))
}
