//! Runs the garbage collector and the namespace controller in one task, one chore at a time.

use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use super::{Chore, Chores};
use crate::controllers::{garbage_collector, namespace};
use crate::http::status::ApiError;
use crate::store::Store;

/// Works off chores until `stop`.
pub(crate) async fn run(store: Arc<Store>, chores: Arc<Chores>, stop: CancellationToken) {
    loop {
        let chore = tokio::select! {
            biased;
            () = stop.cancelled() => return,
            chore = chores.next() => chore,
        };
        let done = match &chore {
            Chore::CheckOwners(object_ref) => garbage_collector::check_owners(&store, &chores, object_ref).await,
            Chore::HandleDependents(object_ref) => {
                garbage_collector::handle_dependents(&store, &chores, object_ref).await
            }
            Chore::EmptyNamespace(name) => namespace::empty(&store, &chores, name).await,
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
