//! Tests of panics in code that the work queue calls: metrics, an order, the hash of a key. The panic reaches the
//! caller of the queue, and the queue stays usable.

use std::hash::{Hash, Hasher};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use kube_informers::workqueue::{Item, Metrics, Order, WorkQueue};
use tokio::time::timeout;

const SECOND: Duration = Duration::from_secs(1);

/// A place that panics when it is passed for the first time after it was armed.
#[derive(Clone, Default)]
struct Failpoint(Arc<AtomicBool>);

impl Failpoint {
    fn arm(&self) {
        self.0.store(true, Ordering::SeqCst);
    }

    fn pass(&self) {
        assert!(!self.0.swap(false, Ordering::SeqCst), "the failpoint was armed");
    }
}

/// Gets the next key without its guard, so `done` has to be called by hand.
async fn key<T: Clone + Eq + Hash>(queue: &WorkQueue<T>) -> Option<T> {
    queue.get().await.map(Item::into_key)
}

fn panics<R>(work: impl FnOnce() -> R) -> bool {
    catch_unwind(AssertUnwindSafe(work)).is_err()
}

/// Metrics that panic when an item is handed out.
struct Latency(Failpoint);

impl Metrics for Latency {
    fn latency(&mut self, _: Duration) {
        self.0.pass();
    }
}

#[tokio::test(start_paused = true)]
async fn metrics_that_panic_when_an_item_is_handed_out_leave_it_to_the_next_worker() {
    let failpoint = Failpoint::default();
    let queue = Arc::new(WorkQueue::builder().metrics(Latency(failpoint.clone())).build());
    let workers: Vec<_> = (0..2)
        .map(|_| {
            let queue = queue.clone();
            tokio::spawn(async move { key(&queue).await })
        })
        .collect();
    tokio::task::yield_now().await;
    failpoint.arm();
    queue.add("a");
    let mut got = Vec::new();
    for worker in workers {
        match timeout(SECOND, worker).await.expect("no worker waits while an item is queued") {
            Ok(item) => got.push(item),
            Err(panic) => assert!(panic.is_panic()),
        }
    }
    assert_eq!(got, [Some("a")]);
}

/// Metrics that panic when an item is added.
struct Added(Failpoint);

impl Metrics for Added {
    fn added(&mut self) {
        self.0.pass();
    }
}

#[tokio::test(start_paused = true)]
async fn metrics_that_panic_when_an_item_is_added_do_not_stop_the_next_add() {
    let failpoint = Failpoint::default();
    let queue = WorkQueue::builder().metrics(Added(failpoint.clone())).build();
    failpoint.arm();
    assert!(panics(|| queue.add("a")));
    queue.add("a");
    assert_eq!(timeout(SECOND, key(&queue)).await, Ok(Some("a")));

    queue.add_after("late", SECOND);
    tokio::time::advance(SECOND).await;
    failpoint.arm();
    assert!(panics(|| queue.len())); // len() queues the due items
    assert_eq!(timeout(SECOND, key(&queue)).await, Ok(Some("late")));
}

/// Metrics that panic when a worker is done.
struct Worked(Failpoint);

impl Metrics for Worked {
    fn work_duration(&mut self, _: Duration) {
        self.0.pass();
    }
}

#[tokio::test(start_paused = true)]
async fn metrics_that_panic_when_a_worker_is_done_lose_no_item() {
    let failpoint = Failpoint::default();
    let queue = Arc::new(WorkQueue::builder().metrics(Worked(failpoint.clone())).build());
    for _ in 0..2 {
        queue.add("a");
    }
    let item = queue.get().await.unwrap();
    failpoint.arm();
    assert!(panics(|| drop(item)));
    queue.add("a");
    assert_eq!(key(&queue).await, Some("a"));
    let drained = queue.shut_down_with_drain();
    failpoint.arm();
    assert!(panics(|| queue.done(&"a")));
    assert_eq!(timeout(SECOND, drained).await, Ok(()));
}

/// A first-in, first-out order that panics when an item is queued.
struct Pushed(Failpoint, Vec<u8>);

impl Order<u8> for Pushed {
    fn push(&mut self, item: u8) {
        self.0.pass();
        self.1.insert(0, item);
    }

    fn pop(&mut self) -> Option<u8> {
        self.1.pop()
    }
}

#[tokio::test(start_paused = true)]
async fn an_item_can_be_added_again_after_the_order_panicked() {
    let failpoint = Failpoint::default();
    let queue = WorkQueue::builder().order(Pushed(failpoint.clone(), Vec::new())).build();
    failpoint.arm();
    assert!(panics(|| queue.add(1)));
    queue.add(1);
    assert_eq!(timeout(SECOND, key(&queue)).await, Ok(Some(1)));
    queue.add(1);
    failpoint.arm();
    assert!(panics(|| queue.done(&1)));
    queue.add(1);
    assert_eq!(timeout(SECOND, key(&queue)).await, Ok(Some(1)));
    queue.done(&1);
    assert_eq!(timeout(SECOND, queue.shut_down_with_drain()).await, Ok(()));
}

#[tokio::test(start_paused = true)]
async fn an_item_that_was_added_while_in_progress_is_queued_even_if_the_order_panics_at_the_end_of_the_work() {
    let failpoint = Failpoint::default();
    let depths: Depths = Arc::default();
    let builder = WorkQueue::builder().order(Pushed(failpoint.clone(), Vec::new())).metrics(Depth(depths.clone()));
    let queue = Arc::new(builder.build());
    queue.add(1);
    let item = queue.get().await.unwrap();
    queue.add(1);
    let worker = tokio::spawn({
        let queue = queue.clone();
        async move { key(&queue).await }
    });
    tokio::task::yield_now().await;
    failpoint.arm();
    assert!(panics(|| drop(item)));
    assert_eq!(queue.len(), 1);
    queue.add(2);
    assert_eq!(timeout(SECOND, worker).await.expect("the waiting worker is woken").unwrap(), Some(1));
    assert_eq!(timeout(SECOND, key(&queue)).await, Ok(Some(2)));
    queue.done(&1);
    queue.done(&2);
    assert_eq!(queue.len(), 0);
    assert_eq!(*depths.lock().unwrap(), [1, 0, 1, 2, 1, 0]);
    assert_eq!(timeout(SECOND, queue.shut_down_with_drain()).await, Ok(()));
}

type Depths = Arc<Mutex<Vec<usize>>>;

/// Metrics that keep each reported depth.
struct Depth(Depths);

impl Metrics for Depth {
    fn depth(&mut self, keys: usize) {
        self.0.lock().unwrap().push(keys);
    }
}

/// A key whose hash panics.
#[derive(Clone)]
struct Key(u8, Failpoint);

impl PartialEq for Key {
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0
    }
}

impl Eq for Key {}

impl Hash for Key {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.1.pass();
        self.0.hash(state);
    }
}

#[tokio::test(start_paused = true)]
async fn a_key_whose_hash_panics_in_a_get_stays_queued() {
    let failpoint = Failpoint::default();
    let queue = Arc::new(WorkQueue::builder().order(Reversed(Vec::new())).build());
    let worker = tokio::spawn({
        let queue = queue.clone();
        async move { key(&queue).await.map(|Key(key, _)| key) }
    });
    tokio::task::yield_now().await;
    queue.add(Key(1, failpoint.clone()));
    failpoint.arm(); // get() hashes the key that the order hands out
    assert!(timeout(SECOND, worker).await.unwrap().unwrap_err().is_panic());
    let next = timeout(SECOND, key(&queue)).await.expect("the key is still queued").unwrap();
    assert_eq!(next.0, 1);
}

/// A last-in, first-out order.
struct Reversed(Vec<Key>);

impl Order<Key> for Reversed {
    fn push(&mut self, key: Key) {
        self.0.push(key);
    }

    fn pop(&mut self) -> Option<Key> {
        self.0.pop()
    }
}
