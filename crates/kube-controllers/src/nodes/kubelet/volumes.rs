//! Finds the volumes of a pod that cannot be mounted, because a Secret, a ConfigMap, a key, a trust bundle or a claim
//! does not exist, or because a claim has no volume. Upstream: `SetUpAt` in
//! `pkg/volume/{secret,configmap,projected}`, and `pkg/kubelet/volumemanager`.

use std::collections::BTreeSet;

use kube_client::Error;

use super::prepare::Failure;
use super::references::{Lookup, Missing, Reference, is_optional};
use crate::nodes::claims::Claims;
use crate::nodes::items::items;
use crate::nodes::pod::is_controlled_by;
use crate::nodes::requests::ObjectRef;
use crate::shared::volume::{ephemeral_claim_name, not_made_for};
use kube_machinery::conventions::aggregate::aggregate;
use kube_machinery::kinds::{CLUSTER_TRUST_BUNDLES, CONFIG_MAPS, PERSISTENT_VOLUME_CLAIMS, Resource, SECRETS};
use kube_machinery::value::Value;

/// The ConfigMap in the token volume of a service account. The kubelet does not look for it. A cluster with controllers
/// publishes it in every namespace, and in a cluster without them, pods would wait for it for ever.
const ROOT_CA: &str = "kube-root-ca.crt";

/// Returns the volumes that cannot be mounted. As upstream, a volume that no container mounts is left out.
pub(super) async fn failures(pod: &Value, required: Claims, lookup: &mut Lookup) -> Result<Vec<Failure>, Error> {
    let volumes = items(&pod["spec"]["volumes"]);
    if volumes.is_empty() {
        return Ok(Vec::new());
    }
    let mounted = mounted(&pod["spec"]);
    let mut failures = Vec::new();
    let mut claims = UnusableClaims::default();
    for volume in volumes {
        let name = volume["name"].as_str().unwrap_or_default();
        if !mounted.contains(name) {
            continue;
        }
        failures.extend(failure(name, volume, lookup).await?);
        claims.check(name, volume, pod, required, lookup).await?;
    }
    failures.extend(claims.failure());
    Ok(failures)
}

/// Returns the names of the volumes that containers mount. Upstream: `GetPodVolumeNames`.
fn mounted(spec: &Value) -> BTreeSet<&str> {
    let containers = ["initContainers", "containers", "ephemeralContainers"];
    let containers = containers.into_iter().flat_map(|field| items(&spec[field]));
    let mounts = containers.flat_map(|container| {
        items(&container["volumeMounts"]).iter().chain(items(&container["volumeDevices"])) // a device is a raw block volume
    });
    mounts.filter_map(|mount| mount["name"].as_str()).collect()
}

/// Returns the failure of a volume with the content of Secrets or ConfigMaps.
async fn failure(name: &str, volume: &Value, lookup: &mut Lookup) -> Result<Option<Failure>, Error> {
    let (mut errors, mut waits_for) = (Vec::new(), Vec::new());
    for reference in references(volume) {
        let error = match lookup.missing(&reference).await? {
            None => continue,
            Some(Missing::Object) if reference.resource == CLUSTER_TRUST_BUNDLES => {
                let name = reference.name;
                format!("while getting ClusterTrustBundle: clustertrustbundle.certificates.k8s.io {name:?} not found")
            }
            Some(Missing::Object) => reference.not_found(),
            Some(Missing::Key(key)) if reference.resource == SECRETS => {
                format!("references non-existent secret key: {key}")
            }
            Some(Missing::Key(key)) => format!("configmap references non-existent config key: {key}"),
        };
        errors.push(error);
        waits_for.push(lookup.object_ref(&reference));
    }
    Ok(aggregate(errors).map(|error| {
        let message = format!("MountVolume.SetUp failed for volume {name:?} : {error}");
        Failure { container: None, message, waits_for }
    }))
}

fn references(volume: &Value) -> impl Iterator<Item = Reference<'_>> {
    let own =
        [reference(SECRETS, &volume["secret"], "secretName"), reference(CONFIG_MAPS, &volume["configMap"], "name")];
    let projected = items(&volume["projected"]["sources"]).iter().filter_map(|source| {
        let config_map = || reference(CONFIG_MAPS, &source["configMap"], "name");
        let bundle = || reference(CLUSTER_TRUST_BUNDLES, &source["clusterTrustBundle"], "name");
        let found = reference(SECRETS, &source["secret"], "name").or_else(config_map);
        found.filter(|reference| reference.name != ROOT_CA).or_else(bundle)
    });
    own.into_iter().flatten().chain(projected)
}

/// Returns the reason why a claim cannot be mounted. Upstream: `getPVCExtractPV`.
fn unusable(claim: &Value) -> Option<&'static str> {
    let is_bound = claim["status"]["phase"] == "Bound"
        && claim["spec"]["volumeName"].as_str().is_some_and(|name| !name.is_empty());
    match &claim["metadata"]["deletionTimestamp"] {
        Value::Null if is_bound => None,
        Value::Null => Some("PVC is not bound"),
        _ => Some("PVC is being deleted"),
    }
}

fn reference<'a>(resource: &'static Resource, source: &'a Value, field: &str) -> Option<Reference<'a>> {
    let name = source[field].as_str().filter(|_| !is_optional(source))?;
    let keys = items(&source["items"]).iter().filter_map(|item| item["key"].as_str()).collect();
    Some(Reference { resource, name, keys, fields: &["data", "binaryData"] })
}

/// The volumes whose claims cannot be used.
#[derive(Default)]
struct UnusableClaims {
    volumes: Vec<String>,
    errors: Vec<String>,
    waits_for: Vec<ObjectRef>,
}

impl UnusableClaims {
    async fn check(
        &mut self,
        volume: &str,
        source: &Value,
        pod: &Value,
        required: Claims,
        lookup: &mut Lookup,
    ) -> Result<(), Error> {
        // Without the controllers of claims, none would be made for an ephemeral volume.
        let is_own = source["ephemeral"].is_object() && required == Claims::AreBound;
        let pod_name = pod["metadata"]["name"].as_str().unwrap_or_default();
        let own = is_own.then(|| ephemeral_claim_name(pod_name, volume));
        let named = source["persistentVolumeClaim"]["claimName"].as_str();
        let Some(name) = own.as_deref().or(named) else { return Ok(()) };
        let claim = Reference { resource: PERSISTENT_VOLUME_CLAIMS, name, keys: Vec::new(), fields: &[] };
        let namespace = lookup.namespace.clone();
        let not_processed = |cause: &str| format!("error processing PVC {namespace}/{name}: {cause}");
        let error = match lookup.get(&claim).await? {
            None => {
                let why = format!("failed to fetch PVC from API server: persistentvolumeclaims {name:?} not found");
                Some(not_processed(&why))
            }
            Some(found) if is_own && !is_controlled_by(&found, pod) => Some(not_made_for(&namespace, pod_name, name)),
            Some(found) => unusable(&found).filter(|_| required == Claims::AreBound).map(not_processed),
        };
        if let Some(error) = error {
            self.errors.push(error);
            self.volumes.push(volume.to_owned());
            self.waits_for.push(lookup.object_ref(&claim));
        }
        Ok(())
    }

    /// Returns one failure for all claims. Upstream: `WaitForAttachAndMount`.
    fn failure(self) -> Option<Failure> {
        let (volumes, errors) = (self.volumes.join(" "), self.errors.join("; "));
        let message = format!(
            "Unable to attach or mount volumes: unmounted volumes=[{volumes}], unattached volumes=[], \
             failed to process volumes=[{volumes}]: {errors}"
        );
        (!self.errors.is_empty()).then_some(Failure { container: None, message, waits_for: self.waits_for })
    }
}
