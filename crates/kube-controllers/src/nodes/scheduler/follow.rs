//! Lists and watches the objects beside pods that the scheduler's decisions depend on. Upstream: the informers and
//! their event handlers.

mod budgets;
mod namespaces;
mod nodes;
mod storage;

use std::pin::pin;
use std::time::Duration;

use futures::StreamExt;
use kube_client::api::{DynamicObject, ListParams, WatchEvent, WatchParams};
use kube_client::{Api, Client};
use kube_core::ResourceExt;
use kube_machinery::kinds::Resource;
use tokio::sync::watch;

pub(super) use self::budgets::FollowBudgets;
pub(super) use self::namespaces::FollowNamespaces;
pub(super) use self::nodes::FollowNodes;
#[cfg(test)]
pub(super) use self::storage::key;
pub(super) use self::storage::{StorageSync, follow_storage};
use super::api_resource;

/// The delay before the objects are listed again.
const RETRY: Duration = Duration::from_secs(1);

/// The number of changes that are handled together, if they came at once.
const CHUNK: usize = 1_024;

/// Takes over the objects of one kind.
pub(super) trait Follow {
    const RESOURCE: &'static Resource;

    /// Takes over a list of all objects.
    fn replace(&self, list: &[DynamicObject]);

    /// Takes over some changes.
    fn change(&self, changes: &[Change]);
}

/// A change of an object.
pub(super) enum Change {
    Written(DynamicObject),
    Removed(DynamicObject),
}

impl Change {
    /// Returns the name of the object, and the object if it exists.
    fn named(&self) -> (String, Option<&DynamicObject>) {
        match self {
            Self::Written(object) => (object.name_any(), Some(object)),
            Self::Removed(object) => (object.name_any(), None),
        }
    }
}

/// Follows the objects of one kind without end. Sends `true` after each list and after each change.
pub(super) async fn follow<F: Follow>(follower: F, client: Client, listed: watch::Sender<bool>) {
    loop {
        if let Err(error) = follow_once(&follower, &client, &listed).await {
            tracing::debug!(%error, resource = F::RESOURCE.plural(), "the scheduler lists the objects again");
        }
        tokio::time::sleep(RETRY).await;
    }
}

/// Lists and watches the objects. Returns when the watch ends, or with an error.
async fn follow_once<F: Follow>(
    follower: &F,
    client: &Client,
    listed: &watch::Sender<bool>,
) -> Result<(), kube_client::Error> {
    let api: Api<DynamicObject> = Api::all_with(client.clone(), &api_resource(F::RESOURCE));
    let list = api.list(&ListParams::default()).await?;
    let version = list.metadata.resource_version.unwrap_or_default();
    follower.replace(&list.items);
    listed.send_replace(true);
    let mut events = pin!(api.watch(&WatchParams::default(), &version).await?.ready_chunks(CHUNK));
    while let Some(chunk) = events.next().await {
        let mut changes = Vec::new();
        for event in chunk {
            match event? {
                WatchEvent::Added(object) | WatchEvent::Modified(object) => changes.push(Change::Written(object)),
                WatchEvent::Deleted(object) => changes.push(Change::Removed(object)),
                WatchEvent::Bookmark(_) => {}
                WatchEvent::Error(_) => return Ok(()),
            }
        }
        follower.change(&changes);
        listed.send_replace(true);
    }
    Ok(())
}
