//! Tests of the events that a work queue reports to its observer.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures::FutureExt;
use kube_informers::workqueue::{Exponential, WorkEvent, WorkQueue};

const MS: Duration = Duration::from_millis(1);

type Events = Arc<Mutex<Vec<String>>>;

/// Returns a queue, and a function that takes the events that the queue has reported since the last call.
fn observed() -> (WorkQueue<&'static str>, impl Fn() -> Vec<String>) {
    let events = Events::default();
    let sink = events.clone();
    let observe = move |event: WorkEvent<'_, &str>| sink.lock().unwrap().push(shown(&event));
    let queue = WorkQueue::builder().limiter(Exponential::new(MS, 1000 * MS)).observer(observe).build();
    (queue, move || std::mem::take(&mut *events.lock().unwrap()))
}

fn shown(event: &WorkEvent<'_, &str>) -> String {
    match event {
        WorkEvent::Added { key, effect } => format!("add {key}: {effect:?}"),
        WorkEvent::Due { key, effect } => format!("due {key}: {effect:?}"),
        WorkEvent::Taken { key } => format!("take {key}"),
        WorkEvent::Done { key, again } => format!("done {key}{}", if *again { " again" } else { "" }),
        WorkEvent::Delayed { key, delay } => format!("delay {key} {delay:?}"),
        WorkEvent::RateLimited { key, delay } => format!("rate limit {key} {delay:?}"),
        other => format!("{other:?}"),
    }
}

#[tokio::test(start_paused = true)]
async fn each_add_is_reported_with_its_effect() {
    let (queue, events) = observed();
    queue.add("a");
    queue.add("a");
    let a = queue.get().await;
    queue.add("a");
    queue.add("a");
    drop(a);
    drop(queue.get().await);
    assert_eq!(
        events(),
        [
            "add a: Queued",
            "add a: Nothing",
            "take a",
            "add a: WhenDone",
            "add a: Nothing",
            "done a again",
            "take a",
            "done a"
        ]
    );
}

#[tokio::test(start_paused = true)]
async fn a_retried_key_is_rate_limited_and_queued_when_its_delay_is_over() {
    let (queue, events) = observed();
    queue.add("a");
    queue.get().await.unwrap().retry();
    assert_eq!(events(), ["add a: Queued", "take a", "rate limit a 1ms", "done a"]);
    queue.get().await.unwrap().retry();
    assert_eq!(events(), ["due a: Queued", "take a", "rate limit a 2ms", "done a"]);
    queue.add_after("b", MS);
    queue.add_after("c", Duration::ZERO);
    assert_eq!(events(), ["delay b 1ms", "add c: Queued"]);
}

#[tokio::test(start_paused = true)]
async fn a_queue_that_is_shut_down_reports_no_adds() {
    let (queue, events) = observed();
    queue.shut_down();
    queue.add("a");
    queue.add_after("a", MS);
    assert!(queue.get().await.is_none());
    assert_eq!(events(), Vec::<String>::new());
}

#[tokio::test(start_paused = true)]
async fn an_observer_that_panics_loses_no_key() {
    // The beginning of the event at which the observer panics once; empty for none.
    let fatal = Arc::new(Mutex::new(""));
    let awaited = fatal.clone();
    let observe = move |event: WorkEvent<'_, &str>| {
        let name = shown(&event);
        let is_fatal = !awaited.lock().unwrap().is_empty() && name.starts_with(*awaited.lock().unwrap());
        if is_fatal {
            *awaited.lock().unwrap() = "";
            panic!("panics on purpose");
        }
    };
    let queue = WorkQueue::builder().observer(observe).build();
    let panics_at = |event: &'static str, work: &dyn Fn()| {
        *fatal.lock().unwrap() = event;
        catch_unwind(AssertUnwindSafe(work)).is_err()
    };
    assert!(panics_at("add", &|| queue.add("a")));
    assert!(panics_at("take", &|| drop(queue.get().now_or_never())));
    assert_eq!(queue.len(), 1, "the key is still queued");
    let key = queue.get().await.unwrap().into_key();
    queue.add(key);
    assert!(panics_at("done", &|| queue.done(&key)));
    assert_eq!(queue.len(), 1, "the key was added during its processing");
    drop(queue.get().await);
    assert!(panics_at("delay", &|| queue.add_after("b", MS)));
    tokio::time::advance(MS).await;
    assert!(panics_at("due", &|| assert_eq!(queue.len(), 1)));
    assert_eq!(queue.get().await.as_deref(), Some(&"b"));
    assert!(queue.is_empty(), "the due key was queued once");
}
