//! Tests of the end of an informer, which also ends the waits for the informer; and of subscriptions and handler
//! options.

use std::future::{IntoFuture, pending, ready};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures::future::{BoxFuture, FutureExt};
use futures::{StreamExt, poll};
use k8s_openapi::api::core::v1::Pod;
use kube_informers::cache::{
    AsyncEventHandler, Closed, DeltaFifo, Done, EventHandler, FilteringHandler, HandlerOptions, InformerStopped, Never,
    Notification, RealFifo, ReflectorStore, Registration, RunError, SharedIndexInformer, Subscription,
    meta_namespace_key, wait_for,
};
use tokio::sync::Notify;
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;

use crate::source::{Source, identity, status};

const SECOND: Duration = Duration::from_secs(1);

type Notes = Arc<Mutex<Vec<String>>>;

/// Returns a handler that notes the kind and the key of each notification, and its notes.
fn recorder() -> (Notes, impl AsyncEventHandler<Pod>) {
    let notes = Notes::default();
    let sink = notes.clone();
    (notes, move |change: Notification<Pod>| {
        sink.lock().unwrap().push(format!("{} {}", change.kind(), change.key()));
        ready(())
    })
}

fn take(notes: &Notes) -> Vec<String> {
    std::mem::take(&mut notes.lock().unwrap())
}

struct Running {
    stop: CancellationToken,
    task: JoinHandle<Result<(), RunError>>,
}

fn run(informer: &SharedIndexInformer<Pod>) -> Running {
    let stop = CancellationToken::new();
    Running { task: tokio::spawn(informer.clone().run(stop.clone())), stop }
}

impl Running {
    async fn stop(self) {
        self.stop.cancel();
        self.task.await.unwrap().unwrap();
    }
}

fn panic_of(outcome: Result<(), RunError>) -> String {
    match outcome {
        Err(RunError::HandlerPanicked(panic)) => panic.message().to_owned(),
        other => panic!("expected the panic of a handler, not {other:?}"),
    }
}

#[tokio::test(start_paused = true)]
async fn a_handler_that_panics_while_it_is_being_removed_ends_the_run_with_its_panic() {
    let source = Source::default();
    let informer = SharedIndexInformer::new(source.clone());
    let (entered, go_on) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let (enters, goes_on) = (entered.clone(), go_on.clone());
    let removed = informer
        .add_event_handler(move |_: Notification<Pod>| {
            let (enters, goes_on) = (enters.clone(), goes_on.clone());
            async move {
                enters.notify_one();
                goes_on.notified().await;
                panic!("too late");
            }
        })
        .unwrap();
    let (notes, other) = recorder();
    informer.add_event_handler(other).unwrap();
    let running = run(&informer);
    sleep(SECOND).await;
    source.put("a");
    entered.notified().await;
    informer.remove_event_handler(&removed);
    go_on.notify_one();
    let outcome = timeout(SECOND, running.task).await.expect("the run ends").unwrap();
    assert_eq!(panic_of(outcome), "too late");
    assert_eq!(take(&notes), ["add default/a"]);
    assert!(informer.is_stopped());
    assert_eq!(informer.add_event_handler(recorder().1).err(), Some(InformerStopped));
}

#[tokio::test(start_paused = true)]
async fn shutting_down_a_handler_returns_if_the_run_was_dropped_before_the_handler_started() {
    let informer = SharedIndexInformer::new(Source::default());
    let registration = informer.add_event_handler(recorder().1).unwrap();
    let mut run = Box::pin(informer.clone().run(CancellationToken::new()));
    assert!(poll!(&mut run).is_pending());
    drop(run);
    timeout(SECOND, informer.shut_down_event_handler(&registration))
        .await
        .expect("the handler has ended, because it is never called");
}

/// A handler that calls its informer when it is dropped, which deadlocks if the informer drops it under a lock.
struct AsksWhenDropped(SharedIndexInformer<Pod>);

impl EventHandler<Pod> for AsksWhenDropped {}

impl Drop for AsksWhenDropped {
    fn drop(&mut self) {
        assert!(self.0.is_stopped());
        assert_eq!(self.0.subscribe(HandlerOptions::new()).err(), Some(InformerStopped));
    }
}

#[tokio::test(start_paused = true)]
async fn a_refused_handler_is_dropped_outside_the_informers_lock() {
    let informer = SharedIndexInformer::new(Source::default());
    run(&informer).stop().await;
    assert_eq!(informer.add_event_handler(AsksWhenDropped(informer.clone())).err(), Some(InformerStopped));
}

#[tokio::test(start_paused = true)]
async fn handlers_that_take_too_long_are_ended_at_the_drain_limit() {
    let source = Source::default();
    source.put("a");
    let informer = SharedIndexInformer::builder(source.clone()).drain_limit(5 * SECOND).build();
    let endless = informer.add_event_handler(|_: Notification<Pod>| pending()).unwrap();
    let (notes, slow) = recorder();
    let mut slow = slow;
    informer
        .add_event_handler(move |change: Notification<Pod>| {
            let handled = slow.handle(change).now_or_never(); // notes the change at once, and then takes a second
            async move {
                sleep(SECOND).await;
                handled.unwrap();
            }
        })
        .unwrap();
    let running = run(&informer);
    sleep(SECOND / 2).await;
    source.put("b");
    sleep(SECOND / 10).await;
    let stopped = tokio::time::Instant::now();
    running.stop().await;
    assert_eq!(stopped.elapsed(), 5 * SECOND);
    assert_eq!(take(&notes), ["add default/a", "add default/b"], "the quicker handler has finished");
    timeout(SECOND, endless.ended()).await.expect("the endless handler was ended").unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_subscription_delivers_the_changes_as_a_stream() {
    let source = Source::default();
    source.put("a");
    let informer = SharedIndexInformer::new(source.clone());
    let mut changes = informer.subscribe(HandlerOptions::new()).unwrap();
    let running = run(&informer);
    sleep(SECOND).await;
    assert_eq!((changes.pending(), changes.synced().is_done()), (1, false), "no change was taken yet");
    assert!(changes.next().await.unwrap().is_initial());
    assert!(!changes.synced().is_done(), "the consumer may still be processing the change");
    assert!(timeout(SECOND, changes.next()).await.is_err());
    assert!(changes.synced().is_done());
    source.put("a");
    source.delete("a");
    sleep(SECOND).await;
    running.stop().await;
    let kinds: Vec<_> = changes.by_ref().map(|change| change.kind()).collect().await;
    assert_eq!(kinds, ["update", "delete"], "buffered changes come before the end");
}

#[tokio::test(start_paused = true)]
async fn a_late_subscription_begins_with_the_store_and_dropping_it_unsubscribes() {
    let source = Source::default();
    source.put("a");
    let informer = SharedIndexInformer::new(source.clone());
    let running = run(&informer);
    sleep(SECOND).await;
    let mut late = informer.subscribe(HandlerOptions::new()).unwrap();
    source.put("b");
    let first: Vec<_> = late.by_ref().take(2).map(|change| (change.key(), change.is_initial())).collect().await;
    assert_eq!(first, [("default/a".to_owned(), true), ("default/b".to_owned(), false)]);
    let synced = late.synced();
    drop(late);
    assert!(synced.is_never() || synced.is_done());
    assert!(format!("{informer:?}").contains("listeners: 0"), "{informer:?}");
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn an_async_handler_can_be_filtered() {
    let source = Source::default();
    let informer = SharedIndexInformer::new(source.clone());
    let (notes, handler) = recorder();
    let wanted = |pod: &Pod| identity(pod).0 == "wanted";
    informer.add_event_handler(FilteringHandler::new(wanted, handler)).unwrap();
    let running = run(&informer);
    sleep(SECOND).await;
    source.put("wanted");
    source.put("other");
    sleep(SECOND).await;
    running.stop().await;
    assert_eq!(take(&notes), ["add default/wanted"]);
}

#[tokio::test(start_paused = true)]
async fn a_handler_can_have_a_resync_though_its_informer_has_none() {
    let source = Source::default();
    source.put("a");
    let informer = SharedIndexInformer::new(source.clone());
    let (notes, handler) = recorder();
    informer.add_event_handler_with(handler, HandlerOptions::new().resync(10 * SECOND)).unwrap();
    let (others, other) = recorder();
    informer.add_event_handler(other).unwrap();
    let running = run(&informer);
    sleep(35 * SECOND).await;
    assert_eq!(take(&notes), ["add default/a", "update default/a", "update default/a", "update default/a"]);
    assert_eq!(take(&others), ["add default/a"]);
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn an_update_of_objects_without_a_resource_version_is_a_change() {
    let object = || Arc::new(Pod::default());
    assert!(!Notification::Update { old: object(), new: object() }.is_unchanged());
}

#[tokio::test(start_paused = true)]
async fn a_list_of_many_objects_lets_other_tasks_run_and_a_late_handler_join() {
    let source = Source::default();
    (0..5000).for_each(|number| source.put(&format!("{number:04}")));
    let informer = SharedIndexInformer::new(source.clone());
    let (notes, handler) = recorder();
    let first = informer.add_event_handler(handler).unwrap();
    let running = run(&informer);
    while informer.reader().list().is_empty() {
        tokio::task::yield_now().await;
    }
    assert!(!informer.has_synced(), "the list is stored but not yet distributed");
    let (late_notes, late) = recorder();
    let late = informer.add_event_handler(late).unwrap();
    source.put("new");
    first.synced().await.unwrap();
    late.synced().await.unwrap();
    sleep(SECOND).await;
    let mut expected: Vec<_> = (0..5000).map(|number| format!("add default/{number:04}")).collect();
    expected.push("add default/new".into());
    assert_eq!(take(&notes), expected);
    assert_eq!(take(&late_notes), expected, "each object once, although the handler was added in the middle");
    running.stop().await;
}

/// The ways in which an informer or its handler can end while others wait for it.
#[derive(Clone, Copy, Debug)]
enum Ending {
    NeverRunAndDropped,
    RunDropped,
    RunDroppedBeforeItsTasks,
    StoppedBeforeSync,
    HandlerPanicked,
    HandlerRemoved,
    HandlerRemovedAndStopped,
}

const ENDINGS: [Ending; 7] = [
    Ending::NeverRunAndDropped,
    Ending::RunDropped,
    Ending::RunDroppedBeforeItsTasks,
    Ending::StoppedBeforeSync,
    Ending::HandlerPanicked,
    Ending::HandlerRemoved,
    Ending::HandlerRemovedAndStopped,
];

/// Returns a future for each way to wait for an informer, with its name.
fn waits(
    informer: &SharedIndexInformer<Pod>,
    handler: &Registration<Pod>,
    mut subscription: Subscription<Pod>,
) -> Vec<(&'static str, BoxFuture<'static, ()>)> {
    let synced = [informer.synced(), handler.synced(), subscription.synced()];
    let ended = handler.ended();
    let wait = |done: Done| done.into_future().map(|_| ()).boxed();
    let mut waits: Vec<_> = synced.clone().into_iter().map(|synced| ("synced", wait(synced))).collect();
    waits.push(("wait_for", async move { _ = wait_for(&CancellationToken::new(), &synced).await }.boxed()));
    waits.push(("ended", wait(ended)));
    waits.push(("subscription", async move { while subscription.next().await.is_some() {} }.boxed()));
    waits
}

#[tokio::test(start_paused = true)]
async fn every_wait_ends_when_the_informer_ends() {
    for ending in ENDINGS {
        // With this source an informer never syncs, so the waits end only with the informer.
        let source = Source::default();
        (0..1000).for_each(|_| source.fail_list(status("Forbidden", 403)));
        (0..1000).for_each(|_| source.fail_watch(status("Forbidden", 403)));
        let good = Source::default();
        good.put("a");
        let panics = matches!(ending, Ending::HandlerPanicked);
        let informer = SharedIndexInformer::new(if panics { good } else { source });
        let handler = informer
            .add_event_handler(move |_: Notification<Pod>| {
                assert!(!panics, "panics on purpose");
                ready(())
            })
            .unwrap();
        let subscription = informer.subscribe(HandlerOptions::new()).unwrap();
        let mut waits = waits(&informer, &handler, subscription);
        if matches!(ending, Ending::HandlerRemoved) {
            // After the removal of a handler the informer goes on, so only the waits for that handler end.
            let (synced, ended) = (handler.synced(), handler.ended());
            waits.clear();
            waits.push(("synced", async move { assert_eq!(synced.await, Err(Never)) }.boxed()));
            waits.push(("ended", ended.into_future().map(|_| ()).boxed()));
        }
        let waiting: Vec<_> = waits.into_iter().map(|(name, wait)| (name, tokio::spawn(wait))).collect();
        tokio::task::yield_now().await;
        let stop = CancellationToken::new();
        match ending {
            Ending::NeverRunAndDropped => drop(informer),
            Ending::RunDropped => drop(timeout(SECOND, informer.run(stop)).await),
            Ending::RunDroppedBeforeItsTasks => {
                let mut run = Box::pin(informer.run(stop));
                assert!(poll!(&mut run).is_pending());
            }
            Ending::StoppedBeforeSync => {
                let running = run(&informer);
                sleep(SECOND).await;
                running.stop().await;
            }
            Ending::HandlerPanicked => {
                assert_eq!(panic_of(informer.clone().run(stop).await), "panics on purpose");
            }
            Ending::HandlerRemoved => informer.remove_event_handler(&handler),
            Ending::HandlerRemovedAndStopped => {
                let running = run(&informer);
                sleep(SECOND).await;
                informer.shut_down_event_handler(&handler).await;
                running.stop().await;
            }
        }
        for (name, waiting) in waiting {
            timeout(3600 * SECOND, waiting).await.unwrap_or_else(|_| panic!("{name} hangs after {ending:?}")).unwrap();
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_queue_that_is_closed_before_the_first_list_is_never_synced() {
    let queue = DeltaFifo::new(meta_namespace_key::<Pod>);
    let synced = queue.synced();
    queue.close();
    assert_eq!(queue.pop(|_, _| ()).await, Err(Closed));
    assert_eq!(timeout(SECOND, synced.wait()).await, Ok(Err(Never)));

    let queue = RealFifo::atomic(meta_namespace_key::<Pod>);
    let synced = queue.synced();
    let (popped, ()) = tokio::join!(queue.pop(|_, _| ()), async { queue.close() });
    assert_eq!(popped, Err(Closed));
    assert_eq!(timeout(SECOND, synced.wait()).await, Ok(Err(Never)));
}

#[tokio::test(start_paused = true)]
async fn a_queue_that_is_closed_after_an_empty_list_stays_synced() {
    let queue = DeltaFifo::new(meta_namespace_key::<Pod>);
    ReflectorStore::replace(&queue, Vec::new(), "1").unwrap();
    queue.close();
    assert_eq!(queue.pop(|_, _| ()).await, Err(Closed));
    assert_eq!(timeout(SECOND, queue.synced().wait()).await, Ok(Ok(())));
}
