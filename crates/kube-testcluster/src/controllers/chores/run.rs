//! Runs the garbage collector, the namespace controller and those of nodes in one task, one chore at a time.

use std::sync::Arc;

use futures::StreamExt;
use futures::stream::FuturesUnordered;
use tokio_util::sync::CancellationToken;

use super::{Chore, Chores};
use crate::controllers::{garbage_collector, namespace, node_lifecycle, pod_gc};
use crate::http::status::ApiError;
use crate::store::Store;

/// Works off chores until `stop`.
pub(crate) async fn run(store: Arc<Store>, chores: Arc<Chores>, stop: CancellationToken) {
    let mut missing = FuturesUnordered::new();
    loop {
        let chore = tokio::select! {
            biased;
            () = stop.cancelled() => return,
            chore = chores.next() => chore,
            Some(node) = missing.next() => {
                chores.add(Chore::CollectOrphans(node));
                continue;
            }
        };
        let done = match &chore {
            Chore::CheckOwners(object_ref) => garbage_collector::check_owners(&store, &chores, object_ref).await,
            Chore::HandleDependents(object_ref) => {
                garbage_collector::handle_dependents(&store, &chores, object_ref).await
            }
            Chore::EmptyNamespace(name) => namespace::empty(&store, &chores, name).await,
            Chore::TaintNode(name) => node_lifecycle::taint(&store, name).await,
            Chore::Quarantine(node) => {
                let node = node.clone();
                missing.push(async move {
                    tokio::time::sleep(pod_gc::QUARANTINE).await;
                    node
                });
                Ok(())
            }
            Chore::CollectOrphans(node) => pod_gc::collect_orphans(&store, node).await,
        };
        match done {
            Err(error) if !is_over(&error) => tracing::warn!(?chore, ?error, "a controller gives up"),
            _ => {}
        }
        chores.done();
    }
}

/// The object has changed or is gone. That write has queued a new chore, so this error needs no report.
pub(crate) fn is_over(error: &ApiError) -> bool {
    error.is_not_found() || error.is_conflict()
}
