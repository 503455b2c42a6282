//! The storage classes of claims, and the wait of a claim for its first pod. Upstream: `IsDelayBindingMode`,
//! `GetDefaultClass`, and the volume binding of the scheduler.

use std::sync::Arc;

use kube_client::api::DynamicObject;
use kube_selectors::LabelSelector;
use serde_json::json;

use super::Controller;
use crate::shared::error::SyncError;
use crate::shared::object::annotation;
use crate::shared::recorder::Reason;
use crate::shared::volume::{SELECTED_NODE, class, is_delayed, names_class};

const IS_DEFAULT: [&str; 2] =
    ["storageclass.kubernetes.io/is-default-class", "storageclass.beta.kubernetes.io/is-default-class"];

impl Controller {
    /// Returns the class of a claim, if it exists.
    pub(super) fn class_of(&self, claim: &DynamicObject) -> Option<Arc<DynamicObject>> {
        self.classes.get(class(claim)).ok()
    }

    /// Returns true if the class of a claim binds volumes only when a pod uses them.
    fn is_delayed(&self, claim: &DynamicObject) -> bool {
        self.class_of(claim).is_some_and(|class| is_delayed(&class))
    }

    /// Returns true if a claim waits for the scheduler, which selects a node for the claim's first pod. Upstream:
    /// `shouldDelayBinding`.
    pub(super) fn waits_for_first_consumer(&self, claim: &DynamicObject) -> bool {
        annotation(claim, SELECTED_NODE).is_none() && self.is_delayed(claim)
    }

    /// Writes the Event about a claim that waits for a pod, or for the node of one. Upstream:
    /// `emitEventForUnboundDelayBindingClaim`.
    pub(super) async fn record_wait(&self, key: &str, claim: &DynamicObject) {
        let pods = self.pods.get(key);
        let waiting = pods.iter().filter(|pod| !pod.is_terminated && pod.node().is_empty());
        let mut names: Vec<&str> = waiting.map(|pod| pod.name()).collect();
        names.sort_unstable();
        let (reason, message) = match names.as_slice() {
            [] => (Reason::WaitForFirstConsumer, "waiting for first consumer to be created before binding".to_owned()),
            [name] => (Reason::WaitForPodScheduled, format!("waiting for pod {name} to be scheduled")),
            names => (Reason::WaitForPodScheduled, format!("waiting for pods {} to be scheduled", names.join(","))),
        };
        self.record(key, claim, reason, message).await;
    }

    /// Gives a claim without a class the default one. Returns true if there is one. Upstream:
    /// `assignDefaultStorageClass`.
    pub(super) async fn assign_default_class(&self, claim: &DynamicObject) -> Result<bool, SyncError> {
        let Some(class) = self.default_class().filter(|_| !names_class(claim)) else { return Ok(false) };
        let mut new = claim.clone();
        new.data["spec"]["storageClassName"] = json!(class.metadata.name);
        self.write_claim(&new).await.map(|_| true)
    }

    /// Returns the newest of the default classes, the first by name of those.
    fn default_class(&self) -> Option<Arc<DynamicObject>> {
        let mut classes = self.classes.list(&LabelSelector::everything());
        classes.retain(|class| IS_DEFAULT.iter().any(|key| annotation(class, key) == Some("true")));
        let created = |class: &DynamicObject| class.metadata.creation_timestamp.as_ref().map(|time| time.0);
        classes.sort_by(|one, other| {
            let by_name = || one.metadata.name.cmp(&other.metadata.name);
            created(other).cmp(&created(one)).then_with(by_name)
        });
        classes.into_iter().next()
    }
}
