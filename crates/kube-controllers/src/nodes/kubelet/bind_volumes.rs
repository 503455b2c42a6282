//! Binds the claims of a pod to volumes before the pod is bound to its node: writes what the scheduler has chosen, and
//! waits until the controller has bound the claims. Upstream: `PreBind` of the plugin `VolumeBinding`, and
//! `BindPodVolumes`.

use std::time::Duration;

use kube_client::Error;

use super::pod_worker::PodWorker;
use crate::nodes::requests::{Author, ObjectRef, Received};
use crate::nodes::scheduler::{PodVolumes, Provision, Scheduler, StaticBinding};
use crate::shared::volume::{BIND_COMPLETED, BOUND_BY_CONTROLLER, SELECTED_NODE};
use kube_machinery::kinds::{PERSISTENT_VOLUME_CLAIMS, PERSISTENT_VOLUMES};
use kube_machinery::value::{Value, json};

/// The time after which a pod whose claims are not bound is scheduled again. Upstream: `DefaultBindTimeoutSeconds`.
const BIND_TIMEOUT: Duration = Duration::from_secs(600);

impl PodWorker {
    /// Returns once the claims are bound, or with the reason why the pod must be scheduled again.
    pub(super) async fn bind_volumes(
        &self,
        scheduler: &Scheduler,
        node: &str,
        volumes: &PodVolumes,
    ) -> Result<(), String> {
        self.write_bindings(node, volumes).await.map_err(|error| text_of(&error))?;
        match tokio::time::timeout(BIND_TIMEOUT, self.wait_until_bound(scheduler, node, volumes)).await {
            Ok(bound) => bound.map_err(|why| format!("binding volumes: {why}")),
            Err(_) => Err("binding volumes: context deadline exceeded".to_owned()),
        }
    }

    /// Upstream: `bindAPIUpdate`. A write fails if the object has changed since the scheduler has seen it.
    async fn write_bindings(&self, node: &str, volumes: &PodVolumes) -> Result<(), Error> {
        for StaticBinding { claim, claim_version, volume, version, is_reserved } in &volumes.bindings {
            let mut patch = json!({
                "metadata": {"resourceVersion": version}, "spec": {"claimRef": claim.reference(claim_version)},
            });
            if !is_reserved {
                patch["metadata"]["annotations"] = json!({BOUND_BY_CONTROLLER: "yes"});
            }
            self.context.api.patch(Author::Scheduler, volume_ref(volume), patch).await?;
        }
        for Provision { claim, version } in &volumes.provisions {
            let annotations = json!({SELECTED_NODE: node});
            let patch = json!({"metadata": {"resourceVersion": version, "annotations": annotations}});
            self.context.api.patch(Author::Scheduler, claim_ref(&claim.namespace, &claim.name), patch).await?;
        }
        Ok(())
    }

    /// The pod does not count as resting meanwhile, because the controller goes on with the claims by itself.
    async fn wait_until_bound(&self, scheduler: &Scheduler, node: &str, volumes: &PodVolumes) -> Result<(), String> {
        let claims = volumes.bindings.iter().map(|binding| &binding.claim);
        let claims = claims.chain(volumes.provisions.iter().map(|provision| &provision.claim));
        let claims = claims.map(|claim| claim_ref(&claim.namespace, &claim.name));
        let volume_refs = volumes.bindings.iter().map(|binding| volume_ref(&binding.volume));
        let objects: Vec<ObjectRef> = claims.chain(volume_refs).collect();
        loop {
            let changed = self.context.api.changed(objects.clone());
            if self.check_bindings(scheduler, node, volumes).await? {
                return Ok(());
            }
            changed.await;
        }
    }

    /// Returns true if the claims are bound. Upstream: `checkBindings`.
    async fn check_bindings(&self, scheduler: &Scheduler, node: &str, volumes: &PodVolumes) -> Result<bool, String> {
        let mut are_bound = true;
        for StaticBinding { claim, volume: name, .. } in &volumes.bindings {
            let volume = self.find("failed to check binding", volume_ref(name)).await?;
            check_node_affinity(scheduler, &volume, name, node)?;
            if volume["spec"]["claimRef"]["uid"].as_str().is_none_or(str::is_empty) {
                return Err(format!("ClaimRef got reset for pv {name:?}"));
            }
            let claim = self.find("failed to check binding", claim_ref(&claim.namespace, &claim.name)).await?;
            are_bound &= is_fully_bound(&claim);
        }
        for Provision { claim, .. } in &volumes.provisions {
            let name = &claim.name;
            let claim = self.find("failed to check provisioning pvc", claim_ref(&claim.namespace, name)).await?;
            match &claim["metadata"]["annotations"] {
                Value::Null => return Err(format!("selectedNode annotation reset for PVC {name:?}")),
                annotations if annotations[SELECTED_NODE] != node => {
                    return Err(format!("provisioning failed for PVC {name:?}")); // the provisioner has removed it
                }
                _ => {}
            }
            are_bound &= is_fully_bound(&claim) && self.is_at_node(scheduler, &claim, node).await?;
        }
        Ok(are_bound)
    }

    /// Returns true if the volume of a claim exists, and can be mounted on the node.
    async fn is_at_node(&self, scheduler: &Scheduler, claim: &Value, node: &str) -> Result<bool, String> {
        let name = claim["spec"]["volumeName"].as_str().unwrap_or_default();
        match self.context.api.get(volume_ref(name)).await {
            Ok(volume) => check_node_affinity(scheduler, &volume, name, node).map(|()| true),
            Err(Error::Api(status)) if status.code == 404 => Ok(false),
            Err(error) => Err(format!("failed to get pv {name:?} from cache: {}", text_of(&error))),
        }
    }

    async fn find(&self, context: &str, object: ObjectRef) -> Result<Received, String> {
        self.context.api.get(object).await.map_err(|error| format!("{context}: {}", text_of(&error)))
    }
}

/// Upstream: `CheckNodeAffinity`; the labels of the node may have changed meanwhile.
fn check_node_affinity(scheduler: &Scheduler, volume: &Value, name: &str, node: &str) -> Result<(), String> {
    if scheduler.node_has(node, &volume["spec"]["nodeAffinity"]["required"]) {
        return Ok(());
    }
    Err(format!("pv {name:?} node affinity doesn't match node {node:?}: no matching NodeSelectorTerms"))
}

/// Upstream: `isPVCFullyBound`.
fn is_fully_bound(claim: &Value) -> bool {
    let has_volume = claim["spec"]["volumeName"].as_str().is_some_and(|name| !name.is_empty());
    has_volume && claim["metadata"]["annotations"][BIND_COMPLETED].is_string()
}

fn claim_ref(namespace: &str, name: &str) -> ObjectRef {
    ObjectRef { resource: PERSISTENT_VOLUME_CLAIMS, namespace: namespace.to_owned(), name: name.to_owned() }
}

fn volume_ref(name: &str) -> ObjectRef {
    ObjectRef { resource: PERSISTENT_VOLUMES, namespace: String::new(), name: name.to_owned() }
}

/// Returns the message of the server.
fn text_of(error: &Error) -> String {
    match error {
        Error::Api(status) => status.message.clone(),
        error => error.to_string(),
    }
}
