//! Takes work items from the housekeeping queue and calls the controller of each, such as the garbage collector. All
//! run in one task, one work item at a time, so two controllers never race.

use std::collections::BTreeMap;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures::stream::FuturesUnordered;
use futures::{FutureExt, StreamExt};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::{Housekeeping, WorkItem};
use crate::controllers::{
    cluster_role_aggregation, custom_resource_definition, garbage_collector, namespace, node_lifecycle, pod_gc,
    root_ca, service_account_tokens, service_accounts,
};
use crate::http::status::ApiError;
use crate::store::Store;
use kube_machinery::kinds::CUSTOM_RESOURCE_DEFINITIONS;

pub(crate) async fn run(store: Arc<Store>, housekeeping: Arc<Housekeeping>, stop: CancellationToken) {
    // The timers of the delayed work items. A delayed item does not count as unfinished, so `Cluster::settled` does not
    // wait for it.
    let mut waiting = FuturesUnordered::new();
    // The delayed work items, and when they are due. Several writes that cause one meanwhile need no further timer,
    // unless it is due earlier.
    let mut later = BTreeMap::new();
    loop {
        let item = tokio::select! {
            biased;
            () = stop.cancelled() => return,
            item = housekeeping.next() => item,
            Some(item) = waiting.next() => {
                later.remove(&item);
                housekeeping.add(item);
                continue;
            }
        };
        if let Some((wait, next)) = delayed(&item) {
            let due = Instant::now() + wait;
            if later.get(&next).is_none_or(|planned| due < *planned) {
                later.insert(next.clone(), due);
                waiting.push(async move {
                    tokio::time::sleep(wait).await;
                    next
                });
            }
        } else {
            // As in upstream's workers (`HandleCrash`), a panic ends only one piece of work.
            match AssertUnwindSafe(run_item(&store, &housekeeping, &item)).catch_unwind().await {
                Ok(Err(error)) if !is_gone_or_changed(&error) => {
                    tracing::warn!(?item, ?error, "a work item failed, and is dropped")
                }
                Ok(_) => {}
                Err(_) => tracing::error!(?item, "a work item panicked; the next ones are not affected"),
            }
        }
        housekeeping.done();
    }
}

/// Returns the delay of a work item that only waits, and the item that it then queues.
fn delayed(item: &WorkItem) -> Option<(Duration, WorkItem)> {
    match item {
        WorkItem::CollectOrphansLater(node) => Some((pod_gc::QUARANTINE, WorkItem::CollectOrphans(node.clone()))),
        WorkItem::EmptyNamespaceLater(name) => Some((namespace::PAUSE, WorkItem::EmptyNamespace(name.clone()))),
        WorkItem::MonitorNodeLater(name) => Some((node_lifecycle::MONITOR_PERIOD, WorkItem::MonitorNode(name.clone()))),
        WorkItem::TaintNoExecuteLater(delay) => Some((*delay, WorkItem::TaintNoExecute)),
        WorkItem::CollectTerminatedLater => Some((pod_gc::PERIOD, WorkItem::CollectTerminated)),
        _ => None,
    }
}

async fn run_item(store: &Store, housekeeping: &Housekeeping, item: &WorkItem) -> Result<(), ApiError> {
    match item {
        WorkItem::CheckOwners(object_ref) => garbage_collector::check_owners(store, housekeeping, object_ref).await,
        WorkItem::HandleDependents(object_ref) => {
            let handled = garbage_collector::handle_dependents(store, housekeeping, object_ref).await;
            if object_ref.kind == CUSTOM_RESOURCE_DEFINITIONS.group_resource() {
                // The definition may have lost its last finalizer.
                custom_resource_definition::refresh(store, object_ref.key.name()).await;
            }
            handled
        }
        WorkItem::EmptyNamespace(name) => namespace::empty(store, housekeeping, name).await,
        WorkItem::PublishRootCa(namespace) => root_ca::publish(store, namespace).await,
        WorkItem::CreateAccount(namespace) => service_accounts::create_default(store, namespace).await,
        WorkItem::FillToken(secret) => service_account_tokens::fill(store, secret).await,
        WorkItem::DeleteTokens(account, uid) => service_account_tokens::delete_all(store, account, uid).await,
        WorkItem::ForgetToken { account, uid, secret } => {
            service_account_tokens::forget(store, account, uid.as_deref(), secret).await
        }
        WorkItem::AggregateRole(name) => cluster_role_aggregation::aggregate(store, name).await,
        WorkItem::SyncNode(name) => node_lifecycle::sync(store, housekeeping, name).await,
        WorkItem::MonitorNode(name) => node_lifecycle::monitor(store, housekeeping, name).await,
        WorkItem::TaintNoExecute => node_lifecycle::taint_no_execute(store, housekeeping).await,
        WorkItem::CollectOrphansLater(_)
        | WorkItem::EmptyNamespaceLater(_)
        | WorkItem::CollectTerminatedLater
        | WorkItem::MonitorNodeLater(_)
        | WorkItem::TaintNoExecuteLater(_) => Ok(()), // see `delayed`
        WorkItem::CollectOrphans(node) => pod_gc::collect_orphans(store, node).await,
        WorkItem::CollectTerminating(node) => pod_gc::collect_terminating(store, node).await,
        WorkItem::CollectUnscheduled(pod) => pod_gc::collect_unscheduled(store, pod).await,
        WorkItem::CollectTerminated => pod_gc::collect_terminated(store).await,
    }
}

/// Returns true if the error says that the object has changed or is gone. The write that did this has queued a new work
/// item, so the error needs no report.
pub(crate) fn is_gone_or_changed(error: &ApiError) -> bool {
    error.is_not_found() || error.is_conflict()
}
