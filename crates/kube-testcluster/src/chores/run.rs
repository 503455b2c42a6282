//! The controllers without which an API server does not behave like a cluster: the garbage collector, and the one that
//! empties namespaces. One task, which does one thing after the other.

use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use super::Chore;
use crate::status::ApiError;
use crate::store::Store;
use crate::{garbage, namespaces};

/// Works until it is stopped.
pub(crate) async fn run(store: Arc<Store>, stop: CancellationToken) {
    loop {
        let chore = tokio::select! {
            biased;
            () = stop.cancelled() => return,
            chore = store.chore() => chore,
        };
        let done = match &chore {
            Chore::Judge(object_ref) => garbage::judge(&store, object_ref).await,
            Chore::Attend(object_ref) => garbage::attend(&store, object_ref).await,
            Chore::Empty(namespace) => namespaces::empty(&store, namespace).await,
        };
        match done {
            Err(error) if !is_over(&error) => tracing::warn!(?chore, ?error, "a controller gives up"),
            _ => {}
        }
        store.chore_done();
    }
}

/// What it was about has changed or is gone: then another chore tells of that.
fn is_over(error: &ApiError) -> bool {
    error.is_not_found() || error.is_conflict()
}
