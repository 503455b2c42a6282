//! The controller of ReplicaSets that a cluster runs by itself.

use std::pin::pin;
use std::time::Duration;

use futures::StreamExt;
use k8s_openapi::api::apps::v1::ReplicaSet;
use kube_client::api::{ApiResource, DynamicObject, WatchEvent, WatchParams};
use kube_client::{Api, Client};
use kube_informers::cache::{SharedInformerFactory, with_causes};
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;
use tracing::{error, warn};

use super::{Controller, ControllerError};
use crate::machinery::clock::Clock;

/// How long to wait before the next try.
const RETRY: Duration = Duration::from_secs(1);

/// Runs the controller once there is a ReplicaSet. Until then it only watches for the first one and caches nothing; the
/// controller itself caches every pod of the cluster.
pub(crate) async fn run_when_needed(client: Client, clock: Clock, stop: CancellationToken) {
    if stop.run_until_cancelled(first_set(&client)).await.is_some() {
        keep_running(&stop, || run(client.clone(), clock, stop.clone())).await;
    }
}

/// Runs the controller with the clock of its cluster.
async fn run(client: Client, clock: Clock, stop: CancellationToken) -> Result<(), ControllerError> {
    let factory = SharedInformerFactory::new(client.clone());
    let mut controller = Controller::new(client, &factory).expect("informers that have not started take any index");
    controller.clock = clock;
    controller.with_events().run(&factory, &stop).await
}

/// Begins anew, with new caches, when a run ends before `stop`: a panic ends one run, and not all that come after it.
async fn keep_running<R: Future<Output = Result<(), ControllerError>>>(stop: &CancellationToken, run: impl Fn() -> R) {
    while let Err(error) = run().await {
        error!(error = %with_causes(&error), "the controller of ReplicaSets has ended, and begins anew");
        if stop.run_until_cancelled(sleep(RETRY)).await.is_none() {
            return;
        }
    }
}

/// Returns when a ReplicaSet exists.
async fn first_set(client: &Client) {
    let sets: Api<DynamicObject> = Api::all_with(client.clone(), &ApiResource::erase::<ReplicaSet>(&()));
    loop {
        // A watch from version 0 begins with the objects that exist.
        match sets.watch(&WatchParams::default(), "0").await {
            Ok(events) => {
                let mut events = pin!(events);
                while let Some(event) = events.next().await {
                    match event {
                        Ok(WatchEvent::Added(_) | WatchEvent::Modified(_)) => return,
                        Ok(WatchEvent::Deleted(_) | WatchEvent::Bookmark(_)) => {}
                        Ok(WatchEvent::Error(_)) | Err(_) => break,
                    }
                }
            }
            Err(error) => warn!(%error, "cannot see whether there are replica sets"),
        }
        sleep(RETRY).await;
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use kube_informers::workqueue::WorkQueue;

    use super::*;

    /// A run of workers of which each piece of work panics.
    async fn panicking() -> Result<(), ControllerError> {
        let queue = WorkQueue::new();
        queue.add("default/web".to_owned());
        let work = async |set: String| -> Result<(), ControllerError> { panic!("on purpose: {set}") };
        Ok(queue.workers(1, work).run(&CancellationToken::new()).await?)
    }

    #[tokio::test(start_paused = true)]
    async fn a_panic_ends_one_run_of_the_controller() {
        let (stop, runs) = (CancellationToken::new(), Cell::new(0));
        keep_running(&stop, || {
            runs.set(runs.get() + 1);
            let panics = runs.get() < 3;
            async move { if panics { panicking().await } else { Ok(()) } }
        })
        .await;
        assert_eq!(runs.get(), 3);
    }

    #[tokio::test(start_paused = true)]
    async fn a_stop_ends_the_wait_for_the_next_run() {
        let (stop, runs) = (CancellationToken::new(), Cell::new(0));
        stop.cancel();
        keep_running(&stop, || {
            runs.set(runs.get() + 1);
            panicking()
        })
        .await;
        assert_eq!(runs.get(), 1);
    }
}
