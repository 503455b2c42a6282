//! A controller of two kinds: `cargo run -p kube-informers --example config_versions`.
//!
//! The controller annotates each pod with the versions of the ConfigMaps that the pod mounts. So it reconciles a pod
//! when the pod changes and when one of its ConfigMaps changes.

use std::future::ready;
use std::sync::Arc;

use k8s_openapi::api::core::v1::{ConfigMap, Pod};
use kube::api::{Patch, PatchParams};
use kube::{Api, Client, ResourceExt};
use kube_informers::cache::{BoxError, Notification, Reader, SharedInformerFactory, wait_for};
use kube_informers::workqueue::WorkQueue;
use serde_json::json;
use tokio_util::sync::CancellationToken;

/// The key of the annotation.
pub const VERSIONS: &str = "example.com/config-versions";

/// Runs until Ctrl-C.
// `pub`, because `tests/it/examples.rs` includes this file as a module.
#[tokio::main]
pub async fn main() -> Result<(), BoxError> {
    tracing_subscriber::fmt::init(); // without it, the reason why a list or a watch fails is not shown
    let stop = CancellationToken::new();
    let stopping = stop.clone();
    tokio::spawn(async move {
        let interrupted = tokio::signal::ctrl_c().await;
        stopping.cancel();
        interrupted
    });
    run(Client::try_default().await?, stop).await
}

/// Runs the controller until `stop`.
pub async fn run(client: Client, stop: CancellationToken) -> Result<(), BoxError> {
    let factory = SharedInformerFactory::new(client.clone());
    let (pods, config_maps) = (factory.informer::<Pod>(), factory.informer::<ConfigMap>());

    // An index of pods by the keys of the ConfigMaps that they mount: it leads from a changed ConfigMap to its pods.
    let by_config_map = pods.index("config-map", |pod: &Pod| mounted(pod).collect())?;

    // The queue contains only keys of pods. A pod that is not in the index yet will be queued by its own event.
    let queue = Arc::new(WorkQueue::new());
    let keys = queue.clone();
    let pod_handler = pods.add_event_handler(move |change: Notification<Pod>| {
        keys.add(change.key());
        ready(())
    })?;
    let keys = queue.clone();
    let config_map_handler = config_maps.add_event_handler(move |change: Notification<ConfigMap>| {
        by_config_map.keys(&change.key()).into_iter().for_each(|pod| keys.add(pod));
        ready(())
    })?;

    let informing = CancellationToken::new();
    let (pods, config_maps) = (pods.reader(), config_maps.reader());
    let work = async {
        // Wait for both caches: with the ConfigMaps' cache incomplete, a worker would write an annotation in which
        // versions are missing.
        if wait_for(&stop, &[pod_handler.synced(), config_map_handler.synced()]).await {
            let reconcile = async |key: String| match pods.get(&key) {
                Some(pod) => annotate(&client, &pod, &config_maps).await,
                None => Ok(()), // deleted
            };
            queue.workers(2, reconcile).run(&stop).await?;
        }
        informing.cancel(); // last, because workers that finish their keys still read the caches
        Ok(())
    };
    let inform = async { factory.run(informing.clone()).await.map_err(BoxError::from) };
    futures::try_join!(inform, work)?;
    Ok(())
}

/// Returns the keys of the ConfigMaps that a pod mounts.
fn mounted(pod: &Pod) -> impl Iterator<Item = String> {
    let namespace = pod.metadata.namespace.as_deref().unwrap_or_default();
    let volumes = pod.spec.iter().flat_map(|spec| &spec.volumes).flatten();
    volumes.filter_map(move |volume| Some(format!("{namespace}/{}", volume.config_map.as_ref()?.name)))
}

/// Reconciles one pod: sets its annotation if it is not right.
async fn annotate(client: &Client, pod: &Pod, config_maps: &Reader<ConfigMap>) -> Result<(), kube::Error> {
    let version = |key: String| {
        let config_map = config_maps.get(&key)?;
        Some(format!("{}={}", config_map.name_any(), config_map.resource_version()?))
    };
    let versions: Vec<String> = mounted(pod).filter_map(version).collect();
    let versions = versions.join(",");
    if pod.annotations().get(VERSIONS).map(String::as_str).unwrap_or_default() == versions {
        return Ok(()); // the update that this controller caused, or a resync
    }
    let api: Api<Pod> = Api::namespaced(client.clone(), &pod.namespace().unwrap_or_default());
    let patch = Patch::Merge(json!({"metadata": {"annotations": {VERSIONS: versions}}}));
    match api.patch(&pod.name_any(), &PatchParams::default(), &patch).await {
        Err(kube::Error::Api(status)) if status.code == 404 => Ok(()), // deleted meanwhile
        patched => patched.map(drop),
    }
}
