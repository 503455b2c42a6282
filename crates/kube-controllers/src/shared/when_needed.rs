//! Runs a controller inside a cluster of `kube-testcluster`: starts it with the first object that it works on, because
//! most tests need few of the controllers and each would cache many objects; and starts it again after a failure.

use std::pin::pin;
use std::time::Duration;

use futures::StreamExt;
use futures::future::select_all;
use kube_client::api::{ApiResource, DynamicObject, WatchEvent, WatchParams};
use kube_client::{Api, Client};
use kube_informers::cache::with_causes;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;
use tracing::{error, warn};

use super::error::ControllerError;

/// The delay before a failed watch or a failed controller is started again.
const RETRY: Duration = Duration::from_secs(1);

/// Runs a controller once there is an object of its kind. Until then it only watches for the first object and caches
/// nothing, because a running controller caches every object that it looks at.
pub(crate) async fn run_when_needed<R: Future<Output = Result<(), ControllerError>>>(
    client: &Client,
    resource: &ApiResource,
    stop: &CancellationToken,
    run: impl Fn() -> R,
) {
    run_when_needed_by(client, std::slice::from_ref(resource), |_| true, stop, run).await;
}

/// Runs a controller once there is an object of one of its kinds that it works on.
pub(crate) async fn run_when_needed_by<R: Future<Output = Result<(), ControllerError>>>(
    client: &Client,
    resources: &[ApiResource],
    needs_controller: impl Fn(&DynamicObject) -> bool,
    stop: &CancellationToken,
    run: impl Fn() -> R,
) {
    let firsts = resources.iter().map(|resource| Box::pin(first(client, resource, &needs_controller)));
    if let Some((_, of, _)) = stop.run_until_cancelled(select_all(firsts)).await {
        keep_running(&resources[of].kind, stop, run).await;
    }
}

/// Starts the controller again, with new caches, when a run fails: one panic must not end all later work.
async fn keep_running<R: Future<Output = Result<(), ControllerError>>>(
    kind: &str,
    stop: &CancellationToken,
    run: impl Fn() -> R,
) {
    while let Err(error) = run().await {
        error!(error = %with_causes(&error), kind, "a controller failed, and is started again");
        if stop.run_until_cancelled(sleep(RETRY)).await.is_none() {
            return;
        }
    }
}

/// Waits until there is an object of a kind that needs the controller.
async fn first(client: &Client, resource: &ApiResource, needs_controller: &impl Fn(&DynamicObject) -> bool) {
    let objects: Api<DynamicObject> = Api::all_with(client.clone(), resource);
    loop {
        // A watch from version 0 begins with the objects that exist.
        match objects.watch(&WatchParams::default(), "0").await {
            Ok(events) => {
                let mut events = pin!(events);
                while let Some(event) = events.next().await {
                    match event {
                        Ok(WatchEvent::Added(object) | WatchEvent::Modified(object)) if needs_controller(&object) => {
                            return;
                        }
                        Ok(WatchEvent::Error(_)) | Err(_) => break,
                        Ok(_) => {}
                    }
                }
            }
            Err(error) => warn!(%error, kind = resource.kind, "cannot watch for the first object of a kind"),
        }
        sleep(RETRY).await;
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use kube_informers::workqueue::WorkQueue;

    use super::*;

    /// Runs a worker whose work always panics.
    async fn panicking() -> Result<(), ControllerError> {
        let queue = WorkQueue::new();
        queue.add("default/web".to_owned());
        let work = async |set: String| -> Result<(), ControllerError> { panic!("on purpose: {set}") };
        Ok(queue.workers(1, work).run(&CancellationToken::new()).await?)
    }

    #[tokio::test(start_paused = true)]
    async fn a_panic_ends_one_run_of_the_controller() {
        let (stop, runs) = (CancellationToken::new(), Cell::new(0));
        keep_running("ReplicaSet", &stop, || {
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
        keep_running("ReplicaSet", &stop, || {
            runs.set(runs.get() + 1);
            panicking()
        })
        .await;
        assert_eq!(runs.get(), 1);
    }
}
