//! What the controllers of ReplicaSets and of Deployments read of a pod. They look at all pods of the cluster, so the rest is
//! dropped before it is cached: it would be most of the cluster's memory.

use std::sync::Arc;

use k8s_openapi::api::core::v1::{ContainerStatus, Pod, PodSpec, PodStatus};
use kube_informers::cache::SharedIndexInformerBuilder;

/// The annotation that says which pod of a set goes first.
pub(in crate::controllers) const DELETION_COST: &str = "controller.kubernetes.io/pod-deletion-cost";

/// Lets an informer of pods cache only what is read.
pub(in crate::controllers) fn slim(pods: SharedIndexInformerBuilder<Pod>) -> SharedIndexInformerBuilder<Pod> {
    pods.transformer(|pod| Ok(Arc::new(what_is_read(Arc::unwrap_or_clone(pod)))))
}

fn what_is_read(mut pod: Pod) -> Pod {
    pod.metadata.managed_fields = None;
    if let Some(annotations) = &mut pod.metadata.annotations {
        annotations.retain(|key, _| key == DELETION_COST);
    }
    pod.spec = pod.spec.map(|spec| PodSpec { node_name: spec.node_name, ..PodSpec::default() });
    pod.status = pod.status.map(|status| PodStatus {
        phase: status.phase,
        start_time: status.start_time,
        conditions: status.conditions.map(|all| all.into_iter().filter(|one| one.type_ == "Ready").collect()),
        container_statuses: status.container_statuses.map(|all| all.into_iter().map(restarts).collect()),
        ..PodStatus::default()
    });
    pod
}

fn restarts(status: ContainerStatus) -> ContainerStatus {
    ContainerStatus { restart_count: status.restart_count, ..ContainerStatus::default() }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_read_stays_and_the_rest_goes() {
        let pod = serde_json::from_value(json!({
            "metadata": {"name": "a", "labels": {"app": "web"}, "annotations": {"note": "long", DELETION_COST: "5"}},
            "spec": {"nodeName": "node-1", "containers": [{"name": "c", "image": "nginx"}]},
            "status": {
                "phase": "Running", "podIP": "10.0.0.1",
                "conditions": [{"type": "Ready", "status": "True"}, {"type": "Initialized", "status": "True"}],
                "containerStatuses": [{"name": "c", "image": "nginx", "imageID": "", "ready": true, "restartCount": 3}],
            },
        }));
        let slim = serde_json::to_value(what_is_read(pod.unwrap())).unwrap();
        let metadata = json!({"name": "a", "labels": {"app": "web"}, "annotations": {DELETION_COST: "5"}});
        assert_eq!(slim["metadata"], metadata);
        assert_eq!(slim["spec"], json!({"containers": [], "nodeName": "node-1"}));
        assert_eq!(slim["status"]["phase"], "Running");
        assert_eq!(slim["status"]["conditions"], json!([{"type": "Ready", "status": "True"}]));
        assert_eq!(slim["status"]["containerStatuses"][0]["restartCount"], 3);
        assert_eq!(slim["status"].get("podIP"), None);
    }
}
