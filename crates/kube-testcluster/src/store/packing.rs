//! The background task that packs (compresses) objects whose last write has left the history, to save memory. In a
//! large cluster, nearly all objects have not changed for a long time; etcd keeps them on disk.

use std::collections::BTreeMap;
use std::sync::Arc;

use bytes::Bytes;
use tokio::sync::mpsc::UnboundedReceiver;
use tokio_util::sync::CancellationToken;

use super::object::Object;
use kube_machinery::kinds::GroupResource;

/// The largest part of an object that serves as a dictionary, in bytes. Each compression searches all of it.
const LONGEST: usize = 8 * 1024;

/// Objects of this size, in bytes, take so long to compress that the task yields after each. Yielding after every
/// object would be too often: a busy server would write faster than this task compresses.
const SLOW: usize = 64 * 1024;

/// The most kinds with a dictionary, so that kinds that are defined and deleted again do not fill the memory. Beyond
/// it, the dictionaries begin anew.
const MOST_DICTIONARIES: usize = 1_000;

/// Compresses aged objects outside the store's lock. The first object of a kind is the dictionary for the next ones,
/// because objects of one program look alike, and all have the server's defaults. An object that is too unlike the
/// dictionary replaces it.
pub(crate) async fn run(mut aged: UnboundedReceiver<Arc<Object>>, stop: CancellationToken) {
    let mut dictionaries: BTreeMap<GroupResource, Bytes> = BTreeMap::new();
    while let Some(Some(object)) = stop.run_until_cancelled(aged.recv()).await {
        let kind = object.resource.group_resource();
        if !dictionaries.get(&kind).is_some_and(|dictionary| object.pack(dictionary)) {
            if dictionaries.len() >= MOST_DICTIONARIES {
                dictionaries.clear();
            }
            dictionaries.insert(kind, dictionary(&object.added()));
        }
        if object.length() >= SLOW {
            tokio::task::yield_now().await;
        }
    }
}

/// Copies the end of a text as the dictionary. The beginning holds names, which no other object has. A copy, because
/// the text may be freed earlier.
fn dictionary(text: &Bytes) -> Bytes {
    Bytes::copy_from_slice(&text[text.len().saturating_sub(LONGEST)..])
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use jiff::Timestamp;
    use tokio::sync::mpsc;

    use super::*;
    use crate::settings::Settings;
    use crate::store::object::Key;
    use crate::store::{Commit, Store, StoreError};
    use kube_controllers::clock::Clock;
    use kube_machinery::conventions::random::Random;
    use kube_machinery::kinds::{CONFIG_MAPS, PODS, Resource};
    use kube_machinery::value::{Value, json};

    /// Returns an object with an annotation that compresses only with a dictionary.
    fn value(seed: u64) -> Value {
        let mut random = Random::new(seed);
        let note: String = std::iter::repeat_with(|| random.uid()).take(60).collect();
        json!({"metadata": {"name": "a", "annotations": {"note": note}}})
    }

    #[tokio::test]
    async fn an_aged_object_is_packed_with_another_one_of_its_kind() {
        let object =
            |resource: &Resource, seed: u64| Arc::new(Object::new(resource, Key::new(None, "a"), 1, value(seed)));
        let objects = [(PODS, 1), (CONFIG_MAPS, 2), (PODS, 1), (CONFIG_MAPS, 2), (PODS, 3), (PODS, 3)];
        let objects = objects.map(|(resource, seed)| object(resource, seed));
        let texts = objects.each_ref().map(|object| object.added());
        let (aged, receiver) = mpsc::unbounded_channel();
        objects.iter().for_each(|object| aged.send(object.clone()).unwrap());
        drop(aged);
        run(receiver, CancellationToken::new()).await;
        let packed = objects.each_ref().map(|object| object.is_packed());
        assert_eq!(
            packed,
            [false, false, true, true, false, true],
            "the first object of a kind stays plain, and so does one that is unlike the dictionary"
        );
        assert_eq!(objects.each_ref().map(|object| object.added()), texts);
    }

    #[tokio::test]
    async fn an_object_is_packed_when_its_last_write_leaves_the_history() {
        let settings = Settings { history: 2, history_age: Duration::MAX, ..Settings::default() };
        let store = Store::new(settings, Clock::starting_at(Timestamp::UNIX_EPOCH));
        let receiver = store.lock().storage.subscribe_aged();
        let keys = ["a", "b", "c", "d"].map(|name| Key::new(Some("default"), name));
        for key in &keys {
            let create = store.create::<StoreError>(
                CONFIG_MAPS,
                key.clone(),
                value(1),
                Commit::Really,
                |_, _| Ok(()),
                Vec::new(),
            );
            create.await.unwrap();
        }
        let stop = CancellationToken::new();
        let packing = tokio::spawn(run(receiver, stop.clone()));
        for _ in 0..10 {
            tokio::task::yield_now().await;
        }
        let is_packed = |key: &Key| store.get(CONFIG_MAPS, key).unwrap().is_packed();
        assert_eq!(
            keys.each_ref().map(is_packed),
            [false, true, false, false],
            "the first object is the dictionary, and the last two are in the history"
        );
        stop.cancel();
        packing.await.unwrap();
    }
}
