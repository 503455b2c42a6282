//! Writes Events about ReplicaSets, as shown by `kubectl describe rs`. Upstream: `record.EventRecorder`.

use k8s_openapi::api::apps::v1::ReplicaSet;
use k8s_openapi::api::core::v1::Event;
use kube_client::Api;
use kube_client::api::{ApiResource, DynamicObject, PostParams};
use serde_json::json;

use super::sync::name;
use crate::machinery::clock::Clock;

/// The component that the Events name.
const COMPONENT: &str = "replicaset-controller";

/// Writes one Event for each call. As upstream, an Event that cannot be written is dropped.
pub(super) struct EventRecorder {
    client: kube_client::Client,
    clock: Clock,
}

/// The reason of an Event. The names are upstream's reasons.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reason {
    SuccessfulCreate,
    FailedCreate,
    SuccessfulDelete,
    FailedDelete,
}

impl EventRecorder {
    pub(super) fn new(client: kube_client::Client, clock: Clock) -> Self {
        Self { client, clock }
    }

    pub(super) async fn tell(&self, set: &ReplicaSet, reason: Reason, message: String) {
        let kind = match reason {
            Reason::SuccessfulCreate | Reason::SuccessfulDelete => "Normal",
            Reason::FailedCreate | Reason::FailedDelete => "Warning",
        };
        let (metadata, resource) = (&set.metadata, ApiResource::erase::<Event>(&()));
        let now = self.clock.now();
        let mut event = DynamicObject::new("", &resource).data(json!({
            "involvedObject": {
                "kind": "ReplicaSet", "apiVersion": "apps/v1", "namespace": metadata.namespace, "name": metadata.name,
                "uid": metadata.uid, "resourceVersion": metadata.resource_version,
            },
            "type": kind, "reason": format!("{reason:?}"), "message": message, "count": 1,
            "source": {"component": COMPONENT}, "reportingComponent": COMPONENT, "reportingInstance": "",
            "firstTimestamp": now, "lastTimestamp": now,
        }));
        event.metadata.name = None;
        event.metadata.generate_name = Some(format!("{}.", name(metadata.name.as_ref())));
        let namespace = name(metadata.namespace.as_ref());
        let api: Api<DynamicObject> = Api::namespaced_with(self.client.clone(), namespace, &resource);
        if let Err(error) = api.create(&PostParams::default(), &event).await {
            tracing::debug!(%error, "an event is lost");
        }
    }
}
