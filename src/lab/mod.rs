//! What a lesson gets: a cluster to watch, a voice, and a sign when to stop. And who plays it.

pub mod cluster;
mod command;
mod connect;
mod defaults;
mod files;
mod interrupt;
mod keyboard;
mod kubeconfig;
mod kubeconfig_file;
mod moments;
mod player;
mod serve;
mod settings;
mod wiring;
mod world;

use std::error::Error;
use std::fmt::Display;
use std::io;
use std::net::TcpListener;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::trace::{Printer, Record, Style, What};
use kube_informers::cache::observe::{Event, Observer};
use kube_informers::cache::{ReflectorError, with_causes};
use kube_testcluster::Era;

pub use defaults::{ClusterDefaults, Defaults, Eras, Fixture};
pub use interrupt::Interrupt;
pub use moments::Moments;
use moments::{Waits, sub_seed};
pub use player::{Ended, Lesson, Stage, play, record};
pub use settings::{BuiltIn, Follow, Pace, Seed, Settings, Source, Target};

/// A lesson's surroundings. A clone is the same lab, so tasks and handlers can have one each.
///
/// Nothing in it tells a lesson whether its cluster is built in, nor whether its time is real.
#[derive(Clone)]
pub struct Lab(Arc<Inner>);

struct Inner {
    parts: Parts,
    started: Instant,
    /// How many sources of moments were handed out: each has a seed of its own.
    moments: AtomicU64,
    /// The first LIST and the first WATCH succeeded: from now on failures are told and survived.
    listed: AtomicBool,
    watching: AtomicBool,
    reader_gone: AtomicBool,
    failure: Mutex<Option<anyhow::Error>>,
}

/// What a lab is made of.
pub(super) struct Parts {
    pub(super) client: Option<kube::Client>,
    pub(super) each_era: Vec<(&'static str, kube::Client)>,
    pub(super) namespace: String,
    pub(super) stop: CancellationToken,
    pub(super) sink: Sink,
    pub(super) seed: u64,
    pub(super) era: Era,
    pub(super) waits: Waits,
    pub(super) listener: Option<TcpListener>,
}

/// Where records go.
pub(super) enum Sink {
    /// Kept until the run is over.
    Recorded(Mutex<Vec<Record>>),
    /// Printed as they come.
    Live(Printer),
}

impl Lab {
    pub(super) fn new(parts: Parts) -> Self {
        Self(Arc::new(Inner {
            parts,
            started: Instant::now(),
            moments: AtomicU64::new(0),
            listed: AtomicBool::new(false),
            watching: AtomicBool::new(false),
            reader_gone: AtomicBool::new(false),
            failure: Mutex::new(None),
        }))
    }

    /// A client of the lesson's cluster.
    ///
    /// # Panics
    /// In a lesson whose row in the table names no cluster.
    pub fn client(&self) -> kube::Client {
        self.0.parts.client.clone().expect("the lesson's row names a cluster")
    }

    /// A client of a cluster of each era, the older first; of the real one alone, if the lesson's is real. Each with its name.
    ///
    /// Empty in a lesson whose row in the table does not ask for clusters of each era.
    pub fn each_era(&self) -> Vec<(&'static str, kube::Client)> {
        self.0.parts.each_era.clone()
    }

    /// The namespace that the lesson watches. It exists.
    pub fn namespace(&self) -> &str {
        &self.0.parts.namespace
    }

    /// Cancelled when the run is to end: everything has been shown, its time is over, Ctrl-C, or a failure. The lesson then
    /// stops in order and returns.
    pub fn stop(&self) -> CancellationToken {
        self.0.parts.stop.clone()
    }

    /// The seed that decides this run's races.
    pub fn seed(&self) -> u64 {
        self.0.parts.seed
    }

    /// Which API server the built-in cluster is like, and which client-go the machinery.
    pub fn era(&self) -> Era {
        self.0.parts.era
    }

    /// An observer that takes what the machinery does into the run's record.
    pub fn observer(&self) -> Observer {
        let lab = self.clone();
        Observer::new(move |event| {
            match &event {
                Event::Listed { .. } => lab.0.listed.store(true, Ordering::Relaxed),
                Event::Watching { .. } => lab.0.watching.store(true, Ordering::Relaxed),
                Event::ListFailed { error } if lab.is_up() => lab.tell_retry("LIST", error),
                Event::WatchFailed { error } if lab.is_up() => lab.tell_retry("WATCH", error),
                _ => {}
            }
            lab.put(What::Machinery(event));
        })
    }

    /// One line of the trace.
    pub fn line(&self, style: Style, text: impl Display) {
        self.put(What::Line { style, text: text.to_string() });
    }

    /// A remark beside the trace, in both languages.
    pub fn tell(&self, en: &str, zh: &str) {
        self.put(What::Narration { en: en.to_owned(), zh: zh.to_owned() });
    }

    /// A source of small waits that the seed decides, independent of every other. On a real cluster it never waits.
    pub fn moment(&self) -> Moments {
        let n = self.0.moments.fetch_add(1, Ordering::Relaxed);
        Moments::new(sub_seed(self.0.parts.seed, "moment", n), self.0.parts.waits)
    }

    /// A list or a watch failed. Before the first of both has succeeded this ends the run; afterwards it is told, and whoever
    /// tries again tries again.
    pub fn failed(&self, error: anyhow::Error) {
        if !self.is_up() {
            self.fail(error);
            return;
        }
        match error.downcast_ref::<ReflectorError>() {
            // The observer has told it already, together with what a Reflector survives without an error.
            Some(ReflectorError::List(..) | ReflectorError::Watch(..)) => {}
            _ => self.retrying(error.as_ref()),
        }
    }

    /// Tells of a failure that the lesson itself survives.
    pub fn retrying(&self, error: &dyn Error) {
        let error = with_causes(error);
        self.tell(&format!("{error}; trying again"), &format!("{error}；重试中"));
    }

    /// The first LIST and the first WATCH have succeeded.
    fn is_up(&self) -> bool {
        self.0.listed.load(Ordering::Relaxed) && self.0.watching.load(Ordering::Relaxed)
    }

    fn tell_retry(&self, request: &str, error: &str) {
        self.tell(&format!("{request}: {error}; trying again"), &format!("{request}：{error}；重试中"));
    }

    /// Where the lesson was asked to serve.
    pub(super) fn listener(&self) -> Option<&TcpListener> {
        self.0.parts.listener.as_ref()
    }

    /// Ends the run with an error. The first one counts.
    pub(super) fn fail(&self, error: anyhow::Error) {
        self.failure().get_or_insert(error);
        self.0.parts.stop.cancel();
    }

    /// The error that ended the run, if one did.
    pub(super) fn take_failure(&self) -> Option<anyhow::Error> {
        self.failure().take()
    }

    /// Whether standard output was closed during a live run.
    pub(super) fn reader_gone(&self) -> bool {
        self.0.reader_gone.load(Ordering::Relaxed)
    }

    /// What has been recorded so far; nothing in a live run.
    pub(super) fn take_records(&self) -> Vec<Record> {
        match &self.0.parts.sink {
            Sink::Recorded(records) => std::mem::take(&mut *records.lock().expect(NO_PANIC)),
            Sink::Live(_) => Vec::new(),
        }
    }

    /// How long the run has lasted, on its own clock.
    fn elapsed(&self) -> Duration {
        self.0.started.elapsed()
    }

    fn put(&self, what: What) {
        let at = self.elapsed();
        match &self.0.parts.sink {
            Sink::Recorded(records) => records.lock().expect(NO_PANIC).push(Record { at, what }),
            Sink::Live(printer) => match printer.print(&Record { at, what }) {
                Ok(()) => {}
                Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
                    self.0.reader_gone.store(true, Ordering::Relaxed);
                    self.0.parts.stop.cancel();
                }
                Err(error) => self.fail(anyhow::Error::new(error).context("cannot write to standard output")),
            },
        }
    }

    fn failure(&self) -> MutexGuard<'_, Option<anyhow::Error>> {
        self.0.failure.lock().expect(NO_PANIC)
    }
}

const NO_PANIC: &str = "nothing panics under this lock";
