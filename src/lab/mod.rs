//! The lab: the environment that a lesson runs in, and the runner that sets it up.
//!
//! - A *run* takes place in virtual time on a built-in cluster by default: it is recorded, and its *record*, the list
//!   of its events, is printed afterwards. A *live run* takes place in real time and is printed at once (see
//!   [`Settings::pace`]).
//! - The *seed* decides the order of events in which tasks race, so equal seeds give equal runs.
//! - An *era* is a generation of Kubernetes, `classic` (2023) or `modern` (today), chosen for the client and for the
//!   built-in server.
//! - The *cable* is the simulated connection between the lesson and the built-in cluster in a live run.

mod cable;
mod connect;
mod defaults;
mod era;
mod keyboard;
#[cfg(not(target_family = "wasm"))]
mod kubeconfig;
mod latecomers;
mod lesson_clusters;
mod plan;
mod races;
#[cfg_attr(target_family = "wasm", path = "real_wasm.rs")]
mod real;
mod runner;
#[cfg_attr(target_family = "wasm", path = "serve_wasm.rs")]
mod serve;
mod settings;
mod wiring;

use std::error::Error;
use std::fmt::Display;
use std::net::TcpListener;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::trace::{Header, Picture, Printer, Record, RecordFile, Recorder, Style, What, cause_in_chinese, visible};
use kube_informers::cache::observe::{Event, Observer};
use kube_informers::cache::{ReflectorError, ResyncTrigger, with_causes};
use kube_informers::workqueue::WorkEvent;
use kube_testcluster::Cluster;

pub use crate::cluster::Fixture;
pub use crate::console::{Console, Ended};
use crate::console::{Followers, Progress};
pub use defaults::{ClusterDefaults, Clusters, Defaults};
pub use era::Era;
use latecomers::Latecomers;
pub use races::Race;
use races::{Waits, sub_seed};
#[cfg(not(target_family = "wasm"))]
pub use real::{Reached, reach_real};
pub use runner::{LessonFn, record, run_and_print};
#[cfg(not(target_family = "wasm"))]
pub(crate) use settings::HOW_TO_NAME_ONE;
pub use settings::{BuiltIn, Follow, Pace, Seed, Settings, Source, Target};

/// The environment of a lesson. Clones share one lab, so each task and handler can have its own clone.
///
/// A lesson runs the same way with a built-in and a real cluster, and in virtual and real time.
#[derive(Clone)]
pub struct Lab(Arc<Inner>);

struct Inner {
    config: LabConfig,
    started: Instant,
    /// Locked while a record is stored or printed, to keep the records in order.
    recorder: Mutex<Recorder>,
    /// The number of [`Race`]s so far. Each has its own seed.
    races: AtomicU64,
    /// The number of shared informers and factories so far.
    informers: AtomicUsize,
    /// True once the first LIST has succeeded. Until the first WATCH has succeeded too, a failure ends the run; later
    /// failures are only reported, because the Reflector tries again.
    listed: AtomicBool,
    /// True once the first WATCH has succeeded.
    watching: AtomicBool,
    /// Makes every Reflector of the lesson resync.
    resync: ResyncTrigger,
    /// The informers that the commands `late` and `slow` act on.
    latecomers: Latecomers,
    /// The progress line that is shown until the first event.
    waiting: Mutex<Option<Progress>>,
    /// True if the reader of standard output has gone, such as `head` in a pipe.
    reader_gone: AtomicBool,
    /// The first error that must end the run.
    failure: Mutex<Option<anyhow::Error>>,
}

/// The values that a lab is made from. The runner takes them from the plan of the run.
pub(super) struct LabConfig {
    /// The client of the lesson's cluster; `None` for a lesson that makes its own objects.
    pub(super) client: Option<kube::Client>,
    /// A client for a cluster of each era, with the era's name; empty if the lesson needs one cluster only.
    pub(super) each_era: Vec<(&'static str, kube::Client)>,
    pub(super) namespace: String,
    pub(super) stop: CancellationToken,
    pub(super) sink: Sink,
    /// The file that the run is recorded into while it runs.
    pub(super) record: Option<RecordFile>,
    /// The followers of the run in a browser.
    pub(super) followers: Option<Followers>,
    pub(super) seed: u64,
    pub(super) client_era: Era,
    pub(super) waits: Waits,
    /// The listener of `--serve`.
    pub(super) listener: Option<TcpListener>,
}

pub(super) enum Sink {
    /// Records are kept until the run has ended.
    Recorded(Mutex<Vec<Record>>),
    /// Records are printed at once.
    Live(Printer),
}

impl Lab {
    pub(super) fn new(config: LabConfig) -> Self {
        Self(Arc::new(Inner {
            config,
            started: Instant::now(),
            recorder: Mutex::default(),
            races: AtomicU64::new(0),
            informers: AtomicUsize::new(0),
            listed: AtomicBool::new(false),
            watching: AtomicBool::new(false),
            resync: ResyncTrigger::new(),
            latecomers: Latecomers::default(),
            waiting: Mutex::default(),
            reader_gone: AtomicBool::new(false),
            failure: Mutex::new(None),
        }))
    }

    /// Returns a client for the lesson's cluster.
    ///
    /// # Panics
    /// The lesson's row in the catalog names no cluster.
    pub fn client(&self) -> kube::Client {
        self.0.config.client.clone().expect("the lesson's row names a cluster")
    }

    /// Returns a client for a cluster of each era, the older one first, with the era's name; for a real cluster, only
    /// that one; empty if the lesson's row does not ask for both eras.
    pub fn each_era(&self) -> Vec<(&'static str, kube::Client)> {
        self.0.config.each_era.clone()
    }

    /// Returns the namespace that the lesson watches. It exists.
    pub fn namespace(&self) -> &str {
        &self.0.config.namespace
    }

    /// Returns a token that is cancelled when the run must end: everything has been shown, its time is over, Ctrl-C was
    /// pressed, or the run failed. The lesson then stops in order and returns.
    pub fn stop(&self) -> CancellationToken {
        self.0.config.stop.clone()
    }

    /// Returns the seed that decides this run's races.
    pub fn seed(&self) -> u64 {
        self.0.config.seed
    }

    /// Returns the era of the client.
    pub fn era(&self) -> Era {
        self.0.config.client_era
    }

    /// Returns an observer that records the events of the informer that a lesson builds by hand.
    pub fn observer(&self) -> Observer {
        self.observer_of(Recorder::BY_HAND)
    }

    /// Returns an observer for the next shared informer or factory of the lesson, under a number of its own.
    fn observer_of_next_informer(&self) -> Observer {
        self.observer_of(self.0.informers.fetch_add(1, Ordering::Relaxed) + 1)
    }

    /// Returns an observer that records the events of the informer with this number, and notes how far it has come.
    fn observer_of(&self, informer: usize) -> Observer {
        let lab = self.clone();
        Observer::by_type(move |of, event| {
            match &event {
                Event::Listed { .. } => lab.0.listed.store(true, Ordering::Relaxed),
                Event::Watching { .. } => lab.0.watching.store(true, Ordering::Relaxed),
                Event::ListFailed { error } if lab.is_up() => lab.narrate_retry("LIST", error),
                Event::WatchFailed { error } if lab.is_up() => lab.narrate_retry("WATCH", error),
                _ => {}
            }
            lab.record(|recorder, at| recorder.informer_event(at, informer, of, event.into()));
        })
    }

    /// Returns an observer that records the events of a workqueue.
    pub fn work_observer<T: Display>(&self) -> impl FnMut(WorkEvent<'_, T>) + Send + 'static + use<T> {
        let lab = self.clone();
        move |event| lab.record(|recorder, at| recorder.workqueue_event(at, &event))
    }

    /// Returns true if the run takes place in real time, and so lasts until Ctrl-C or its limit.
    pub fn is_live(&self) -> bool {
        matches!(self.0.config.sink, Sink::Live(_))
    }

    /// Prints a line of the trace.
    pub fn print(&self, style: Style, text: impl Display) {
        self.record_text(What::Line { style, text: text.to_string() });
    }

    /// Prints a remark for the reader, in both languages. It is one line, also if it contains the text of a server.
    pub fn narrate(&self, en: &str, zh: &str) {
        self.record_text(What::Narration { en: visible(en), zh: visible(zh) });
    }

    /// Returns a race of this run, independent of other races. With a real cluster it never waits, because the cluster
    /// decides the order.
    pub fn race(&self) -> Race {
        let n = self.0.races.fetch_add(1, Ordering::Relaxed);
        Race::new(sub_seed(self.0.config.seed, "moment", n), self.0.config.waits)
    }

    /// Ends the run if the first LIST and WATCH have not succeeded yet; otherwise reports the failure, and the caller
    /// tries again. An expired resourceVersion never ends the run.
    pub fn failed(&self, error: anyhow::Error) {
        let reflector_error = error.downcast_ref::<ReflectorError>();
        if !self.is_up() && !reflector_error.is_some_and(ReflectorError::is_expired) {
            self.fail(error);
            return;
        }
        match reflector_error {
            // The observer has reported these already, and also failures that a Reflector handles without an error.
            Some(ReflectorError::List(..) | ReflectorError::Watch(..) | ReflectorError::WatchEnded(..)) => {}
            _ => self.retrying(error.as_ref()),
        }
    }

    /// Reports an error after which the lesson tries again.
    pub fn retrying(&self, error: &dyn Error) {
        let error = with_causes(error).to_string();
        let error_zh = cause_in_chinese(&error).unwrap_or_else(|| error.clone());
        let error = without_types(&error);
        self.narrate(&format!("{error}; trying again"), &format!("{error_zh}；稍后重试"));
    }

    /// Returns true if the first LIST and the first WATCH have succeeded.
    fn is_up(&self) -> bool {
        self.0.listed.load(Ordering::Relaxed) && self.0.watching.load(Ordering::Relaxed)
    }

    fn narrate_retry(&self, request: &str, error: &str) {
        let error_zh = cause_in_chinese(error).unwrap_or_else(|| error.to_owned());
        let error = without_types(error);
        self.narrate(&format!("{request}: {error}; trying again"), &format!("{request}：{error_zh}；稍后重试"));
    }

    /// Returns the current picture: the state of queues, stores and handlers, computed from the events so far. The
    /// keyboard's commands `store` and `queue` show it.
    pub(super) fn picture(&self) -> Picture {
        self.0.recorder.lock().expect(NO_PANIC).picture().clone()
    }

    /// Makes every watching Reflector resync, and returns their number.
    pub(super) fn resync(&self) -> usize {
        self.0.recorder.lock().expect(NO_PANIC).expect_resync();
        self.0.resync.fire()
    }

    fn latecomers(&self) -> &Latecomers {
        &self.0.latecomers
    }

    pub(super) fn followers(&self) -> Option<&Followers> {
        self.0.config.followers.as_ref()
    }

    pub(super) fn listener(&self) -> Option<&TcpListener> {
        self.0.config.listener.as_ref()
    }

    pub(super) fn show_progress(&self, progress: Progress) {
        *self.0.waiting.lock().expect(NO_PANIC) = Some(progress);
    }

    pub(super) fn hide_progress(&self) {
        drop(self.0.waiting.lock().expect(NO_PANIC).take());
    }

    /// Ends the run with an error. Only the first error counts.
    pub(super) fn fail(&self, error: anyhow::Error) {
        self.failure().get_or_insert(error);
        self.0.config.stop.cancel();
    }

    pub(super) fn take_failure(&self) -> Option<anyhow::Error> {
        self.failure().take()
    }

    /// Returns true if the reader of standard output has gone during a live run.
    pub(super) fn reader_gone(&self) -> bool {
        self.0.reader_gone.load(Ordering::Relaxed)
    }

    /// Takes the records so far; empty in a live run.
    pub(super) fn take_records(&self) -> Vec<Record> {
        match &self.0.config.sink {
            Sink::Recorded(records) => std::mem::take(&mut *records.lock().expect(NO_PANIC)),
            Sink::Live(_) => Vec::new(),
        }
    }

    /// Returns the time since the start of the run, on the run's own clock.
    fn elapsed(&self) -> Duration {
        self.0.started.elapsed()
    }

    pub(super) fn record_header(&self, header: Header) {
        self.record_text(What::Run(header));
    }

    /// Records the built-in cluster's writes in the lesson's namespace, except Events, which no lesson watches.
    pub(super) fn record_writes(&self, cluster: &Cluster) {
        let lab = Arc::downgrade(&self.0); // weak, because the lab has a client of the cluster
        let prefix = format!("{}/", self.namespace());
        cluster.observe_writes(move |write| {
            if write.key.starts_with(&prefix)
                && write.kind != "Event"
                && let Some(lab) = lab.upgrade()
            {
                Self(lab).record(|recorder, at| recorder.server_write(at, &write));
            }
        });
    }

    /// Records the program's own words.
    fn record_text(&self, what: What) {
        self.record(|recorder, at| recorder.program_text(at, what));
    }

    /// Makes a record and hands it to every reader: the record file, a browser, and the memory or the printer.
    fn record(&self, make: impl FnOnce(&mut Recorder, Duration) -> Record) {
        let mut recorder = self.0.recorder.lock().expect(NO_PANIC);
        let record = make(&mut recorder, self.elapsed());
        // A streaming list begins with a watch, whose first objects may take long: the progress line stays until then.
        if !matches!(record.what, What::Watching { .. }) {
            self.hide_progress();
        }
        if let Some(Err(failure)) = self.0.config.record.as_ref().map(|file| file.write(&record)) {
            self.fail(failure.into());
        }
        if let Some(followers) = &self.0.config.followers {
            followers.publish(&record);
        }
        match &self.0.config.sink {
            Sink::Recorded(records) => records.lock().expect(NO_PANIC).push(record),
            Sink::Live(printer) => match Ended::from_write(printer.print(&record)) {
                Ok(Ended::ReaderGone) => {
                    self.0.reader_gone.store(true, Ordering::Relaxed);
                    self.0.config.stop.cancel();
                }
                Ok(_) => {}
                Err(error) => self.fail(error),
            },
        }
    }

    fn failure(&self) -> MutexGuard<'_, Option<anyhow::Error>> {
        self.0.failure.lock().expect(NO_PANIC)
    }
}

/// Removes the name of kube's type `ServiceError` from an error's text, because it tells the reader nothing.
fn without_types(causes: &str) -> String {
    causes.replace("ServiceError: ", "")
}

const NO_PANIC: &str = "no code panics while it holds this lock";
