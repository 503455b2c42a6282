//! Tests of the notifications that a shared informer delivers to its handlers.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use k8s_openapi::api::core::v1::Pod;
use kube_informers::cache::{
    AsyncEventHandler, Buffer, Deletion, EventHandler, HandlerOptions, InformerStopped, InitialList, NAMESPACE_INDEX,
    Notification, QueueKind, ReflectorOptions, ResyncTrigger, RunError, SharedIndexInformer, meta_namespace_index,
};
use tokio::task::JoinHandle;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use crate::source::{Source, identity, status};

/// A handler that notes its notifications as text. Clones share the notes.
#[derive(Clone, Default)]
pub struct Recorder(Arc<Mutex<Vec<String>>>);

impl Recorder {
    pub fn take(&self) -> Vec<String> {
        std::mem::take(&mut self.0.lock().unwrap())
    }

    fn note(&self, text: String) {
        self.0.lock().unwrap().push(text);
    }
}

impl EventHandler<Pod> for Recorder {
    fn on_add(&mut self, pod: Arc<Pod>, initial: InitialList) {
        let initial = if initial == InitialList::Yes { " initial" } else { "" };
        self.note(format!("add {} {}{initial}", identity(&pod).0, identity(&pod).1));
    }

    fn on_update(&mut self, old: Arc<Pod>, new: Arc<Pod>) {
        self.note(format!("update {} {}->{}", identity(&new).0, identity(&old).1, identity(&new).1));
    }

    fn on_delete(&mut self, deletion: Deletion<Pod>) {
        let kind = if deletion.is_tombstone() { "tombstone" } else { "delete" };
        let (name, version) = identity(deletion.object().unwrap());
        self.note(format!("{kind} {name} {version}"));
    }
}

/// A handler that takes a second for each notification.
pub struct Slow(pub Recorder);

impl AsyncEventHandler<Pod> for Slow {
    async fn handle(&mut self, notification: Notification<Pod>) {
        sleep(Duration::from_secs(1)).await;
        notification.deliver(&mut self.0);
    }
}

pub struct Running {
    informer: SharedIndexInformer<Pod>,
    stop: CancellationToken,
    task: JoinHandle<Result<(), RunError>>,
}

pub fn run(informer: &SharedIndexInformer<Pod>) -> Running {
    let stop = CancellationToken::new();
    let task = tokio::spawn({
        let (informer, stop) = (informer.clone(), stop.clone());
        async move { informer.run(stop).await }
    });
    Running { informer: informer.clone(), stop, task }
}

impl Running {
    pub async fn stop(self) {
        self.stop.cancel();
        self.task.await.unwrap().unwrap();
        assert!(self.informer.is_stopped());
    }
}

/// Waits longer than any back-off, so that every effect of the last step has happened.
pub async fn rest() {
    sleep(Duration::from_secs(130)).await;
}

#[tokio::test(start_paused = true)]
async fn every_handler_receives_every_change_in_order() {
    let source = Source::default();
    source.put("a");
    let informer = SharedIndexInformer::new(source.clone());
    let (one, two) = (Recorder::default(), Recorder::default());
    informer.add_event_handler(one.clone()).unwrap();
    informer.add_event_handler(two.clone()).unwrap();
    let running = run(&informer);
    rest().await;
    source.put("b");
    source.put("a");
    rest().await;
    source.delete("b");
    rest().await;
    let expected = ["add a 1 initial", "add b 2", "update a 1->3", "delete b 4"];
    assert_eq!(one.take(), expected);
    assert_eq!(two.take(), expected);
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_deletion_missed_by_the_watch_arrives_as_a_tombstone() {
    let source = Source::default();
    source.put("lost");
    source.put("same");
    let informer = SharedIndexInformer::new(source.clone());
    let recorder = Recorder::default();
    informer.add_event_handler(recorder.clone()).unwrap();
    let running = run(&informer);
    rest().await;
    recorder.take();
    source.hide_changes();
    source.delete("lost");
    source.put("new");
    source.expire();
    rest().await;
    assert_eq!(recorder.take(), ["tombstone lost 1", "add new 4", "update same 2->2"]);
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_late_handler_first_receives_an_add_for_each_object_in_the_store() {
    let source = Source::default();
    source.put("a");
    source.put("b");
    let informer = SharedIndexInformer::new(source.clone());
    let running = run(&informer);
    rest().await;
    let late = Recorder::default();
    let registration = informer.add_event_handler(late.clone()).unwrap();
    assert!(!registration.has_synced(), "the handler has not run yet");
    source.put("c");
    rest().await;
    assert!(registration.has_synced());
    assert_eq!(late.take(), ["add a 1 initial", "add b 2 initial", "add c 3"]);
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn the_informer_has_synced_before_a_slow_handler_has() {
    let source = Source::default();
    source.put("a");
    source.put("b");
    let informer = SharedIndexInformer::new(source.clone());
    let slow = informer.add_event_handler(Slow(Recorder::default())).unwrap();
    let fast = informer.add_event_handler(Recorder::default()).unwrap();
    let running = run(&informer);
    sleep(Duration::from_millis(1)).await;
    assert_eq!((informer.has_synced(), fast.has_synced(), slow.has_synced()), (true, true, false));
    assert_eq!(slow.listener().pending(), 1, "the handler processes one and one waits");
    sleep(Duration::from_secs(2)).await;
    assert!(slow.has_synced());
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn buffered_notifications_are_delivered_before_the_informer_stops() {
    let source = Source::default();
    let informer = SharedIndexInformer::new(source.clone());
    let recorder = Recorder::default();
    informer.add_event_handler(Slow(recorder.clone())).unwrap();
    let running = run(&informer);
    rest().await;
    for name in ["a", "b", "c"] {
        source.put(name);
    }
    sleep(Duration::from_millis(1)).await;
    running.stop().await;
    assert_eq!(recorder.take(), ["add a 1", "add b 2", "add c 3"]);
}

struct Panicking;

impl EventHandler<Pod> for Panicking {
    fn on_add(&mut self, _: Arc<Pod>, _: InitialList) {
        panic!("panics on purpose");
    }
}

#[tokio::test(start_paused = true)]
async fn a_handler_that_panics_ends_the_run_after_the_others_have_finished() {
    let source = Source::default();
    let informer = SharedIndexInformer::new(source.clone());
    let recorder = Recorder::default();
    let panicking = informer.add_event_handler(Panicking).unwrap();
    informer.add_event_handler(Slow(recorder.clone())).unwrap();
    let running = run(&informer);
    rest().await;
    source.put("a");
    let Err(RunError::HandlerPanicked(panic)) = running.task.await.unwrap() else {
        panic!("expected the panic of the handler")
    };
    assert_eq!(panic.message(), "panics on purpose");
    assert_eq!(recorder.take(), ["add a 1"]);
    assert_eq!(panicking.pending(), 0, "no notifications are kept for a handler that has ended");
    assert!(informer.is_stopped());
}

#[tokio::test(start_paused = true)]
async fn dropping_a_run_stops_the_informer_and_ends_its_handlers() {
    let source = Source::default();
    source.put("a");
    let informer = SharedIndexInformer::new(source.clone());
    let recorder = Recorder::default();
    let registration = informer.add_event_handler(Slow(recorder.clone())).unwrap();
    let running = run(&informer);
    sleep(Duration::from_millis(500)).await;
    running.task.abort();
    assert!(running.task.await.unwrap_err().is_cancelled());
    registration.ended().await.unwrap();
    rest().await;
    assert!(recorder.take().is_empty());
    assert!(informer.is_stopped());
}

#[tokio::test(start_paused = true)]
async fn shutting_a_handler_down_waits_for_its_current_callback() {
    let source = Source::default();
    let informer = SharedIndexInformer::new(source.clone());
    let (slow, never_ran) = (Recorder::default(), Recorder::default());
    let unstarted = informer.add_event_handler(never_ran).unwrap();
    informer.shut_down_event_handler(&unstarted).await;
    let registration = informer.add_event_handler(Slow(slow.clone())).unwrap();
    let running = run(&informer);
    rest().await;
    source.put("a");
    source.put("b");
    sleep(Duration::from_millis(500)).await;
    informer.shut_down_event_handler(&registration).await;
    assert_eq!(slow.take(), ["add a 1"]);
    rest().await;
    assert!(slow.take().is_empty());
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_coalesced_buffer_does_not_grow_with_the_number_of_changes() {
    let source = Source::default();
    source.put("a");
    let informer = SharedIndexInformer::new(source.clone());
    let recorder = Recorder::default();
    let coalesced = HandlerOptions::new().buffer(Buffer::Coalesced);
    let slow = informer.add_event_handler_with(Slow(recorder.clone()), coalesced).unwrap();
    let unbounded = informer.add_event_handler(Slow(Recorder::default())).unwrap();
    let running = run(&informer);
    sleep(Duration::from_millis(500)).await; // the handler is busy with a
    for _ in 0..100 {
        source.put("a");
        source.put("b");
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    source.put("gone");
    source.delete("gone");
    sleep(Duration::from_millis(1)).await;
    assert_eq!((slow.pending(), unbounded.pending()), (2, 202));
    rest().await;
    assert_eq!(recorder.take(), ["add a 1 initial", "update a 1->200", "add b 201"]);
    assert!(slow.has_synced());
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_removed_handler_receives_no_more_notifications() {
    let source = Source::default();
    let informer = SharedIndexInformer::new(source.clone());
    let (removed, kept) = (Recorder::default(), Recorder::default());
    let registration = informer.add_event_handler(removed.clone()).unwrap();
    informer.add_event_handler(kept.clone()).unwrap();
    let running = run(&informer);
    rest().await;
    source.put("a");
    rest().await;
    informer.remove_event_handler(&registration);
    informer.remove_event_handler(&registration);
    source.put("b");
    rest().await;
    assert_eq!(removed.take(), ["add a 1"]);
    assert_eq!(kept.take(), ["add a 1", "add b 2"]);
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_stopped_informer_refuses_handlers_and_does_not_run_again() {
    let source = Source::default();
    let informer = SharedIndexInformer::new(source.clone());
    run(&informer).stop().await;
    assert_eq!(informer.add_event_handler(Recorder::default()).err(), Some(InformerStopped));
    source.requests();
    assert!(matches!(informer.run(CancellationToken::new()).await, Err(RunError::AlreadyRan)));
    assert!(source.requests().is_empty());
}

#[tokio::test(start_paused = true)]
async fn an_informer_that_is_stopped_before_its_first_list_never_syncs() {
    let source = Source::default();
    source.fail_watch(status("Forbidden", 403));
    source.fail_list(status("Forbidden", 403));
    let informer = SharedIndexInformer::new(source.clone());
    let registration = informer.add_event_handler(Recorder::default()).unwrap();
    let running = run(&informer);
    tokio::task::yield_now().await;
    running.stop().await;
    assert!(!informer.has_synced() && !registration.has_synced());
}

#[tokio::test(start_paused = true)]
async fn a_resync_reaches_only_the_handlers_whose_period_is_over() {
    let source = Source::default();
    source.put("a");
    let informer = SharedIndexInformer::builder(source.clone()).resync(Duration::from_secs(1)).build();
    let add = |seconds| {
        let recorder = Recorder::default();
        let options = HandlerOptions::new().resync(Duration::from_secs(seconds));
        informer.add_event_handler_with(recorder.clone(), options).unwrap();
        recorder
    };
    let (never, two, three) = (add(0), add(2), add(3));
    let running = run(&informer);
    sleep(Duration::from_millis(500)).await;
    [&never, &two, &three].iter().for_each(|recorder| drop(recorder.take()));
    sleep(Duration::from_secs(2)).await;
    assert_eq!((never.take().len(), two.take().len(), three.take().len()), (0, 1, 0));
    sleep(Duration::from_secs(1)).await;
    assert_eq!((never.take().len(), two.take().len(), three.take().len()), (0, 0, 1));
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_resync_trigger_sends_each_handler_one_update_per_object() {
    for queue in [QueueKind::DeltaFifo, QueueKind::default()] {
        let source = Source::default();
        source.put("a");
        let trigger = ResyncTrigger::new();
        let options = ReflectorOptions::new().resync_trigger(&trigger);
        let informer = SharedIndexInformer::builder(source.clone()).queue(queue).reflector(options).build();
        let [never, two] = [0, 2].map(|seconds| {
            let recorder = Recorder::default();
            let options = HandlerOptions::new().resync(Duration::from_secs(seconds));
            informer.add_event_handler_with(recorder.clone(), options).unwrap();
            recorder
        });
        let running = run(&informer);
        sleep(Duration::from_millis(2500)).await; // one periodic resync is over
        [&never, &two].iter().for_each(|recorder| drop(recorder.take()));
        assert_eq!(trigger.fire(), 1);
        sleep(Duration::from_millis(1)).await;
        assert_eq!([never.take(), two.take()].map(|notes| notes.join(", ")), ["update a 1->1"; 2]);
        sleep(Duration::from_secs(2)).await;
        assert_eq!((never.take().len(), two.take().len()), (0, 1), "the periodic resync is not shifted");
        running.stop().await;
    }
}

#[tokio::test(start_paused = true)]
async fn the_shortest_resync_period_of_the_handlers_sets_how_often_an_informer_checks() {
    let source = Source::default();
    source.put("a");
    let informer = SharedIndexInformer::builder(source.clone()).resync(Duration::from_secs(12 * 3600)).build();
    let add = |seconds| {
        let recorder = Recorder::default();
        let options = HandlerOptions::new().resync(Duration::from_secs(seconds));
        informer.add_event_handler_with(recorder.clone(), options).unwrap();
        recorder
    };
    let before = [0, 60, 55, 5].map(add);
    let running = run(&informer);
    sleep(Duration::from_millis(500)).await;
    let late = add(1); // a running informer does not check more often for a new handler
    sleep(Duration::from_millis(1)).await;
    before.iter().chain([&late]).for_each(|recorder| drop(recorder.take()));
    sleep(Duration::from_secs(120)).await;
    assert_eq!(before.map(|recorder| recorder.take().len()), [0, 2, 2, 24]);
    assert!((23..=24).contains(&late.take().len()), "as often as the informer checks");
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn an_index_that_is_added_late_contains_the_stored_objects() {
    let source = Source::default();
    source.put("a");
    let informer = SharedIndexInformer::new(source.clone());
    let running = run(&informer);
    rest().await;
    let by_namespace = informer.index(NAMESPACE_INDEX, meta_namespace_index).unwrap();
    assert_eq!(by_namespace.keys("default"), ["default/a"]);
    running.stop().await;
}
