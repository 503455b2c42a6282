//! Tests of long lists: the informer processes them in small steps, but readers and handlers never see half a list.

use std::collections::BTreeMap;
use std::future::poll_fn;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use k8s_openapi::api::core::v1::Pod;
use kube_informers::cache::{HandlerOptions, Notification, ReflectorOptions, SharedIndexInformer, WatchList};
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use crate::source::{Source, identity};

/// The number of pods. The informer processes them in several steps, and their number is not a multiple of a step.
const MANY: usize = 5500;
/// The largest number of objects that one poll of the informer's run may look at.
const AT_ONCE: usize = 1000;

type Notes = Arc<Mutex<Vec<Notification<Pod>>>>;

fn name(number: usize) -> String {
    format!("pod-{number:04}")
}

/// Adds a handler that keeps its notifications.
fn note(informer: &SharedIndexInformer<Pod>, options: HandlerOptions) -> Notes {
    let notes = Notes::default();
    let kept = notes.clone();
    let handler = move |notification: Notification<Pod>| {
        kept.lock().unwrap().push(notification);
        async {}
    };
    informer.add_event_handler_with(handler, options).unwrap();
    notes
}

/// Applies notifications in order and returns the resulting names and versions. Checks that an add is of an unknown
/// object, and that an update or a deletion is of a known one.
fn fold(notes: &Notes) -> BTreeMap<String, String> {
    let mut known = BTreeMap::new();
    for notification in &*notes.lock().unwrap() {
        match notification {
            Notification::Add { object, .. } => {
                let (name, version) = identity(object);
                assert_eq!(known.insert(name.clone(), version), None, "{name} was added twice");
            }
            Notification::Update { old, new } => {
                let (name, version) = identity(new);
                assert_eq!(known.insert(name, version), Some(identity(old).1));
            }
            Notification::Delete(deletion) => {
                assert!(known.remove(&identity(deletion.object().unwrap()).0).is_some());
            }
        }
    }
    known
}

/// An informer whose index function counts the objects that each poll of its run looks at.
struct Counted {
    source: Source,
    informer: SharedIndexInformer<Pod>,
    /// The number of objects that the current poll has looked at.
    looked_at: Arc<AtomicUsize>,
    /// The largest number of objects that a poll has looked at.
    most: Arc<AtomicUsize>,
    stop: CancellationToken,
}

fn counted() -> Counted {
    let source = Source::default();
    (0..MANY).for_each(|number| source.put(&name(number)));
    let options = ReflectorOptions::new().watch_list(WatchList::No);
    let informer = SharedIndexInformer::builder(source.clone()).reflector(options).build();
    let looked_at = Arc::new(AtomicUsize::new(0));
    let looks = looked_at.clone();
    let counts = informer.index("counting", move |pod: &Pod| {
        looks.fetch_add(1, Ordering::Relaxed);
        pod.metadata.namespace.iter().collect()
    });
    counts.unwrap();
    Counted { source, informer, looked_at, most: Arc::default(), stop: CancellationToken::new() }
}

impl Counted {
    /// Runs the informer; `between` is called after each poll.
    fn run(&self, mut between: impl FnMut() + Send + 'static) -> tokio::task::JoinHandle<()> {
        let (looked_at, most) = (self.looked_at.clone(), self.most.clone());
        let mut run = Box::pin(self.informer.clone().run(self.stop.clone()));
        tokio::spawn(poll_fn(move |cx| {
            looked_at.store(0, Ordering::Relaxed);
            let polled = run.as_mut().poll(cx);
            most.fetch_max(looked_at.load(Ordering::Relaxed), Ordering::Relaxed);
            between();
            polled.map(|ended| ended.unwrap())
        }))
    }

    fn on_the_server(&self) -> BTreeMap<String, String> {
        self.source.pods().into_iter().collect()
    }

    /// Deletes, changes and creates pods while the watch is cut off, which makes the informer relist.
    fn change_in_a_gap(&self) {
        self.source.hide_changes();
        (0..MANY).step_by(2).for_each(|number| self.source.delete(&name(number)));
        (0..MANY + 2000).step_by(3).for_each(|number| self.source.put(&name(number)));
        self.source.expire();
    }
}

#[tokio::test(start_paused = true)]
async fn a_long_list_is_processed_in_small_steps_but_readers_see_all_of_it_or_nothing() {
    let counted = counted();
    let notes = note(&counted.informer, HandlerOptions::new());
    let seen: Arc<Mutex<Vec<usize>>> = Arc::default();
    let (sees, reader) = (seen.clone(), counted.informer.reader());
    let running = counted.run(move || sees.lock().unwrap().push(reader.list().len()));
    counted.informer.synced().await.unwrap();
    counted.change_in_a_gap();
    sleep(Duration::from_secs(130)).await; // longer than any back-off
    let on_the_server = counted.on_the_server();
    assert_eq!(counted.informer.reader().list().len(), on_the_server.len());
    assert_eq!(fold(&notes), on_the_server);
    assert_eq!(counted.most.load(Ordering::Relaxed), AT_ONCE);
    let mut sizes = seen.lock().unwrap().clone();
    sizes.dedup();
    assert_eq!(sizes, [0, MANY, on_the_server.len()]);
    counted.stop.cancel();
    running.await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_handler_that_is_added_during_a_long_list_receives_each_object_once() {
    let counted = counted();
    let late: Arc<Mutex<Vec<Notes>>> = Arc::default();
    let (joins, informer) = (late.clone(), counted.informer.clone());
    let mut polls = 0;
    let running = counted.run(move || {
        polls += 1;
        if polls < 60 && !informer.is_stopped() {
            joins.lock().unwrap().push(note(&informer, HandlerOptions::new()));
        }
    });
    counted.informer.synced().await.unwrap();
    counted.change_in_a_gap();
    sleep(Duration::from_secs(130)).await; // longer than any back-off
    let on_the_server = counted.on_the_server();
    let late = std::mem::take(&mut *late.lock().unwrap());
    assert!(late.len() > 20, "{} joined", late.len());
    late.iter().for_each(|notes| assert_eq!(fold(notes), on_the_server));
    counted.stop.cancel();
    running.await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_resync_of_many_objects_delivers_each_object_once() {
    let counted = counted();
    let notes = note(&counted.informer, HandlerOptions::new().resync(Duration::from_secs(60)));
    let running = counted.run(|| {});
    counted.informer.synced().await.unwrap();
    sleep(Duration::from_secs(59)).await;
    notes.lock().unwrap().clear();
    sleep(Duration::from_secs(2)).await;
    let unchanged = |notification: &Notification<Pod>| notification.is_unchanged();
    {
        let notes = notes.lock().unwrap();
        assert_eq!((notes.len(), notes.iter().all(unchanged)), (MANY, true));
    }
    counted.stop.cancel();
    running.await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_long_list_that_is_being_processed_is_finished_before_the_informer_ends() {
    let counted = counted();
    let notes = note(&counted.informer, HandlerOptions::new());
    let (stop, looked_at) = (counted.stop.clone(), counted.looked_at.clone());
    let running = counted.run(move || {
        if looked_at.load(Ordering::Relaxed) > 0 {
            stop.cancel(); // in the middle of the list
        }
    });
    running.await.unwrap();
    assert_eq!(fold(&notes), counted.on_the_server());
}
