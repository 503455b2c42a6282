//! Runs the controllers that work on the store, such as the garbage collector, in one task and one chore at a time.

use std::collections::BTreeSet;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures::stream::FuturesUnordered;
use futures::{FutureExt, StreamExt};
use tokio_util::sync::CancellationToken;

use super::{Chore, Chores};
use crate::controllers::{
    cluster_role_aggregation, custom_resource_definition, garbage_collector, namespace, node_lifecycle, pod_gc,
    root_ca, service_accounts,
};
use crate::http::status::ApiError;
use crate::store::Store;
use kube_machinery::kinds::CUSTOM_RESOURCE_DEFINITIONS;

/// Works off chores until `stop`.
pub(crate) async fn run(store: Arc<Store>, chores: Arc<Chores>, stop: CancellationToken) {
    let mut waiting = FuturesUnordered::new();
    // Each delayed chore is waited for once, even if several writes cause it meanwhile.
    let mut later = BTreeSet::new();
    loop {
        let chore = tokio::select! {
            biased;
            () = stop.cancelled() => return,
            chore = chores.next() => chore,
            Some(chore) = waiting.next() => {
                later.remove(&chore);
                chores.add(chore);
                continue;
            }
        };
        if let Some((wait, next)) = after_a_while(&chore) {
            if later.insert(next.clone()) {
                waiting.push(async move {
                    tokio::time::sleep(wait).await;
                    next
                });
            }
        } else {
            // As in upstream's workers (`HandleCrash`), a panic ends only one piece of work.
            match AssertUnwindSafe(work_off(&store, &chores, &chore)).catch_unwind().await {
                Ok(Err(error)) if !is_over(&error) => tracing::warn!(?chore, ?error, "a chore failed, and is dropped"),
                Ok(_) => {}
                Err(_) => tracing::error!(?chore, "a chore panicked; the next chores are not affected"),
            }
        }
        chores.done();
    }
}

/// Returns the delay of a chore that only waits, and the chore that it then queues.
fn after_a_while(chore: &Chore) -> Option<(Duration, Chore)> {
    match chore {
        Chore::Quarantine(node) => Some((pod_gc::QUARANTINE, Chore::CollectOrphans(node.clone()))),
        Chore::LookAgain(name) => Some((namespace::PAUSE, Chore::EmptyNamespace(name.clone()))),
        Chore::CountTerminated => Some((pod_gc::PERIOD, Chore::CollectTerminated)),
        _ => None,
    }
}

async fn work_off(store: &Store, chores: &Chores, chore: &Chore) -> Result<(), ApiError> {
    match chore {
        Chore::CheckOwners(object_ref) => garbage_collector::check_owners(store, chores, object_ref).await,
        Chore::HandleDependents(object_ref) => {
            let handled = garbage_collector::handle_dependents(store, chores, object_ref).await;
            if object_ref.resource == CUSTOM_RESOURCE_DEFINITIONS {
                custom_resource_definition::settle(store, object_ref.key.name()).await; // this may have been its last finalizer
            }
            handled
        }
        Chore::EmptyNamespace(name) => namespace::empty(store, chores, name).await,
        Chore::PublishRootCa(namespace) => root_ca::publish(store, namespace).await,
        Chore::CreateAccount(namespace) => service_accounts::create_default(store, namespace).await,
        Chore::AggregateRole(name) => cluster_role_aggregation::aggregate(store, name).await,
        Chore::TaintNode(name) => node_lifecycle::taint(store, name).await,
        Chore::Quarantine(_) | Chore::LookAgain(_) | Chore::CountTerminated => Ok(()), // see `after_a_while`
        Chore::CollectOrphans(node) => pod_gc::collect_orphans(store, node).await,
        Chore::CollectTerminating(node) => pod_gc::collect_terminating(store, node).await,
        Chore::CollectUnscheduled(pod) => pod_gc::collect_unscheduled(store, pod).await,
        Chore::CollectTerminated => pod_gc::collect_terminated(store).await,
    }
}

/// Returns true if the object has changed or is gone. That write has queued a new chore, so this error needs no report.
pub(crate) fn is_over(error: &ApiError) -> bool {
    error.is_not_found() || error.is_conflict()
}
