//! Finds the containers whose environment refers to a Secret, a ConfigMap or a key that does not exist. Upstream:
//! `makeEnvironmentVariables` in `pkg/kubelet/kubelet_pods.go`.

use kube_client::Error;

use super::prepare::Failure;
use super::references::{Lookup, Missing, Reference, is_optional};
use crate::nodes::items::items;
use kube_machinery::kinds::{CONFIG_MAPS, Resource, SECRETS};
use kube_machinery::value::Value;

/// Returns the failures of those containers, given as in the spec, that cannot be created.
pub(super) async fn failures(containers: &[Value], lookup: &mut Lookup) -> Result<Vec<Failure>, Error> {
    let mut failures = Vec::new();
    for container in containers {
        failures.extend(failure(container, lookup).await?);
    }
    Ok(failures)
}

/// Returns the first error in a container's environment.
async fn failure(container: &Value, lookup: &mut Lookup) -> Result<Option<Failure>, Error> {
    for reference in references(container) {
        let Some(missing) = lookup.missing(&reference).await? else { continue };
        let (kind, namespace, name) = (reference.resource.kind(), &lookup.namespace, reference.name);
        let message = match missing {
            Missing::Object => reference.not_found(),
            Missing::Key(key) => format!("couldn't find key {key} in {kind} {namespace}/{name}"),
        };
        let container = Some(container["name"].as_str().unwrap_or_default().to_owned());
        return Ok(Some(Failure { container, message, waits_for: vec![lookup.object_ref(&reference)] }));
    }
    Ok(None)
}

/// Returns the references in upstream's order: `envFrom` before `env`.
fn references(container: &Value) -> impl Iterator<Item = Reference<'_>> {
    let whole = items(&container["envFrom"]).iter().filter_map(|source| {
        let sources = [(CONFIG_MAPS, &source["configMapRef"]), (SECRETS, &source["secretRef"])];
        sources.into_iter().find_map(|(resource, source)| reference(resource, source))
    });
    let single = items(&container["env"]).iter().filter_map(|variable| {
        let source = &variable["valueFrom"];
        let sources = [(CONFIG_MAPS, &source["configMapKeyRef"]), (SECRETS, &source["secretKeyRef"])];
        sources.into_iter().find_map(|(resource, source)| reference(resource, source))
    });
    whole.chain(single)
}

fn reference<'a>(resource: &'static Resource, source: &'a Value) -> Option<Reference<'a>> {
    let name = source["name"].as_str().filter(|_| !is_optional(source))?;
    // The environment holds text, so upstream does not search `binaryData`.
    Some(Reference { resource, name, keys: source["key"].as_str().into_iter().collect(), fields: &["data"] })
}
