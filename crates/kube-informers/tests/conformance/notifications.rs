//! Records a handler's notifications in the JSON form of the recordings; shared by the tests of both informers.

use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use kube_informers::cache::{
    Batches, Deletion, EventHandler, InitialList, QueueKind, Reader, ReflectorOptions, WatchList,
};
use serde_json::{Value, json};

use super::object::TestObject;

/// A handler that records its notifications and, if it has a store, the store's content during each callback.
#[derive(Clone, Default)]
pub struct Recorder {
    notes: Arc<Mutex<Vec<Value>>>,
    store: Option<Reader<TestObject>>,
}

impl Recorder {
    pub fn looking_into(store: Reader<TestObject>) -> Self {
        Self { store: Some(store), ..Self::default() }
    }

    pub fn take(&self) -> Vec<Value> {
        std::mem::take(&mut self.notes.lock().unwrap())
    }

    fn note(&self, mut note: Value, object: &TestObject) {
        let TestObject::Whole(fields) = object else { panic!("the source has whole objects only") };
        note["rv"] = json!(fields.resource_version);
        note["value"] = json!(fields.value);
        if let Some(times) = fields.labels.get("transformed") {
            note["transformed"] = json!(times);
        }
        if let Some(store) = &self.store {
            note["store"] = contents(store);
        }
        self.notes.lock().unwrap().push(note);
    }
}

fn key(object: &TestObject) -> String {
    kube_informers::cache::meta_namespace_key(object)
}

impl EventHandler<TestObject> for Recorder {
    fn on_add(&mut self, object: Arc<TestObject>, initial: InitialList) {
        self.note(json!({"kind": "add", "key": key(&object), "initial": initial == InitialList::Yes}), &object);
    }

    fn on_update(&mut self, old: Arc<TestObject>, new: Arc<TestObject>) {
        let TestObject::Whole(old) = &*old else { panic!("the source has whole objects only") };
        let note = json!({"kind": "update", "key": key(&new), "old_rv": old.resource_version, "old_value": old.value});
        self.note(note, &new);
    }

    fn on_delete(&mut self, deletion: Deletion<TestObject>) {
        let object = deletion.object().expect("every recorded deletion has an object").clone();
        let note = json!({"kind": "delete", "key": key(&object), "tombstone": deletion.is_tombstone()});
        self.note(note, &object);
    }
}

pub fn contents(store: &Reader<TestObject>) -> Value {
    let mut objects: Vec<_> = store.list().iter().cloned().collect();
    objects.sort_by_key(|object| key(object));
    let show = |object: &Arc<TestObject>| match &**object {
        TestObject::Whole(fields) => {
            json!({"key": key(object), "rv": fields.resource_version, "value": fields.value})
        }
        TestObject::Raw { .. } => panic!("the source has whole objects only"),
    };
    objects.iter().map(show).collect()
}

/// Returns the resourceVersion of the store. client-go's is empty unless the queue is atomic.
pub fn store_version(store: &Reader<TestObject>, config: &Value) -> String {
    if config["atomic_fifo"] == true { store.last_resource_version() } else { String::new() }
}

pub fn queue_kind(config: &Value) -> QueueKind {
    let batches = if config["batch"] == true { Batches::Yes } else { Batches::No };
    match config["queue"].as_str().unwrap() {
        "delta_fifo" => QueueKind::DeltaFifo,
        "real_fifo" => QueueKind::RealFifo(batches),
        "real_fifo_atomic" => QueueKind::AtomicFifo(batches),
        unknown => panic!("unknown queue {unknown}"),
    }
}

/// Returns the Reflector's options. Its limits for silent watches and missing bookmarks are off, because client-go has
/// none.
pub fn reflector(config: &Value) -> ReflectorOptions {
    let watch_list = if config["watch_list_client"] == true { WatchList::Yes } else { WatchList::No };
    ReflectorOptions::new().watch_list(watch_list).watch_grace(Duration::MAX).bookmark_timeout(Duration::MAX)
}

/// Sorts the notifications whose order is not specified: each run of tombstones and, for a handler that was added late,
/// each run of initial adds.
pub fn sort_unordered(notes: &mut [Value], late: bool) {
    let class = |note: &Value| match note["kind"].as_str() {
        Some("delete") if note["tombstone"] == true => 1,
        Some("add") if late && note["initial"] == true => 2,
        _ => 0,
    };
    for run in notes.chunk_by_mut(|a, b| class(a) != 0 && class(a) == class(b)) {
        run.sort_by_key(|note| note["key"].as_str().map(str::to_owned));
    }
}

/// A handler whose recorder is set later, because an informer takes its handler before its store can be read.
#[derive(Clone, Default)]
pub struct Late(Arc<OnceLock<Recorder>>);

impl Late {
    pub fn set(&self, recorder: Recorder) {
        assert!(self.0.set(recorder).is_ok(), "the recorder is set once");
    }

    fn recorder(&self) -> Recorder {
        self.0.get().expect("the recorder is set before the informer starts").clone()
    }
}

impl EventHandler<TestObject> for Late {
    fn on_add(&mut self, object: Arc<TestObject>, initial: InitialList) {
        self.recorder().on_add(object, initial);
    }

    fn on_update(&mut self, old: Arc<TestObject>, new: Arc<TestObject>) {
        self.recorder().on_update(old, new);
    }

    fn on_delete(&mut self, deletion: Deletion<TestObject>) {
        self.recorder().on_delete(deletion);
    }
}
