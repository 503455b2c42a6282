//! Tests of handlers: removing them, adding them after the stop, and handlers that panic or never return.

use std::future::{pending, ready};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use futures::poll;
use k8s_openapi::api::core::v1::Pod;
use kube_informers::cache::{InformerStopped, Notification, RunError, SharedIndexInformer};
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;
use tracing::Level;

use crate::logged::Logged;
use crate::source::Source;

const SECOND: Duration = Duration::from_secs(1);

/// client-go's `TestSharedInformerRemoveForeignHandler`.
#[tokio::test(start_paused = true)]
async fn the_registration_of_another_informer_is_ignored() {
    let source = Source::default();
    let (ours, others) = (SharedIndexInformer::new(source.clone()), SharedIndexInformer::<Pod>::new(Source::default()));
    let calls = Arc::new(AtomicUsize::new(0));
    let counter = calls.clone();
    let count = move |_: Notification<Pod>| {
        counter.fetch_add(1, Ordering::Relaxed);
        ready(())
    };
    let registration = ours.add_event_handler(count).unwrap();
    let stop = CancellationToken::new();
    let running = tokio::spawn(ours.clone().run(stop.clone()));
    sleep(SECOND).await;
    others.remove_event_handler(&registration);
    source.put("a");
    sleep(SECOND).await;
    assert_eq!(calls.load(Ordering::Relaxed), 1, "another informer does not remove the handler");
    ours.remove_event_handler(&registration.clone());
    source.put("b");
    sleep(SECOND).await;
    assert_eq!(calls.load(Ordering::Relaxed), 1);
    stop.cancel();
    running.await.unwrap().unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_handler_can_be_removed_while_the_informer_waits_for_it() {
    let source = Source::default();
    source.put("a");
    source.put("b");
    let informer = SharedIndexInformer::new(source);
    let calls = Arc::new(AtomicUsize::new(0));
    let counter = calls.clone();
    let slow = move |_: Notification<Pod>| {
        counter.fetch_add(1, Ordering::Relaxed);
        sleep(SECOND)
    };
    let registration = informer.add_event_handler(slow).unwrap();
    let stop = CancellationToken::new();
    let running = tokio::spawn(informer.clone().run(stop.clone()));
    sleep(SECOND / 10).await;
    stop.cancel();
    sleep(SECOND / 10).await;
    assert!(informer.is_stopped());
    informer.remove_event_handler(&registration);
    running.await.unwrap().unwrap();
    assert_eq!(calls.load(Ordering::Relaxed), 1, "the queued notification is dropped");
}

#[tokio::test(start_paused = true)]
async fn a_panic_is_logged_at_once_and_returned_even_if_another_handler_never_ends() {
    let logged = Logged::start();
    let source = Source::default();
    let informer = SharedIndexInformer::new(source.clone());
    let endless = informer.add_event_handler(|_: Notification<Pod>| pending()).unwrap();
    let panics = |_: Notification<Pod>| async { panic!("panics on purpose") };
    informer.add_event_handler(panics).unwrap();
    let running = tokio::spawn(informer.clone().run(CancellationToken::new()));
    sleep(SECOND).await;
    source.put("a");
    let panicked = Instant::now();
    sleep(SECOND / 10).await;
    let errors = logged.with(Level::ERROR);
    assert!(errors.iter().any(|line| line.contains("panics on purpose")), "{errors:?}");
    assert!(informer.is_stopped(), "the informer stops before it waits for handlers");
    source.put("b");
    sleep(SECOND / 10).await;
    assert!(informer.reader().get("default/b").is_none());
    assert!(!running.is_finished(), "the run waits for the other handler");
    let Err(RunError::HandlerPanicked(panic)) = running.await.unwrap() else {
        panic!("expected the panic of the handler")
    };
    assert_eq!(panic.message(), "panics on purpose");
    assert_eq!(panicked.elapsed().as_secs(), 10);
    endless.ended().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn an_informer_that_has_stopped_refuses_handlers_from_that_moment_on() {
    // The order in which the parts of the run are polled changes from poll to poll, so several orders are tried.
    for polls in 1..5 {
        let source = Source::default();
        source.put("a");
        let informer = SharedIndexInformer::new(source);
        let stop = CancellationToken::new();
        let mut run = Box::pin(informer.clone().run(stop.clone()));
        while !informer.has_synced() {
            assert!(poll!(&mut run).is_pending());
            tokio::task::yield_now().await;
        }
        for _ in 0..polls {
            assert!(poll!(&mut run).is_pending());
        }
        stop.cancel();
        while !informer.is_stopped() {
            _ = poll!(&mut run);
        }
        let late = informer.add_event_handler(|_: Notification<Pod>| ready(()));
        assert_eq!(late.err(), Some(InformerStopped), "after {polls} polls");
    }
}
