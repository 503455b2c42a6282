//! The lister-watcher behind the informers' recordings: a simulated API server with a history, gaps in its watches, and
//! errors on demand.

use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::sync::{Arc, Mutex, MutexGuard};

use futures::channel::mpsc::{UnboundedSender, unbounded};
use futures::future::{BoxFuture, FutureExt};
use futures::stream::StreamExt;
use kube::core::Status;
use kube_informers::cache::{
    ApiError, ListOptions, ListPage, ListerWatcher, Object, WatchEvent, WatchStream, meta_namespace_key,
};
use serde_json::{Value, json};

use super::object::TestObject;
use super::replay::Step;

#[derive(Clone, Default)]
pub struct Source(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    /// The resourceVersion of the last event.
    version: u64,
    objects: BTreeMap<String, TestObject>,
    /// All events, with their resourceVersions.
    history: Vec<(u64, Event)>,
    /// A watch from an earlier resourceVersion than this is refused as expired.
    compacted: u64,
    /// True while open watches get no events.
    gap: bool,
    watches: Vec<UnboundedSender<WatchEvent<TestObject>>>,
    /// The errors that answer the next lists, one each.
    list_errors: VecDeque<String>,
    /// The errors that answer the next watches, one each.
    watch_errors: VecDeque<String>,
    requests: Vec<Value>,
}

#[derive(Clone)]
struct Event {
    kind: &'static str,
    /// The object; none for a bookmark.
    object: Option<TestObject>,
    version: u64,
}

impl Event {
    fn watched(&self) -> WatchEvent<TestObject> {
        match (self.kind, self.object.clone()) {
            ("ADDED", Some(object)) => WatchEvent::Added(object.into()),
            ("MODIFIED", Some(object)) => WatchEvent::Modified(object.into()),
            ("DELETED", Some(object)) => WatchEvent::Deleted(object.into()),
            _ => WatchEvent::Bookmark { resource_version: self.version.to_string(), initial_events_end: false },
        }
    }
}

fn status(name: &str) -> Status {
    let (code, reason, message) = match name {
        "expired" => (410, "Expired", "expired"),
        "gone" => (410, "Gone", "gone"),
        "too_large" => (504, "Timeout", "Too large resource version: 99999, current: 1"),
        "internal" => (500, "InternalError", "internal"),
        "too_many" => (429, "TooManyRequests", "too many"),
        "forbidden" => (403, "Forbidden", "forbidden"),
        unknown => panic!("unknown error {unknown}"),
    };
    Status::failure(message, reason).with_code(code)
}

fn error(name: &str) -> ApiError {
    match name {
        "refused" => {
            let refused = io::Error::from(io::ErrorKind::ConnectionRefused);
            ApiError::Client(Box::new(refused))
        }
        name => ApiError::Status(Box::new(status(name))),
    }
}

impl Source {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap()
    }

    /// Removes and returns the requests so far.
    pub fn requests(&self) -> Value {
        std::mem::take(&mut self.state().requests).into()
    }

    /// Performs a step if it is about the source. Returns false if it is not.
    pub fn step(&self, step: &Step) -> bool {
        let mut state = self.state();
        let object = || TestObject::read(step.get("obj"));
        match step.op() {
            "source_add" => state.change("ADDED", object()),
            "source_modify" => state.change("MODIFIED", object()),
            "source_delete" => state.change("DELETED", object()),
            // The deletion of an object that never existed.
            "source_phantom_delete" => state.record("DELETED", Some(object()), version_of(&object())),
            // ADDED for a change, or MODIFIED for a creation.
            "source_mislabeled" => {
                let label = if step.str("type") == "ADDED" { "ADDED" } else { "MODIFIED" };
                let object = object();
                state.objects.insert(key(&object), object.clone());
                let version = version_of(&object);
                state.record(label, Some(object), version);
            }
            "source_bookmark" => state.record("BOOKMARK", None, step.str("resourceVersion").parse().unwrap()),
            "burst" => {
                for change in step.get("changes").as_array().unwrap() {
                    let kind = match change["change"].as_str().unwrap() {
                        "add" => "ADDED",
                        "modify" => "MODIFIED",
                        _ => "DELETED",
                    };
                    state.change(kind, TestObject::read(&change["obj"]));
                }
            }
            "gap_begin" => state.gap = true,
            "gap_end" => state.gap_end(step),
            "drop_watch" => {
                state.watch_errors.extend(names(step.get("open_errors")));
                state.watches.clear();
            }
            "fail_lists" => state.list_errors.extend(names(step.get("errors"))),
            _ => return false,
        }
        true
    }
}

fn names(list: &Value) -> impl Iterator<Item = String> {
    list.as_array().unwrap().iter().map(|name| name.as_str().unwrap().to_owned())
}

fn key(object: &TestObject) -> String {
    meta_namespace_key(object)
}

fn version_of(object: &TestObject) -> u64 {
    object.meta().resource_version.parse().unwrap()
}

impl State {
    fn change(&mut self, kind: &'static str, object: TestObject) {
        match kind {
            "DELETED" => self.objects.remove(&key(&object)),
            _ => self.objects.insert(key(&object), object.clone()),
        };
        let version = version_of(&object);
        self.record(kind, Some(object), version);
    }

    fn record(&mut self, kind: &'static str, object: Option<TestObject>, version: u64) {
        let event = Event { kind, object, version };
        self.version = version;
        self.history.push((version, event.clone()));
        if !self.gap {
            self.watches.retain(|watch| watch.unbounded_send(event.watched()).is_ok());
        }
    }

    /// Ends the gap in one of the recorded ways: the client watches again and gets the missed events, its next watch is
    /// expired, or its open watch fails with an error event.
    fn gap_end(&mut self, step: &Step) {
        self.gap = false;
        self.list_errors = names(step.get("list_errors")).collect();
        match step.str("via") {
            "replay" => self.watches.clear(),
            "expire" => {
                self.compacted = self.version;
                self.watch_errors.push_back("expired".to_owned());
                self.watches.clear();
            }
            via => {
                self.compacted = self.version;
                let name = if via == "error_410" { "expired" } else { "internal" };
                let event = || WatchEvent::Error(Box::new(status(name)));
                self.watches.retain(|watch| watch.unbounded_send(event()).is_ok());
            }
        }
    }
}

impl ListerWatcher<TestObject> for Source {
    fn list(&self, options: ListOptions) -> BoxFuture<'_, Result<ListPage<TestObject>, ApiError>> {
        async move {
            let mut state = self.state();
            let failure = state.list_errors.pop_front();
            let answer = failure.clone().unwrap_or_else(|| "ok".to_owned());
            let version = options.resource_version.unwrap_or_default();
            state
                .requests
                .push(json!({"verb": "list", "resourceVersion": version, "limit": options.limit, "answer": answer}));
            match failure {
                Some(name) => Err(error(&name)),
                None => {
                    let items = state.objects.values().cloned().map(Arc::new).collect();
                    Ok(ListPage::new(items, state.version.to_string()))
                }
            }
        }
        .boxed()
    }

    fn watch(&self, options: ListOptions) -> BoxFuture<'_, Result<WatchStream<TestObject>, ApiError>> {
        async move {
            let mut state = self.state();
            let version = options.resource_version.unwrap_or_default();
            let from: u64 = version.parse().unwrap_or(0);
            let too_old = (from < state.compacted).then(|| "expired".to_owned());
            let failure = state.watch_errors.pop_front().or(too_old);
            let answer = failure.clone().unwrap_or_else(|| "ok".to_owned());
            state.requests.push(json!({"verb": "watch", "resourceVersion": version,
                "allowWatchBookmarks": options.allow_watch_bookmarks, "answer": answer}));
            if let Some(name) = failure {
                return Err(error(&name));
            }
            let (sender, receiver) = unbounded();
            for (_, event) in state.history.iter().filter(|(version, _)| *version > from) {
                sender.unbounded_send(event.watched()).unwrap();
            }
            state.watches.push(sender);
            Ok(receiver.boxed())
        }
        .boxed()
    }
}
