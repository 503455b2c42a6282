//! Replays client-go's recordings of RealFIFO.

use std::sync::Arc;

use futures::FutureExt;
use kube_informers::cache::{BoxError, Delta, Deltas, Error, InitialList, ProcessDeltas, RealFifo, WhileProcessing};
use serde_json::{Value, json};

use super::delta_fifo::{FaultyKnownObjects, objects, tombstone};
use super::errors;
use super::object::{Fields, TestObject, key, show_delta, show_deltas};
use super::replay::{Step, Subject, replay};
use super::transformers::transformer;

struct Queue {
    queue: RealFifo<TestObject>,
    /// The known objects; none if the queue is atomic.
    view: Option<Arc<FaultyKnownObjects>>,
}

fn queue(config: &Value) -> Queue {
    let (mut queue, view) = match config["mode"].as_str().unwrap() {
        "known" => {
            let view = FaultyKnownObjects::new(&config["known"]);
            (RealFifo::new(key, view.clone()), Some(view))
        }
        "atomic" => (RealFifo::atomic(key), None),
        "atomic_bookmark" => (RealFifo::atomic(key).bookmarks(), None),
        // These cases only have the step `construct`, so the kind of this queue does not matter.
        "none" => (RealFifo::atomic(key), None),
        unknown => panic!("unknown mode {unknown}"),
    };
    if config["unlock_while_processing"] == true {
        queue = queue.while_processing(WhileProcessing::Unlocked);
    }
    if let Some(transform) = transformer(&config["transformer"]) {
        queue = queue.transformer(transform);
    }
    Queue { queue, view }
}

/// The callbacks of `pop` and `pop_batch`. They note the deltas and apply them to the known objects, as the callbacks of
/// the Go program that made the recordings did.
struct Callback<'a> {
    queue: &'a Queue,
    /// The text of the error with which the callback fails; then it applies nothing.
    fails: Option<&'a str>,
    seen: Value,
}

impl Callback<'_> {
    fn note(&mut self, via: &str, deltas: &[Delta<TestObject>], initial: InitialList) -> Result<(), BoxError> {
        self.seen = json!({
            "via": via,
            "initial": initial == InitialList::Yes,
            "done_in_callback": self.queue.queue.synced().is_done(),
        });
        if deltas.len() > 100 {
            self.seen["count"] = json!(deltas.len());
            self.seen["first"] = show_delta(&deltas[0])["obj"].take();
            self.seen["last"] = show_delta(&deltas[deltas.len() - 1])["obj"].take();
        } else {
            self.seen["deltas"] = show_deltas(deltas);
        }
        let result = match (self.fails, &self.queue.view) {
            (Some(text), _) => {
                self.seen["err"] = errors::other(&text);
                return Err(text.into());
            }
            (None, Some(view)) => deltas.iter().try_for_each(|delta| view.apply_one(delta)),
            (None, None) => Ok(()),
        };
        self.seen["err"] = json!(result.as_ref().err().map(errors::store));
        Ok(result?)
    }
}

impl ProcessDeltas<TestObject> for Callback<'_> {
    fn process(&mut self, deltas: Deltas<TestObject>, initial: InitialList) -> Result<(), BoxError> {
        self.note("single", &deltas, initial)
    }

    fn process_batch(&mut self, batch: Vec<Delta<TestObject>>, initial: InitialList) -> Result<(), BoxError> {
        self.note("batch", &batch, initial)
    }
}

impl Queue {
    /// Returns the result of a write in the recorded form.
    fn written(&self, result: Result<(), Error>) -> Value {
        json!({"err": result.err().map(|error| errors::store(&error)), "len": self.queue.len()})
    }

    fn pop(&self, fails: Option<&str>) -> Value {
        let mut callback = Callback { queue: self, fails, seen: Value::Null };
        let popped = self.queue.pop(|deltas, initial| callback.process(deltas, initial)).now_or_never();
        // An error of the callback is in `callback.seen` already, so only a closed queue is left to report.
        if let Err(closed) = popped.expect("the queue is closed or holds something") {
            callback.seen = closed_error(&closed);
        }
        callback.seen["len"] = json!(self.queue.len());
        callback.seen
    }

    fn pop_batch(&self, fails: Option<&str>) -> Value {
        let mut callback = Callback { queue: self, fails, seen: Value::Null };
        let popped = self.queue.pop_batch(&mut callback).now_or_never();
        if let Err(closed) = popped.expect("the queue is closed or holds something") {
            callback.seen = closed_error(&closed);
        }
        callback.seen["len"] = json!(self.queue.len());
        callback.seen
    }

    fn add_many(&self, step: &Step) -> Value {
        let add = |number: i64| {
            self.queue.add(TestObject::Whole(Fields {
                name: format!("{}{number:04}", step.str("prefix")),
                namespace: step.str("namespace").to_owned(),
                resource_version: (number + 1).to_string(),
                ..Fields::default()
            }))
        };
        self.written((0..step.int("count")).try_for_each(add))
    }
}

fn closed_error(closed: &impl ToString) -> Value {
    json!({"err": {"kind": "FIFOClosed", "text": closed.to_string()}})
}

/// Returns true if the options can be combined: a queue is either atomic or has known objects, and the two other
/// options need an atomic queue.
fn fits(step: &Step) -> bool {
    let is = |option: &str| step.get(option) == true;
    match (is("atomic_events"), is("known_objects")) {
        (true, known) => !known,
        (false, known) => known && !is("unlock_while_processing") && !is("emit_delta_type_bookmark"),
    }
}

fn construct(step: &Step) -> Value {
    let mode = match (step.get("known_objects") == true, step.get("emit_delta_type_bookmark") == true) {
        (true, _) => "known",
        (false, true) => "atomic_bookmark",
        (false, false) => "atomic",
    };
    drop(queue(&json!({"mode": mode, "unlock_while_processing": step.get("unlock_while_processing")})));
    json!({"panic": null})
}

impl Subject for Queue {
    fn excluded_by_types(step: &Step) -> Option<&'static str> {
        if step.op() != "construct" {
            return None;
        }
        let panics = !step.get("want")["panic"].is_null();
        assert_eq!(panics, !fits(step), "client-go panics exactly on the options that our constructors exclude");
        panics.then_some("the constructors exclude the options on which client-go panics")
    }

    fn step(&mut self, step: &Step) -> Value {
        let queue = &self.queue;
        let object = || TestObject::read(step.get("obj"));
        match step.op() {
            "add" => self.written(queue.add(object())),
            "update" => self.written(queue.update(object())),
            "delete" => self.written(queue.delete(object())),
            "delete_tombstone" => self.written(queue.delete(tombstone(step))),
            "replace" => self.written(queue.replace(objects(step.get("list")), step.str("resourceVersion"))),
            "resync" => self.written(queue.resync()),
            "bookmark" => {
                queue.bookmark(step.str("resourceVersion"));
                self.written(Ok(()))
            }
            "add_many" => self.add_many(step),
            "pop" => self.pop(None),
            "pop_error" => self.pop(Some(step.str("message"))),
            "pop_closed" => self.pop(None),
            "pop_batch" => self.pop_batch(None),
            "pop_batch_error" => self.pop_batch(Some(step.str("message"))),
            "pop_batch_closed" => self.pop_batch(None),
            "has_synced" => json!(queue.has_synced()),
            "is_closed" => json!(queue.is_closed()),
            "close" => {
                queue.close();
                json!({})
            }
            "construct" => construct(step),
            "known_contents" => self.view.as_ref().unwrap().contents(),
            "known_fault" => {
                self.view.as_ref().unwrap().set_fault(step);
                json!({})
            }
            op => panic!("unknown op {op}"),
        }
    }
}

#[test]
fn a_resync_that_meets_an_object_without_a_key_names_its_delta() {
    let breaks = transformer(&json!("break")).unwrap();
    let queue = RealFifo::new(key, FaultyKnownObjects::new(&Value::Null)).transformer(breaks);
    queue.update(TestObject::Whole(Fields { name: "a".into(), value: "bad".into(), ..Fields::default() })).unwrap();
    let error = queue.resync().unwrap_err();
    let text = "couldn't create key for object {Type:Updated Object:broken-a}: \
                object has no meta: object does not implement the Object interfaces";
    assert_eq!(errors::store(&error)["text"], text);
    assert!(!error.to_string().contains("broken-a"), "an object may be a Secret: {error}");
}

#[test]
fn real_fifo() {
    replay("real_fifo.jsonl", queue);
}
