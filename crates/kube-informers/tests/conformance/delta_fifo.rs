//! Replays client-go's recordings of DeltaFIFO.

use std::sync::{Arc, Mutex};

use futures::FutureExt;
use kube_informers::cache::{
    BoxError, Deletion, Delta, DeltaFifo, Deltas, Error, InitialList, KnownObjects, Relisted, Store,
};
use serde_json::{Value, json};

use super::errors::{self, other};
use super::object::{TestObject, deletion, key, show_deltas};
use super::replay::{Step, Subject, replay};
use super::transformers::transformer;

/// The known objects of a queue: a store whose look-ups can be made to fail for a key. The fault `error` makes a
/// look-up of the key fail. The fault `ghost` lists the key, but no look-up finds it. The store lists its keys in
/// ascending order, as the recordings do. The tests of RealFIFO use it too.
pub struct FaultyKnownObjects {
    pub store: Arc<Store<TestObject>>,
    /// Keys with their faults. The last fault of a key counts.
    pub faults: Mutex<Vec<(String, String)>>,
}

impl FaultyKnownObjects {
    pub fn new(known: &Value) -> Arc<Self> {
        let store = Store::new(key);
        for object in known.as_array().into_iter().flatten() {
            store.add(TestObject::read(object)).unwrap();
        }
        Arc::new(Self { store: Arc::new(store), faults: Mutex::default() })
    }

    fn fault(&self, key: &str) -> Option<String> {
        let faults = self.faults.lock().unwrap();
        faults.iter().rev().find(|(faulty, _)| faulty == key).map(|(_, fault)| fault.clone())
    }

    pub fn set_fault(&self, step: &Step) {
        self.faults.lock().unwrap().push((step.str("key").to_owned(), step.str("fault").to_owned()));
    }

    pub fn contents(&self) -> Value {
        let mut objects: Vec<_> = self.store.list().iter().cloned().collect();
        objects.sort_by_key(|object| key(object).unwrap());
        json!(objects)
    }

    /// Applies deltas to the store, as the recorded callback of a pop does.
    pub fn apply(&self, deltas: &Deltas<TestObject>) -> Result<(), Error> {
        deltas.iter().try_for_each(|delta| self.apply_one(delta))
    }

    pub fn apply_one(&self, delta: &Delta<TestObject>) -> Result<(), Error> {
        match delta {
            Delta::Deleted(deletion) => self.store.delete(deletion.clone()),
            other => self.store.update(other.object().unwrap().clone()),
        }
    }
}

impl KnownObjects<TestObject> for FaultyKnownObjects {
    fn list_keys(&self) -> Vec<String> {
        let mut keys = self.store.list_keys();
        let faults = self.faults.lock().unwrap();
        keys.extend(faults.iter().map(|(key, _)| key.clone()));
        drop(faults);
        keys.sort();
        keys.dedup();
        keys.retain(|key| self.fault(key).as_deref() == Some("ghost") || self.store.get_by_key(key).is_some());
        keys
    }

    fn get_by_key(&self, key: &str) -> Result<Option<Arc<TestObject>>, BoxError> {
        match self.fault(key).as_deref() {
            Some("error") => Err("look-up failed".into()),
            Some("ghost") => Ok(None),
            _ => Ok(self.store.get_by_key(key)),
        }
    }
}

struct Queue {
    queue: DeltaFifo<TestObject>,
    view: Option<Arc<FaultyKnownObjects>>,
}

fn queue(config: &Value) -> Queue {
    let mut queue = DeltaFifo::new(key);
    if config["emit_delta_type_replaced"] == true {
        queue = queue.relisted(Relisted::Replaced);
    }
    if let Some(transform) = transformer(&config["transformer"]) {
        queue = queue.transformer(transform);
    }
    let view = (config["known_objects"] == true).then(|| FaultyKnownObjects::new(&config["known"]));
    if let Some(view) = view.clone() {
        queue = queue.known_objects(view);
    }
    Queue { queue, view }
}

impl Queue {
    /// Returns the result of a write in the recorded form.
    fn written(&self, result: Result<(), Error>) -> Value {
        json!({"err": result.err().map(|error| errors::store(&error)), "len": self.queue.len()})
    }

    fn pop(&self, process: impl FnOnce(&Deltas<TestObject>) -> Value) -> Value {
        let popped = self.queue.pop(|deltas, initial| {
            json!({
                "done_in_callback": self.queue.synced().is_done(),
                "err": process(&deltas),
                "deltas": show_deltas(&deltas),
                "initial": initial == InitialList::Yes,
            })
        });
        let popped = popped.now_or_never().expect("the queue is closed or holds something");
        let mut popped =
            popped.unwrap_or_else(|closed| json!({"err": {"kind": "FIFOClosed", "text": closed.to_string()}}));
        popped["len"] = json!(self.queue.len());
        popped
    }
}

impl Subject for Queue {
    fn excluded_by_types(step: &Step) -> Option<&'static str> {
        let is_empty = step.get("deltas").as_array().is_some_and(Vec::is_empty);
        (step.op() == "key_of" && is_empty).then_some("the type Deltas is never empty")
    }

    fn step(&mut self, step: &Step) -> Value {
        let object = || TestObject::read(step.get("obj"));
        match step.op() {
            "add" => self.written(self.queue.add(object())),
            "update" => self.written(self.queue.update(object())),
            "delete" => self.written(self.queue.delete(object())),
            "delete_tombstone" => self.written(self.queue.delete(tombstone(step))),
            "replace" => self.written(self.queue.replace(objects(step.get("list")), step.str("resourceVersion"))),
            "resync" => self.written(self.queue.resync()),
            "pop" => self.pop(|deltas| match &self.view {
                Some(view) => json!(view.apply(deltas).err().map(|error| errors::store(&error))),
                None => Value::Null,
            }),
            "pop_error" => self.pop(|_| other(&step.str("message"))),
            "pop_closed" => self.pop(|_| panic!("the queue is empty")),
            "has_synced" => json!(self.queue.has_synced()),
            "is_closed" => json!(self.queue.is_closed()),
            "close" => {
                self.queue.close();
                json!({})
            }
            "key_of" => self.key_of(step),
            "known_contents" => self.view.as_ref().unwrap().contents(),
            "known_fault" => {
                self.view.as_ref().unwrap().set_fault(step);
                json!({})
            }
            op => panic!("unknown op {op}"),
        }
    }
}

impl Queue {
    /// Returns the key of an object, a tombstone or the newest delta. Go's KeyOf takes any of these types; here all
    /// become a [`Deletion`].
    fn key_of(&self, step: &Step) -> Value {
        let asked = match step.get("deltas").as_array() {
            Some(deltas) => match deltas.last() {
                None => unreachable!("excluded_by_types() skips this step"),
                Some(newest) => deletion(&newest["obj"]),
            },
            None => deletion(step.get("obj")),
        };
        match self.queue.deletion_key(&asked) {
            Ok(key) => json!({"key": key, "err": null}),
            // The Go program called the key function itself, so the recorded error is not wrapped.
            Err(error) => json!({"key": "", "err": other(&error.source)}),
        }
    }
}

pub fn tombstone(step: &Step) -> Deletion<TestObject> {
    let object = step.get("obj");
    let last_known = (!object.is_null()).then(|| Arc::new(TestObject::read(object)));
    Deletion::FinalStateUnknown { key: step.str("key").to_owned(), last_known }
}

pub fn objects(list: &Value) -> Vec<Arc<TestObject>> {
    list.as_array().unwrap().iter().map(|object| Arc::new(TestObject::read(object))).collect()
}

#[test]
fn delta_fifo() {
    replay("delta_fifo.jsonl", queue);
}
