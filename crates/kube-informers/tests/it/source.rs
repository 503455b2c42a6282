//! A simulated API server of pods for tests: it has a history, and the test can hide events, expire watches and make
//! requests fail.

use std::collections::{BTreeMap, VecDeque};
use std::future::pending;
use std::sync::{Arc, Mutex, MutexGuard};

use futures::channel::mpsc::{UnboundedSender, unbounded};
use futures::future::{BoxFuture, FutureExt};
use futures::stream::StreamExt;
use k8s_openapi::api::core::v1::Pod;
use kube::core::Status;
use kube_informers::cache::{ApiError, ListOptions, ListPage, ListerWatcher, WatchEvent, WatchStream};

/// A lister-watcher of pods that a test drives. Clones share the same pods.
#[derive(Clone)]
pub struct Source(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    /// The resourceVersion of the last change.
    version: u64,
    pods: BTreeMap<String, Pod>,
    history: Vec<(u64, Change, Pod)>,
    watches: Vec<UnboundedSender<WatchEvent<Pod>>>,
    /// True while changes are hidden from the open watches.
    hidden: bool,
    /// If true, the bookmark after the initial events marks their end.
    ends_initial_events: bool,
    /// The errors that answer the next lists, one each.
    list_errors: VecDeque<ApiError>,
    /// The errors that answer the next watches, one each.
    watch_errors: VecDeque<ApiError>,
    /// If true, requests are never answered.
    unresponsive: bool,
    requests: Vec<String>,
}

#[derive(Clone, Copy)]
pub enum Change {
    Added,
    Modified,
    Deleted,
}

impl Change {
    fn event(self, pod: Pod) -> WatchEvent<Pod> {
        match self {
            Self::Added => WatchEvent::Added(pod.into()),
            Self::Modified => WatchEvent::Modified(pod.into()),
            Self::Deleted => WatchEvent::Deleted(pod.into()),
        }
    }
}

impl Default for Source {
    fn default() -> Self {
        Self(Arc::new(Mutex::new(State { ends_initial_events: true, ..State::default() })))
    }
}

impl Source {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap()
    }

    /// Creates the pod, or changes it if it exists.
    pub fn put(&self, name: &str) {
        let change = if self.state().pods.contains_key(name) { Change::Modified } else { Change::Added };
        self.change(change, name);
    }

    pub fn delete(&self, name: &str) {
        self.change(Change::Deleted, name);
    }

    fn change(&self, change: Change, name: &str) {
        let mut state = self.state();
        state.version += 1;
        let version = state.version;
        let pod = pod(name, version);
        match change {
            Change::Deleted => state.pods.remove(name),
            Change::Added | Change::Modified => state.pods.insert(name.to_owned(), pod.clone()),
        };
        state.history.push((version, change, pod.clone()));
        if !state.hidden {
            state.watches.retain(|watch| watch.unbounded_send(change.event(pod.clone())).is_ok());
        }
    }

    /// Hides changes from open watches from now on.
    pub fn hide_changes(&self) {
        self.state().hidden = true;
    }

    /// Ends the hiding, closes all watches, and answers the next one with 410 Expired, which makes the client relist.
    pub fn expire(&self) {
        let mut state = self.state();
        state.hidden = false;
        let expired = ApiError::Status(Box::new(status("Expired", 410)));
        state.watch_errors.push_back(expired);
        state.watches.clear();
    }

    /// Sets whether a streaming list's bookmark marks the end of the initial events.
    pub fn end_initial_events(&self, end: bool) {
        self.state().ends_initial_events = end;
    }

    pub fn close_watches(&self) {
        self.state().watches.clear();
    }

    /// Sends an event to all open watches. The pods do not change.
    pub fn send(&self, event: impl Fn() -> WatchEvent<Pod>) {
        self.state().watches.retain(|watch| watch.unbounded_send(event()).is_ok());
    }

    pub fn fail_list(&self, status: Status) {
        self.state().list_errors.push_back(ApiError::Status(Box::new(status)));
    }

    pub fn fail_watch(&self, status: Status) {
        self.state().watch_errors.push_back(ApiError::Status(Box::new(status)));
    }

    /// Leaves every list and watch request unanswered from now on, or answers them again.
    pub fn set_unresponsive(&self, unresponsive: bool) {
        self.state().unresponsive = unresponsive;
    }

    /// Sends changes to watches again. A watch that is opened later receives the hidden changes from the history.
    pub fn stop_hiding_changes(&self) {
        self.state().hidden = false;
    }

    /// Returns the names and versions of the existing pods.
    pub fn pods(&self) -> Vec<(String, String)> {
        self.state().pods.values().map(identity).collect()
    }

    /// Notes a request. Never returns while requests are left unanswered.
    async fn note_request(&self, request: String) {
        let unresponsive = {
            let mut state = self.state();
            state.requests.push(request);
            state.unresponsive
        };
        if unresponsive {
            pending::<()>().await;
        }
    }

    /// Removes and returns the queries of the requests so far, without the timeout of a watch, which is random.
    pub fn requests(&self) -> Vec<String> {
        std::mem::take(&mut self.state().requests)
    }
}

impl ListerWatcher<Pod> for Source {
    fn list(&self, options: ListOptions) -> BoxFuture<'_, Result<ListPage<Pod>, ApiError>> {
        async move {
            self.note_request(options.list_query()).await;
            let mut state = self.state();
            if let Some(error) = state.list_errors.pop_front() {
                return Err(error);
            }
            let items = state.pods.values().cloned().map(Arc::new).collect();
            Ok(ListPage::new(items, state.version.to_string()))
        }
        .boxed()
    }

    fn watch(&self, options: ListOptions) -> BoxFuture<'_, Result<WatchStream<Pod>, ApiError>> {
        async move {
            assert!((300..600).contains(&options.timeout_seconds), "a watch lasts five to ten minutes");
            let mut without_timeout = options.clone();
            without_timeout.timeout_seconds = 0;
            self.note_request(without_timeout.watch_query()).await;
            let mut state = self.state();
            if let Some(error) = state.watch_errors.pop_front() {
                return Err(error);
            }
            let from: u64 = options.resource_version.and_then(|version| version.parse().ok()).unwrap_or(0);
            let (sender, receiver) = unbounded();
            if options.send_initial_events == Some(true) {
                for pod in state.pods.values() {
                    sender.unbounded_send(WatchEvent::Added(pod.clone().into())).unwrap();
                }
                let resource_version = state.version.to_string();
                let end = WatchEvent::Bookmark { resource_version, initial_events_end: state.ends_initial_events };
                sender.unbounded_send(end).unwrap();
                state.watches.push(sender);
                return Ok(receiver.boxed());
            }
            for (_, change, pod) in state.history.iter().filter(|(version, ..)| *version > from) {
                sender.unbounded_send(change.event(pod.clone())).unwrap();
            }
            state.watches.push(sender);
            Ok(receiver.boxed())
        }
        .boxed()
    }
}

pub fn pod(name: &str, version: u64) -> Pod {
    let mut pod = Pod::default();
    pod.metadata.name = Some(name.to_owned());
    pod.metadata.namespace = Some("default".to_owned());
    pod.metadata.resource_version = Some(version.to_string());
    pod
}

pub fn status(reason: &str, code: u16) -> Status {
    Status::failure("on demand", reason).with_code(code)
}

/// Returns a pod's name and resourceVersion.
pub fn identity(pod: &Pod) -> (String, String) {
    (pod.metadata.name.clone().unwrap(), pod.metadata.resource_version.clone().unwrap())
}
