//! Commits writes: every creation, change and removal of a stored object by a request or a controller. A change is
//! computed and encoded without the store's lock, so that slow changes do not block other requests; then it is stored
//! under the lock if the object has not changed meanwhile, and announced to the log, the controllers and the watchers.

use std::future::ready;
use std::sync::Arc;

use super::companion::Companion;
use super::event::Event;
use super::object::{Draft, Key, Object, Opened};
use super::reservation::ReservedValues;
use super::storage::Storage;
use super::watch_cache::Audience;
use super::writes::Write;
use super::{Store, StoreError, StoreState};
use kube_machinery::conventions::edit::object;
use kube_machinery::kinds::Resource;
use kube_machinery::value::Value;

/// The result of computing a change.
#[derive(Debug)]
pub(crate) enum Next {
    /// No change: the write takes no revision and sends no event.
    Keep,
    /// The new state. If it equals the old one, there is no change.
    Put(Value),
    /// The new state, and the changes of other objects that are stored together with it.
    PutWith(Value, Vec<Companion>),
    Remove,
    /// The update has removed the last finalizer, so the object is removed. The response is the updated state.
    Release(Value),
}

/// The mode of a write: stored, or only checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Commit {
    Really,
    /// A dry run: everything is checked and answered, but nothing is stored.
    Pretend,
}

impl Store {
    /// Stores a new object together with its companions, if `admit` agrees. `admit` runs under the lock that the write
    /// holds, so the state it sees cannot change before the object is stored. It must refuse the write if another
    /// request has changed a companion meanwhile (`Companion::is_stale`).
    ///
    /// # Errors
    /// `Unwritable`, `AlreadyExists`, `NotAllocated`, or the error of `admit`.
    pub(crate) async fn create<E: From<StoreError>>(
        &self,
        resource: &Resource,
        key: Key,
        mut value: Value,
        commit: Commit,
        admit: impl FnOnce(&Storage, &[Companion]) -> Result<(), E>,
        companions: Vec<Companion>,
    ) -> Result<Arc<Object>, E> {
        self.before_commit(commit).await?;
        let reserved = self.allocators.reserve(resource, &key, &mut value, None)?;
        let draft = (commit == Commit::Really).then(|| Draft::of_written(resource, key.clone(), &mut value));
        let mut state = self.lock();
        admit(&state.storage, &companions)?;
        if let Some(existing) = state.storage.get(resource, &key) {
            let deleting = existing.summary.is_deleting;
            return Err(StoreError::AlreadyExists {
                resource: resource.clone(),
                name: key.name().to_owned(),
                deleting,
            }
            .into());
        }
        let Some(draft) = draft else {
            drop(state);
            let value = resource.as_read_back(&value).unwrap_or(value);
            return Ok(Arc::new(Object::unwritten(resource, key, &value)));
        };
        reserved.keep();
        self.put_companions(&mut state, companions);
        let written = self.put(&mut state, draft, value);
        drop(state);
        Ok(written.object().clone())
    }

    /// Reads an object, changes it and writes it; see [`guaranteed_update`](Self::guaranteed_update).
    pub(crate) async fn update<E: From<StoreError>>(
        &self,
        resource: &Resource,
        key: &Key,
        commit: Commit,
        mut change: impl FnMut(&Opened) -> Result<Next, E>,
    ) -> Result<Arc<Object>, E> {
        let change = |current: Arc<Opened>| ready(change(&current).map(|next| (current.resource.clone(), next)));
        let written = self.guaranteed_update(resource, key, commit, change).await?;
        Ok(written.object().clone())
    }

    /// Reads an object, changes it and writes it. `change` runs without the lock, so a slow change does not block other
    /// requests. If another request has written the object meanwhile, `change` runs again on the new state, as in
    /// upstream's `GuaranteedUpdate`.
    ///
    /// `change` also returns the [`Resource`] (the version) that the new state has. The result is the state after the
    /// change; after a removal, the last state with the revision of the removal.
    ///
    /// # Errors
    /// `NotFound`, `NotAllocated`, or the error of `change`.
    pub(crate) async fn guaranteed_update<E: From<StoreError>, F: Future<Output = Result<(Resource, Next), E>>>(
        &self,
        resource: &Resource,
        key: &Key,
        commit: Commit,
        mut change: impl FnMut(Arc<Opened>) -> F,
    ) -> Result<Arc<Opened>, E> {
        self.before_commit(commit).await?;
        loop {
            let current = self.get(resource, key).ok_or_else(|| StoreError::not_found(resource, key))?;
            let current = current.open()?;
            let next = change(current.clone()).await?;
            if let Some(written) = self.commit(&current, commit, next)? {
                return Ok(written);
            }
        }
    }

    /// Commits a change that was computed from `current`. Returns `None` if another request has written the object
    /// meanwhile; the caller computes the change again then.
    fn commit(
        &self,
        current: &Arc<Opened>,
        commit: Commit,
        (resource, mut next): (Resource, Next),
    ) -> Result<Option<Arc<Opened>>, StoreError> {
        let (resource, key) = (&resource, &current.key);
        let reserved = match &mut next {
            Next::Put(value) | Next::PutWith(value, _) => {
                match self.allocators.reserve(resource, key, value, Some(&current.value)) {
                    Ok(reserved) => Some(reserved),
                    // Another request has changed this object, and its old allocation may belong to another object:
                    // retry with the new state.
                    Err(_) if self.is_stale(current) => return Ok(None),
                    Err(refused) => return Err(refused),
                }
            }
            _ => None,
        };
        let draft = draft(resource, current, commit, &mut next);
        let mut state = self.lock();
        match state.storage.get(resource, key) {
            None => return Err(StoreError::not_found(resource, key)),
            Some(stored) if stored.revision != current.revision => return Ok(None),
            Some(_) => {}
        }
        let companions = match &mut next {
            Next::PutWith(_, companions) if commit == Commit::Really => std::mem::take(companions),
            _ => Vec::new(),
        };
        if companions.iter().any(|companion| companion.is_stale(&state.storage)) {
            return Ok(None);
        }
        // The response to a write that gives the object no new revision.
        let before = |value| Opened::new(resource, key.clone(), current.revision, value);
        let written = match (commit, next) {
            (_, Next::Keep) | (Commit::Pretend, Next::Remove) => current.clone(),
            (Commit::Pretend, Next::Put(value) | Next::PutWith(value, _)) => {
                drop(state);
                before(resource.as_read_back(&value).unwrap_or(value))
            }
            (Commit::Pretend, Next::Release(value)) => {
                drop(state);
                before(value)
            }
            (Commit::Really, Next::Put(value) | Next::PutWith(value, _)) => match draft {
                Some(draft) => {
                    reserved.into_iter().for_each(ReservedValues::keep);
                    self.put_companions(&mut state, companions);
                    self.put(&mut state, draft, value)
                }
                None => current.clone(), // nothing has changed
            },
            (Commit::Really, Next::Remove) => {
                let revision = self.remove(&mut state, resource, key);
                drop(state);
                Opened::new(resource, key.clone(), revision, current.value.clone())
            }
            (Commit::Really, Next::Release(value)) => {
                self.remove(&mut state, resource, key);
                drop(state);
                before(value)
            }
        };
        Ok(Some(written))
    }

    /// Returns true if another request has written or removed the object since it was read.
    fn is_stale(&self, from: &Opened) -> bool {
        self.get(&from.resource, &from.key).is_none_or(|stored| stored.revision != from.revision)
    }

    /// Removes a stored object and notifies the watchers. Returns the revision of the removal.
    pub(super) fn remove(&self, state: &mut StoreState, resource: &Resource, key: &Key) -> u64 {
        state.open_writes += 1;
        let event = state.storage.remove(resource, key).expect("it was there under the same lock");
        state.expiry.note(&event);
        let revision = event.revision;
        self.allocators.record(resource, key, None);
        self.publish(state, event);
        revision
    }

    /// Stores a new or changed object and notifies the watchers. `value` is the content that the draft was encoded
    /// from.
    pub(crate) fn put(&self, state: &mut StoreState, draft: Draft, value: Value) -> Arc<Opened> {
        state.open_writes += 1;
        self.allocators.record(&draft.resource, &draft.key, Some(&value));
        let event = state.storage.put(draft);
        let opened = event.object().open_with(value); // before publishing, so that in-process watchers reuse this decoded value
        state.expiry.note(&event);
        self.publish(state, event);
        opened
    }

    /// Refuses a write that the log has no room for, and simulates the latency of a write to etcd.
    async fn before_commit(&self, commit: Commit) -> Result<(), StoreError> {
        if let Some(wal) = self.wal.get().filter(|_| commit == Commit::Really) {
            wal.writable().await.map_err(|why| StoreError::Unwritable { why })?;
        }
        if !self.settings.commit_latency.is_zero() {
            tokio::time::sleep(self.settings.commit_latency).await;
        }
        Ok(())
    }

    /// Announces a write that storage has just taken: to the write-ahead log, the admission configuration, the
    /// controllers' hook, the observer of the cluster, and the watch cache with its watchers. The lock is still held,
    /// so all of them see the writes in the order of the revisions.
    fn publish(&self, state: &mut StoreState, event: Event) {
        let resource = event.object().resource.clone();
        let resource = &resource;
        let event = Arc::new(event);
        if let Some(wal) = self.wal.get() {
            wal.append(&event);
        }
        if resource.configures_admission() {
            self.reparse_admission(&state.storage);
        }
        if let Some(hook) = &state.hook {
            hook.after_write(&event, &state.storage, &self.catalog());
        }
        if event.current.is_none() && self.catalog().is_terminating(resource) {
            self.terminations.notify_one(); // the definition of this kind waits until its last object is gone
        }
        let audience = if self.faults.hides(resource) { Audience::ClusterOnly } else { Audience::Everyone };
        state.writes.notify(|| Write::new(&event, audience));
        let dropped_up_to = state.history_bytes.add(&event);
        // A kind without a cache is not served. Its next definition makes a cache of all its objects.
        if let Ok(cache) = state.cache(resource) {
            let forgotten = cache.take(event, audience);
            state.forgotten.extend(forgotten);
        }
        if let Some(revision) = dropped_up_to {
            state.forget_history(revision);
        }
        state.open_writes -= 1;
        self.moved.send_replace(());
    }
}

/// Encodes the new state; returns `None` if there is nothing to store: no change, a removal, or a dry run. Only the
/// stored object loses its `selfLink`: the response to a dry run keeps the `selfLink` of the request. Upstream:
/// `PrepareObjectForStorage`.
fn draft(resource: &Resource, current: &Opened, commit: Commit, next: &mut Next) -> Option<Draft> {
    let (Next::Put(value) | Next::PutWith(value, _)) = next else { return None };
    value["metadata"]["resourceVersion"] = current.value["metadata"]["resourceVersion"].clone();
    if commit == Commit::Pretend {
        return None;
    }
    object(&mut value["metadata"]).remove("selfLink");
    (!current.was_written_as(resource, value)).then(|| Draft::of_written(resource, current.key.clone(), value))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use jiff::Timestamp;

    use super::*;
    use crate::settings::Settings;
    use kube_controllers::clock::Clock;
    use kube_machinery::kinds::PODS;
    use kube_machinery::value::json;

    fn key() -> Key {
        Key::new(Some("default"), "a")
    }

    async fn store() -> Store {
        let store = Store::new(Settings::default(), Clock::starting_at(Timestamp::UNIX_EPOCH));
        let value = json!({"metadata": {"name": "a", "namespace": "default"}});
        store.create::<StoreError>(PODS, key(), value, Commit::Really, |_, _| Ok(()), Vec::new()).await.unwrap();
        store
    }

    /// Returns the change that sets a field in `data`.
    fn with(current: &Opened, name: &str) -> Next {
        let mut value = current.value.clone();
        value["data"][name] = json!("1");
        Next::Put(value)
    }

    #[tokio::test(start_paused = true)]
    async fn others_read_and_write_while_a_change_is_computed() {
        let (store, key) = (store().await, key());
        let slow = store.guaranteed_update(PODS, &key, Commit::Really, |current| async move {
            tokio::time::sleep(Duration::from_secs(60)).await;
            Ok::<_, StoreError>((PODS.clone(), with(&current, "slow")))
        });
        let quick = async {
            store
                .update(PODS, &key, Commit::Really, |current| Ok::<_, StoreError>(with(current, "quick")))
                .await
                .unwrap();
            store.get(PODS, &key).unwrap().open().unwrap().value["data"].clone()
        };
        let begun = tokio::time::Instant::now();
        let (slow, quick) = tokio::join!(slow, async { (quick.await, begun.elapsed()) });
        assert_eq!(quick, (json!({"quick": "1"}), Duration::ZERO), "the quick change does not wait for the slow one");
        let both = slow.unwrap();
        assert_eq!(
            both.value["data"],
            json!({"quick": "1", "slow": "1"}),
            "the slow change is computed again from the new state"
        );
    }

    #[tokio::test]
    async fn a_change_is_computed_without_the_lock() {
        let store = store().await;
        let mut free = false;
        let change = |current: &Opened| {
            free = store.state.try_lock().is_ok();
            Ok::<_, StoreError>(with(current, "b"))
        };
        store.update(PODS, &key(), Commit::Really, change).await.unwrap();
        assert!(free, "the lock is free while the change is computed");
    }
}
