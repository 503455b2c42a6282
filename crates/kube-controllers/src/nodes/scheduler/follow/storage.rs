//! Takes over the objects of storage, and schedules the waiting pods that a change concerns. A cluster whose pods have
//! no volumes that decide where they fit lists none of these objects.

use std::collections::BTreeSet;
use std::marker::PhantomData;

use kube_client::Client;
use kube_client::api::DynamicObject;
use kube_core::ResourceExt;
use kube_machinery::kinds::Resource;
use kube_machinery::value::SmolStr;
use tokio::sync::watch;

use super::{Change, Follow, follow};
use crate::nodes::scheduler::Scheduler;
use crate::nodes::scheduler::storage::{
    Claim, CsiDriver, CsiNode, CsiStorageCapacity, Hints, StorageClass, StorageKind, Volume, VolumeAttachment,
};

/// The number of kinds of storage.
const KINDS: usize = 7;

/// Whether the objects of storage are needed, and which kinds were listed.
#[derive(Default)]
pub(in crate::nodes::scheduler) struct StorageSync {
    needed: watch::Sender<bool>,
    listed: [watch::Sender<bool>; KINDS],
}

impl StorageSync {
    /// Waits until all kinds were listed. The first call begins to list them.
    pub(in crate::nodes::scheduler) async fn synced(&self) {
        self.needed.send_if_modified(|needed| !std::mem::replace(needed, true));
        for listed in &self.listed {
            if listed.subscribe().wait_for(|listed| *listed).await.is_err() {
                std::future::pending::<()>().await; // the sender lives as long as the scheduler
            }
        }
    }
}

/// Follows all kinds of storage, from the first pod on that needs them.
pub(in crate::nodes::scheduler) async fn follow_storage(scheduler: Scheduler, client: Client) {
    let mut needed = scheduler.storage.needed.subscribe();
    if needed.wait_for(|needed| *needed).await.is_err() {
        return; // the sender lives as long as the scheduler
    }
    let [claims, volumes, classes, csi_nodes, csi_drivers, capacities, attachments] = scheduler.storage.listed.clone();
    tokio::join!(
        follow(FollowKind::<Claim>::of(&scheduler), client.clone(), claims),
        follow(FollowKind::<Volume>::of(&scheduler), client.clone(), volumes),
        follow(FollowKind::<StorageClass>::of(&scheduler), client.clone(), classes),
        follow(FollowKind::<CsiNode>::of(&scheduler), client.clone(), csi_nodes),
        follow(FollowKind::<CsiDriver>::of(&scheduler), client.clone(), csi_drivers),
        follow(FollowKind::<CsiStorageCapacity>::of(&scheduler), client.clone(), capacities),
        follow(FollowKind::<VolumeAttachment>::of(&scheduler), client, attachments),
    );
}

struct FollowKind<T> {
    scheduler: Scheduler,
    kind: PhantomData<T>,
}

impl<T: StorageKind> FollowKind<T> {
    fn of(scheduler: &Scheduler) -> Self {
        Self { scheduler: scheduler.clone(), kind: PhantomData }
    }
}

impl<T: StorageKind> Follow for FollowKind<T> {
    const RESOURCE: &'static Resource = T::RESOURCE;

    fn replace(&self, list: &[DynamicObject]) {
        let listed: BTreeSet<SmolStr> = list.iter().map(key).collect();
        let mut state = self.scheduler.lock();
        let gone: Vec<SmolStr> = T::cache(&mut state.cache.storage).iter().map(|(key, _)| key.clone()).collect();
        let mut hints = Hints::default();
        for key in gone.iter().filter(|key| !listed.contains(*key)) {
            state.set_storage::<T>(key, None, &mut hints);
        }
        for object in list {
            state.set_storage::<T>(&key(object), Some(object), &mut hints);
        }
        state.retry_concerned(&hints);
    }

    fn change(&self, changes: &[Change]) {
        let mut state = self.scheduler.lock();
        let mut hints = Hints::default();
        for change in changes {
            match change {
                Change::Written(object) => state.set_storage::<T>(&key(object), Some(object), &mut hints),
                Change::Removed(object) => state.set_storage::<T>(&key(object), None, &mut hints),
            }
        }
        state.retry_concerned(&hints);
    }
}

/// Returns the key of an object in [`Storage`](crate::nodes::scheduler::storage::Storage).
pub(in crate::nodes::scheduler) fn key(object: &DynamicObject) -> SmolStr {
    match object.namespace() {
        Some(namespace) => format!("{namespace}/{}", object.name_any()).into(),
        None => object.name_any().into(),
    }
}
