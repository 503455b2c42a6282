//! The journal of a trial: an ordered list of everything that happened. A trial is one execution of an exercise
//! program, in a cluster in memory. A program in Rust runs in virtual time, a program in Go in real time.
//!
//! The judges decide by the journal alone, and its lines are shown to the learner as evidence.

use std::fmt;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use k8s_openapi::api::core::v1::Pod;
use kube_informers::cache::observe::Event;
use kube_informers::cache::{Notification, meta_namespace_key};
use kube_testcluster::{Change, Write};
use tokio::sync::watch;
use tokio::time::Instant;

/// A line of the journal.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The time since the start of the trial.
    pub at: Duration,
    /// The event.
    pub kind: EntryKind,
}

/// An event of a trial.
#[derive(Clone, Debug)]
pub enum EntryKind {
    /// A step of the scenario, written as the equivalent kubectl command.
    Step(String),
    /// An object existed at the start of the trial, or the API server stored a change.
    Written(Write),
    /// The program sent a request to the API server.
    Request(Request),
    /// The API server answered a request with this HTTP error code.
    Refused(Request, u16),
    /// Reported by an informer's observer.
    Event(Event),
    /// A handler of the trial received a notification.
    Notified {
        /// The name of the handler.
        handler: String,
        /// The notification.
        change: Notification<Pod>,
    },
    /// The program changed the load balancer, or the load balancer was down and refused the change.
    Balanced {
        /// The name of the backend.
        backend: String,
        /// The change.
        change: Backend,
        /// True if the load balancer was down.
        refused: bool,
    },
    /// The dashboard begins to show this state of a pod.
    Shown(Arc<Pod>),
    /// The program asked whether this pod needs a password.
    Asked(String),
    /// A line of the program's log.
    Logged(String),
    /// The program raised an alarm.
    Alarm(String),
}

/// A change of the load balancer's backends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Backend {
    /// The backend was added.
    Added,
    /// The backend was removed.
    Removed,
}

/// A request to the API server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// `LIST`, `WATCH`, `CREATE`, or another HTTP method such as `GET` or `DELETE`.
    pub verb: String,
    /// The rest of the path after the namespace, such as `pods` or `pods/web-1`.
    pub target: String,
    /// The query parameter `resourceVersion=…`, if the request has one.
    pub version: Option<String>,
}

impl Request {
    /// Summarizes a request.
    pub fn of<B>(request: &http::Request<B>) -> Self {
        let path = request.uri().path();
        let target = path.rsplit_once("/namespaces/default/").map_or_else(
            || path.trim_start_matches("/api/v1/").trim_start_matches("/apis/").to_owned(),
            |(_, rest)| rest.to_owned(),
        );
        let parameters: Vec<&str> = request.uri().query().unwrap_or_default().split('&').collect();
        let verb = match request.method().as_str() {
            "GET" if parameters.contains(&"watch=true") || parameters.contains(&"watch=1") => "WATCH",
            "GET" if !target.contains('/') => "LIST",
            "POST" => "CREATE",
            other => other,
        };
        let version = parameters.iter().find(|parameter| parameter.starts_with("resourceVersion="));
        Self { verb: verb.to_owned(), target, version: version.map(ToString::to_string) }
    }
}

/// The number of characters after which a log line is cut off.
const LONGEST: usize = 60;

/// The journal. Clones share the same entries.
#[derive(Clone, Debug)]
pub struct Journal {
    started: Instant,
    entries: Arc<Mutex<Vec<Entry>>>,
    /// Wakes those that wait for an entry.
    noted: watch::Sender<()>,
}

impl Journal {
    /// Makes an empty journal. The trial starts now.
    pub fn begin() -> Self {
        Self { started: Instant::now(), entries: Arc::default(), noted: watch::Sender::new(()) }
    }

    /// Adds an entry.
    pub fn note(&self, kind: EntryKind) {
        let at = self.now();
        self.entries.lock().expect(NO_PANIC).push(Entry { at, kind });
        self.noted.send_replace(());
    }

    /// Adds the entry that follows from the entries so far, if there is one.
    pub fn note_if(&self, entry: impl FnOnce(&[Entry]) -> Option<EntryKind>) {
        let at = self.now();
        let mut entries = self.entries.lock().expect(NO_PANIC);
        if let Some(kind) = entry(&entries) {
            entries.push(Entry { at, kind });
            self.noted.send_replace(());
        }
    }

    /// Waits until the entries fulfil a condition.
    pub async fn until(&self, condition: impl Fn(&[Entry]) -> bool) {
        let mut noted = self.noted.subscribe();
        while !condition(&self.entries.lock().expect(NO_PANIC)) {
            noted.changed().await.expect("this journal has a sender");
        }
    }

    /// Returns the time since the start of the trial.
    pub fn now(&self) -> Duration {
        self.started.elapsed()
    }

    /// Takes all entries out of the journal.
    pub fn take(&self) -> Vec<Entry> {
        std::mem::take(&mut *self.entries.lock().expect(NO_PANIC))
    }
}

const NO_PANIC: &str = "nothing panics under this lock";

impl fmt::Display for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:7.3} s  {}", self.at.as_secs_f64(), self.kind)
    }
}

impl fmt::Display for EntryKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Step(command) if command.starts_with('(') => f.write_str(command), // a fault or an error
            Self::Step(command) => write!(f, "$ {command}"),
            Self::Written(write) => write_stored(f, write),
            Self::Request(request) => write!(f, "API server: {request}"),
            Self::Refused(request, code) => write!(f, "API server: {request} REFUSED ({code})"),
            Self::Event(event) => write_event(f, event),
            Self::Notified { handler, change } => {
                write!(f, "{handler}: told of {} {}", change.kind(), change.key())?;
                if let Notification::Update { old, new } = change {
                    let version = |pod: &Pod| pod.metadata.resource_version.clone().unwrap_or_default();
                    write!(f, " {} -> {}", version(old), version(new))?;
                }
                Ok(())
            }
            Self::Balanced { backend, change, refused } => {
                let sign = if *change == Backend::Added { '+' } else { '-' };
                write!(f, "load balancer: {sign} {backend}{}", if *refused { " REFUSED" } else { "" })
            }
            Self::Shown(pod) => write!(f, "dashboard: shows {}", Labelled(pod)),
            Self::Asked(key) => write!(f, "policy: asked about {key}"),
            Self::Logged(line) if line.chars().count() > LONGEST => {
                write!(f, "log: {}…", line.chars().take(LONGEST).collect::<String>())
            }
            Self::Logged(line) => write!(f, "log: {line}"),
            Self::Alarm(about) => write!(f, "ALARM: {about}"),
        }
    }
}

impl fmt::Display for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.verb, self.target)?;
        self.version.iter().try_for_each(|version| write!(f, " {version}"))
    }
}

/// Writes a change that the API server stored as one line for the learner.
fn write_stored(f: &mut fmt::Formatter<'_>, write: &Write) -> fmt::Result {
    let change = match write.change {
        Change::Existing => "has",
        Change::Created => "created",
        Change::Updated => "updated",
        Change::Deleted => "deleted",
    };
    write!(f, "API server: {change} {} at {}", write.key, write.revision)
}

/// Writes an event of an informer as one line for the learner.
fn write_event(f: &mut fmt::Formatter<'_>, event: &Event) -> fmt::Result {
    match event {
        Event::Listed { resource_version, objects } => {
            write!(f, "informer: listed {} objects at {resource_version}", objects.len())
        }
        Event::Watching { resource_version } => write!(f, "informer: watches from {resource_version}"),
        Event::Watched { kind, key, resource_version } => {
            write!(f, "informer: watched {kind} {key} {resource_version}")
        }
        Event::Relisting { reason } => write!(f, "informer: lists again: {reason}"),
        Event::Queued { delta: "SyncAll", .. } => f.write_str("informer: resync"),
        Event::Queued { delta, key, .. } => {
            write!(f, "informer: queued {delta} {}", key.as_deref().unwrap_or_default())
        }
        Event::Popped { key, deltas, .. } => {
            write!(f, "informer: popped {} {}", deltas.join(", "), key.as_deref().unwrap_or_default())
        }
        Event::Stored { key, .. } => write!(f, "informer: stored {key}"),
        Event::Removed { key, .. } => write!(f, "informer: removed {key}"),
        Event::Replaced { objects, .. } => write!(f, "informer: stored a list of {}", objects.len()),
        Event::Notified { notification, key, .. } => write!(f, "informer: gave the buffer {notification} {key}"),
        other => write!(f, "informer: {other:?}"),
    }
}

/// Displays a pod with its labels, because the scenarios change labels.
struct Labelled<'a>(&'a Pod);

impl fmt::Display for Labelled<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&meta_namespace_key(self.0))?;
        self.0.metadata.labels.iter().flatten().try_for_each(|(key, value)| write!(f, " {key}={value}"))
    }
}
