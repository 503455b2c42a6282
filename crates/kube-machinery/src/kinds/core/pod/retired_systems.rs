//! Validates the volume sources of storage systems whose drivers Kubernetes has dropped, such as Flocker. They are
//! validated nevertheless. Upstream: `validateFlockerVolumeSource` and its neighbours in
//! `pkg/apis/core/validation/validation.go`.

use super::storage_systems::{require_all, secret_reference};
use crate::conventions::cause::{At, Cause};
use crate::conventions::causes::Causes;
use crate::kinds::fields::{invalid, required, text};
use crate::kinds::names;
use crate::value::Value;

pub(in crate::kinds) fn glusterfs(source: &Value, at: At<'_>) -> Causes {
    require_all(source, &["endpoints", "path"], at)
}

pub(in crate::kinds) fn glusterfs_volume(source: &Value, at: At<'_>) -> Causes {
    let (mut causes, at_namespace) = (glusterfs(source, at), format_args!("{at}.endpointsNamespace"));
    match source["endpointsNamespace"].as_str() {
        None => {}
        Some("") => {
            let why = "if the endpointnamespace is set, it must be a valid namespace name";
            causes.push(Cause::invalid(at_namespace, "", why));
        }
        Some(namespace) => causes.extend(invalid(&at_namespace, namespace, names::label(namespace))),
    }
    causes
}

pub(in crate::kinds) fn flocker(source: &Value, at: At<'_>) -> Causes {
    let (name, id) = (text(source, "datasetName"), text(source, "datasetUUID"));
    let mut causes = Causes::new();
    if name.is_empty() && id.is_empty() {
        causes.push(Cause::required(at, "one of datasetName and datasetUUID is required"));
    }
    if !name.is_empty() && !id.is_empty() {
        causes.push(Cause::invalid(at, "resource", "datasetName and datasetUUID can not be specified simultaneously"));
    }
    if name.contains('/') {
        causes.push(Cause::invalid(format_args!("{at}.datasetName"), name, "must not contain '/'"));
    }
    causes
}

pub(in crate::kinds) fn rbd(source: &Value, at: At<'_>) -> Causes {
    require_all(source, &["monitors", "image"], at)
}

pub(in crate::kinds) fn cephfs(source: &Value, at: At<'_>) -> Causes {
    require_all(source, &["monitors"], at)
}

pub(in crate::kinds) fn quobyte(source: &Value, at: At<'_>) -> Causes {
    const PAIRS: &str = "must be a host:port pair or multiple pairs separated by commas";
    let (registry, at_registry) = (text(source, "registry"), format_args!("{at}.registry"));
    let mut causes = Causes::new();
    if registry.is_empty() {
        causes.push(Cause::required(at_registry, PAIRS));
    } else if text(source, "tenant").len() >= 65 {
        let why = "must be a UUID and may not exceed a length of 64 characters";
        causes.push(Cause::required(format_args!("{at}.tenant"), why));
    } else {
        let wrong = registry.split(',').filter(|pair| !is_host_and_port(pair));
        causes.extend(wrong.map(|_| Cause::invalid(at_registry, registry, PAIRS)));
    }
    causes.extend(required(source, "volume", at));
    causes
}

/// Returns true if Go can split the text into a host and a port. Go: `net.SplitHostPort`.
fn is_host_and_port(text: &str) -> bool {
    let Some(colon) = text.rfind(':') else { return false };
    let (inside, behind) = match (text.strip_prefix('['), text.find(']')) {
        (Some(_), Some(end)) if end + 1 == colon => (&text[1..], &text[end + 1..]),
        (Some(_), _) => return false,
        (None, _) if text[..colon].contains(':') => return false,
        (None, _) => (text, text),
    };
    !inside.contains('[') && !behind.contains(']')
}

pub(in crate::kinds) fn photon_disk(source: &Value, at: At<'_>) -> Causes {
    require_all(source, &["pdID"], at)
}

pub(in crate::kinds) fn scale_io(source: &Value, at: At<'_>) -> Causes {
    require_all(source, &["gateway", "system", "volumeName"], at)
}

pub(in crate::kinds) fn storage_os(source: &Value, at: At<'_>) -> Causes {
    let mut causes = Causes::from_iter(required(source, "volumeName", at));
    for field in ["volumeName", "volumeNamespace"] {
        let name = text(source, field);
        if !name.is_empty() {
            causes.extend(invalid(&format_args!("{at}.{field}"), name, names::label(name)));
        }
    }
    causes.extend(secret_reference(source, at));
    causes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_and_a_port_are_split_as_in_go() {
        for good in ["a:1", ":", "[::1]:80", "a:"] {
            assert!(is_host_and_port(good), "{good}");
        }
        for bad in ["", "a", "::1:80", "[::1]", "[::1", "[a]b:1", "a]:1", "[[a]:1"] {
            assert!(!is_host_and_port(bad), "{bad}");
        }
    }
}
