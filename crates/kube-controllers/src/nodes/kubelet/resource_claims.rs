//! The ResourceClaims of a pod: requests for devices. Neither the scheduler nor the kubelet of this cluster allocates
//! devices, so a pod waits until another program has allocated each of its claims, and has reserved it for the pod.
//! Upstream: the plugin `dynamicresources` of kube-scheduler, and `pkg/kubelet/cm/dra`.

use futures::future::BoxFuture;
use kube_client::Error;

use super::event_correlator::PodEvent;
use super::pod_worker::PodWorker;
use super::references::{Lookup, Reference};
use crate::nodes::items::items;
use crate::nodes::pod;
use crate::nodes::requests::ObjectRef;
use crate::nodes::scheduler::Scheduler;
use kube_machinery::kinds::RESOURCE_CLAIMS;
use kube_machinery::value::Value;

/// A claim that the pod cannot use yet.
#[derive(Debug, PartialEq)]
pub(super) struct Unusable {
    why: Problem,
    /// The reason lasts at least until one of these objects is written.
    waits_for: Vec<ObjectRef>,
}

/// The reason why a pod cannot use a claim.
#[derive(Debug, PartialEq)]
enum Problem {
    /// The claim does not exist, is being deleted, or is that of another pod.
    Claim(String),
    /// The claim is not allocated, or not reserved for the pod.
    Unallocated(String),
}

impl PodWorker {
    /// Waits until the pod can use its ResourceClaims, before the scheduler looks for a node. The status of the pod says
    /// that a claim is not allocated. As upstream, nothing says that a claim is missing (`DynamicResources.PreEnqueue`).
    pub(super) async fn wait_for_resource_claims(&mut self, scheduler: &mut Scheduler) -> Result<(), Error> {
        while let Some((problem, changed)) = self.unusable_claim().await? {
            if let Problem::Unallocated(claim) = problem {
                let why =
                    format!("cannot allocate all claims: this cluster allocates no devices for resourceclaim {claim}");
                let unfit = scheduler.unschedulable_on_any(&self.pod, self.uid(), &why).await;
                self.unschedulable(&unfit).await?;
            }
            let _resting = self.mark_resting();
            changed.await;
            if !self.refresh().await? {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Waits until the kubelet can prepare the ResourceClaims of a pod on its node. The scheduler binds a pod only after
    /// its claims are reserved, so this wait is for pods that another client has bound.
    pub(super) async fn prepare_resource_claims(&mut self) -> Result<(), Error> {
        if self.pod["spec"]["nodeName"].is_null() {
            return Ok(());
        }
        while let Some((problem, changed)) = self.unusable_claim().await? {
            let why = match problem {
                Problem::Claim(why) => why,
                Problem::Unallocated(claim) => {
                    format!("pod {} ({}) is not allowed to use ResourceClaim {claim}", self.name(), self.uid())
                }
            };
            let message = format!("Failed to prepare dynamic resources: prepare dynamic resources: {why}");
            let event = PodEvent::warning("FailedPrepareDynamicResources", message, None);
            self.recorder.record(&self.pod, event).await;
            self.report_creating().await?;
            let resting = self.mark_resting();
            changed.await;
            drop(resting);
            self.wait_for_node().await;
            if !self.refresh().await? {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Reads the pod again. Returns false if another pod has its name now, so that the work on this pod is over.
    async fn refresh(&mut self) -> Result<bool, Error> {
        let now = self.context.api.get(self.reference()).await?;
        self.is_over |= pod::uid(&now) != self.uid();
        if !self.is_over {
            self.pod = now;
        }
        Ok(!self.is_over)
    }

    /// Returns the first claim that the pod cannot use, and a future that ends after this may have changed.
    async fn unusable_claim(&mut self) -> Result<Option<(Problem, BoxFuture<'static, ()>)>, Error> {
        if items(&self.pod["spec"]["resourceClaims"]).is_empty() {
            return Ok(None);
        }
        loop {
            let Some(before) = unusable(&self.pod, &mut self.lookup(), self.reference()).await? else {
                return Ok(None);
            };
            let changed = self.context.api.changed(before.waits_for.clone());
            // An object may have come before `changed` could notice.
            let after = unusable(&self.pod, &mut self.lookup(), self.reference()).await?;
            if after.as_ref() == Some(&before) {
                return Ok(Some((before.why, changed)));
            }
        }
    }
}

/// Returns the first claim of a pod that the pod cannot use. Upstream: `foreachPodResourceClaim`, `PreFilter`.
async fn unusable(pod: &Value, lookup: &mut Lookup, reference: ObjectRef) -> Result<Option<Unusable>, Error> {
    for wanted in items(&pod["spec"]["resourceClaims"]) {
        let (name, is_owned) = match name_of(pod, wanted) {
            Name::Of(name) => (name, false),
            Name::OfMade(name) => (name, true),
            Name::NotNeeded => continue,
            Name::NotMade => {
                let why = format!(r#"pod "{}/{}": ResourceClaim not created yet"#, lookup.namespace, name_in(pod));
                return Ok(Some(Unusable { why: Problem::Claim(why), waits_for: vec![reference] }));
            }
        };
        let claim = Reference { resource: RESOURCE_CLAIMS, name, keys: Vec::new(), fields: &[] };
        let found = lookup.get(&claim).await?;
        if let Some(why) = problem(pod, &lookup.namespace, name, is_owned, found.as_deref()) {
            return Ok(Some(Unusable { why, waits_for: vec![lookup.object_ref(&claim)] }));
        }
    }
    Ok(None)
}

fn name_in(object: &Value) -> &str {
    object["metadata"]["name"].as_str().unwrap_or_default()
}

/// The name of the claim that a pod refers to.
enum Name<'a> {
    Of(&'a str),
    /// The claim was made for the pod from a template.
    OfMade(&'a str),
    /// A claim has yet to be made from a template.
    NotMade,
    /// A controller has decided that the pod needs no claim.
    NotNeeded,
}

/// Upstream: `resourceclaim.Name`.
fn name_of<'a>(pod: &'a Value, wanted: &'a Value) -> Name<'a> {
    if let Some(name) = wanted["resourceClaimName"].as_str() {
        return Name::Of(name);
    }
    let status = items(&pod["status"]["resourceClaimStatuses"]).iter().find(|status| status["name"] == wanted["name"]);
    match status.map(|status| status["resourceClaimName"].as_str()) {
        None => Name::NotMade,
        Some(None) => Name::NotNeeded,
        Some(Some(name)) => Name::OfMade(name),
    }
}

/// Returns why a pod cannot use a claim, in the words of kube-scheduler.
fn problem(pod: &Value, namespace: &str, name: &str, is_owned: bool, claim: Option<&Value>) -> Option<Problem> {
    let Some(claim) = claim else {
        return Some(Problem::Claim(format!("could not find ResourceClaim {:?}", format!("{namespace}/{name}"))));
    };
    if claim["metadata"]["deletionTimestamp"].is_string() {
        return Some(Problem::Claim(format!("resourceclaim {name:?} is being deleted")));
    }
    if is_owned && !pod::is_controlled_by(claim, pod) {
        let of_pod = format!("Pod {namespace}/{}", name_in(pod));
        let why = format!("ResourceClaim {namespace}/{name} was not created for {of_pod} (Pod is not owner)");
        return Some(Problem::Claim(why));
    }
    let is_reserved = items(&claim["status"]["reservedFor"]).iter().any(|consumer| consumer["uid"] == pod::uid(pod));
    (!is_reserved).then(|| Problem::Unallocated(format!("{namespace}/{name}")))
}
