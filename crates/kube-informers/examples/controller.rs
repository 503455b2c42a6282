//! A complete controller with an informer, a work queue, two workers, and leader election.
//! `cargo run -p kube-informers --example controller -- my-identity`
//!
//! The controller labels every scheduled pod with the name of its node.

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

/// The time after which a leader that cannot list pods gives up its lease, so that another candidate can try.
const SYNCED_WITHIN: Duration = Duration::from_secs(120);

/// Takes the candidate's identity as the argument, and runs until Ctrl-C.
// `pub`, because `tests/it/examples.rs` includes this file as a module.
#[tokio::main]
pub async fn main() -> Result<(), BoxError> {
    tracing_subscriber::fmt::init(); // without it, the reason why a list or a watch fails is not shown
    // Each candidate needs an identity of its own; in a cluster, use the name of the pod.
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

/// Takes part in the election until `stop`, and works while it leads.
pub async fn run(client: Client, identity: &str, stop: CancellationToken) -> Result<(), BoxError> {
    // The grace period lets the workers finish their keys after the stop.
    let elector = LeaderElector::new(client.clone(), "default", "node-labels", identity);
    let mut elector = elector.grace_period(Duration::from_secs(10));
    loop {
        match elector.run(stop.clone(), async |_| work(&client, &stop).await).await? {
            Outcome::Lost => {} // the work was dropped; take part again
            Outcome::Stopped => return Ok(()),
            Outcome::Finished(worked) => return worked,
        }
    }
}

/// Does the work of the leader. It spawns no tasks, so dropping the future ends all of it.
async fn work(client: &Client, stop: &CancellationToken) -> Result<(), BoxError> {
    let informer = SharedIndexInformer::new(ListWatch::<Pod>::all(client.clone()));
    let changes = informer.subscribe(HandlerOptions::new())?;
    let synced = changes.synced();
    let pods = informer.reader();
    let informing = CancellationToken::new();

    // Every change adds a key to the queue. Only one worker at a time has a key, however often it is added.
    let queue = WorkQueue::new();
    let fill = async {
        // Not an async closure: with one that borrows, the compiler could not prove that this future is `Send`, as
        // `tokio::spawn` needs.
        let add = |change: Notification<Pod>| {
            queue.add(change.key());
            ready(())
        };
        changes.for_each(add).await;
        Ok(())
    };

    // The workers begin when the cache is complete; before that, they would act on half of the objects.
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
        queue.workers(2, reconcile).run(stop).await?; // an error is logged, and its key is retried with growing delays
        informing.cancel(); // last, because workers that finish their keys still read the cache
        Ok(())
    };
    let inform = async { informer.clone().run(informing.clone()).await.map_err(BoxError::from) };
    futures::try_join!(inform, fill, workers)?;
    Ok(())
}

/// Reconciles one pod: sets its label if it is not right.
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
