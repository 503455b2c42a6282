//! The tutorials' substitute for list and watch, in the lessons about listeners alone: adds a new pod every second.

use std::time::Duration;

use k8s_openapi::api::core::v1::Pod;
use tokio::time::sleep;

use kube_informers::cache::{InitialList, Notification, ProcessorListener};

// ANCHOR: insert
/// Adds `pod0`, `pod1` and so on, for ever.
pub(super) async fn insert(listener: &ProcessorListener<Pod>) {
    for count in 0_u64.. {
        sleep(Duration::from_secs(1)).await;
        let mut pod = Pod::default();
        pod.metadata.name = Some(format!("pod{count}"));
        listener.add(Notification::Add { object: pod.into(), initial: InitialList::No });
    }
}
// ANCHOR_END: insert
