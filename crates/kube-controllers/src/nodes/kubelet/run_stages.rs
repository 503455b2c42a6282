//! Runs the stages of a pod one after the other, in a task of its own for each pod. A stage is a wait and then an
//! action, such as a write of the pod's status. Stages can be nested and repeated.

use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use futures::future::BoxFuture;

use super::RETRY;
use super::pod_worker::PodWorker;
use crate::nodes::stages::{Stage, StageAction, Times, backoff};

/// The status codes that end the stages of a pod without a warning: the pod does not exist (404), or it has another uid
/// or is bound already (409).
const ENDS_QUIETLY: [u16; 2] = [404, 409];

/// The reason of the Event about a label that names no lifecycle.
const UNKNOWN_LIFECYCLE: &str = "UnknownLifecycle";

/// Runs a pod through its stages, and returns its uid. Ends early if the pod was deleted or replaced, or if another
/// client has bound it. A problem with the choice of the stages becomes an Event first.
pub(super) async fn run_stages(mut worker: PodWorker, stages: Arc<[Stage]>, problem: Option<String>) -> String {
    worker.warn(UNKNOWN_LIFECYCLE, problem).await;
    match run_round(&mut worker, &stages, 0, Duration::ZERO).await {
        Ok(()) => {}
        Err(kube_client::Error::Api(status)) if ENDS_QUIETLY.contains(&status.code) => {}
        Err(error) => tracing::warn!(pod = worker.name(), %error, "the stages of a pod failed, and are not continued"),
    }
    worker.uid().to_owned()
}

/// Runs the stages once, as round `round` of the repetition that contains them. In the texts of the stages, `$backoff`
/// stands for the wait of the stage whose wait doubles in each round, or for `outer_backoff` if none of these does.
pub(super) fn run_round<'a>(
    worker: &'a mut PodWorker,
    stages: &'a [Stage],
    round: u32,
    outer_backoff: Duration,
) -> BoxFuture<'a, Result<(), kube_client::Error>> {
    async move {
        let backoff = backoff(stages, round).unwrap_or(outer_backoff);
        for stage in stages {
            let wait = stage.wait.in_round(round);
            // Even a sleep of zero would yield, and could let the clock advance by a millisecond.
            if !wait.is_zero() {
                tokio::time::sleep(wait).await;
            }
            worker.wait_for_node().await;
            if worker.is_over {
                break;
            }
            match &stage.action {
                StageAction::Steps(inner) => run_round(worker, inner, round, backoff).await?,
                StageAction::Repeat(inner, times) => repeat(worker, inner, *times, backoff).await?,
                action => perform_with_retries(worker, action, backoff).await?,
            }
        }
        Ok(())
    }
    .boxed()
}

/// Performs an action, and tries again while the server answers with 429 or 5xx.
async fn perform_with_retries(
    worker: &mut PodWorker,
    action: &StageAction,
    backoff: Duration,
) -> Result<(), kube_client::Error> {
    loop {
        match worker.perform(action, backoff).await {
            Err(error) if is_temporary(&error) => {
                tracing::debug!(pod = worker.name(), %error, "a write failed, and is tried again");
                tokio::time::sleep(RETRY).await;
                worker.wait_for_node().await;
            }
            done => return done,
        }
    }
}

/// Returns true if the server answered with 429 or 5xx.
pub(super) fn is_temporary(error: &kube_client::Error) -> bool {
    matches!(error, kube_client::Error::Api(status) if status.code == 429 || status.code >= 500)
}

/// Runs stages in rounds. A pod whose rounds never end counts as resting, so waiting for an idle kubelet is possible.
async fn repeat(
    worker: &mut PodWorker,
    stages: &[Stage],
    times: Times,
    backoff: Duration,
) -> Result<(), kube_client::Error> {
    let _resting = (times == Times::Forever).then(|| worker.mark_resting());
    let mut round = 0;
    while !worker.is_over && (times == Times::Forever || Times::Only(round) != times) {
        run_round(worker, stages, round, backoff).await?;
        round = round.saturating_add(1);
    }
    Ok(())
}
