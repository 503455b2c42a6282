//! A controller with everything: an informer, a work queue, two workers, and leader election.
//! `cargo run -p kube-informers --example controller -- my-identity`
//!
//! It writes on every running pod, as a label, on which node it is.

use std::future::ready;
use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt;
use k8s_openapi::api::core::v1::Pod;
use kube::api::{Patch, PatchParams};
use kube::{Api, Client, ResourceExt};
use kube_informers::cache::{BoxError, HandlerOptions, ListWatch, Notification, SharedIndexInformer};
use kube_informers::leader_election::{LeaderElector, Outcome};
use kube_informers::workqueue::WorkQueue;
use serde_json::json;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

/// A leader that cannot list pods gives up after this long.
const SYNCED_WITHIN: Duration = Duration::from_secs(120);

/// Takes its identity as its argument, and runs until Ctrl-C.
#[tokio::main]
pub async fn main() -> Result<(), BoxError> {
    tracing_subscriber::fmt::init(); // without it, nobody sees why a list or a watch failed
    // In a cluster that is the name of the pod. No two candidates may have the same.
    let identity = std::env::args().nth(1).ok_or("give an identity as the argument")?;
    let stop = CancellationToken::new();
    let stopping = stop.clone();
    tokio::spawn(async move {
        let interrupted = tokio::signal::ctrl_c().await;
        stopping.cancel();
        interrupted
    });
    run(Client::try_default().await?, &identity, stop).await
}

/// Stands for election until `stop`, and works while it leads.
pub async fn run(client: Client, identity: &str, stop: CancellationToken) -> Result<(), BoxError> {
    // After the stop, the workers may finish what they have begun.
    let elector = LeaderElector::new(client.clone(), "default", "node-labels", identity);
    let mut elector = elector.grace_period(Duration::from_secs(10));
    loop {
        match elector.run(stop.clone(), async |_| work(&client, &stop).await).await? {
            Outcome::Lost => {} // everything below was dropped; stand in line again
            Outcome::Stopped => return Ok(()),
            Outcome::Finished(worked) => return worked,
        }
    }
}

/// The work of the leader. It spawns nothing, so all of it ends when it is dropped.
async fn work(client: &Client, stop: &CancellationToken) -> Result<(), BoxError> {
    let informer = SharedIndexInformer::new(ListWatch::<Pod>::all(client.clone()));
    let changes = informer.subscribe(HandlerOptions::new())?;
    let synced = changes.synced();
    let pods = informer.reader();
    let informing = CancellationToken::new();

    // Every change is a key in the queue. However often it is added, one worker at a time has it.
    let queue = WorkQueue::new();
    let fill = async {
        // No async closure: one that borrows would keep the compiler from seeing that all of this is `Send`, for `tokio::spawn`.
        let add = |change: Notification<Pod>| {
            queue.add(change.key());
            ready(())
        };
        changes.for_each(add).await;
        Ok(())
    };

    // They begin when the cache is complete: a worker that saw half of the objects would act on it.
    let workers = async {
        match stop.run_until_cancelled(timeout(SYNCED_WITHIN, synced.wait())).await {
            Some(Ok(Ok(()))) => {}
            Some(Ok(Err(_))) => return Ok(()), // the informer has ended, and returns the reason
            Some(Err(_)) => return Err("the list does not succeed: let another candidate try".into()),
            None => {
                informing.cancel();
                return Ok(());
            }
        }
        let reconcile = async |key: String| match pods.get(&key) {
            Some(pod) => label(client, &pod).await,
            None => Ok(()), // deleted
        };
        queue.workers(2, reconcile).run(stop).await?; // an error is told, and the key comes again, later each time
        informing.cancel(); // last: workers that finish what they have begun may still read the cache
        Ok(())
    };
    let inform = async { informer.clone().run(informing.clone()).await.map_err(BoxError::from) };
    futures::try_join!(inform, fill, workers)?;
    Ok(())
}

/// Brings one pod to what it should be.
async fn label(client: &Client, pod: &Arc<Pod>) -> Result<(), kube::Error> {
    let Some(node) = pod.spec.as_ref().and_then(|spec| spec.node_name.as_ref()) else { return Ok(()) };
    if pod.labels().get("node") == Some(node) {
        return Ok(()); // the update that this controller caused, or a resync
    }
    let api: Api<Pod> = Api::namespaced(client.clone(), &pod.namespace().unwrap_or_default());
    let patch = Patch::Merge(json!({"metadata": {"labels": {"node": node}}}));
    match api.patch(&pod.name_any(), &PatchParams::default(), &patch).await {
        Err(kube::Error::Api(status)) if status.code == 404 => Ok(()), // deleted meanwhile
        patched => patched.map(drop),
    }
}
