//! Tests of the work queue: workers on threads, delays in virtual time, draining, guards, metrics and custom orders.

use std::collections::{BTreeMap, BinaryHeap};
use std::hash::Hash;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use kube_informers::workqueue::{Exponential, Item, Metrics, Order, WorkQueue};
use tokio::time::{Instant, advance, sleep, timeout};

const SECOND: Duration = Duration::from_secs(1);

/// Gets the next key without its guard, so `done` has to be called by hand.
async fn key<T: Clone + Eq + Hash>(queue: &WorkQueue<T>) -> Option<T> {
    queue.get().await.map(Item::into_key)
}

fn block_on<F: Future>(future: F) -> F::Output {
    tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(future)
}

#[test]
fn workers_on_threads_process_every_item_and_end_with_the_queue() {
    const WORKERS: usize = 16;
    const ITEMS: usize = 50;
    const ROUNDS: usize = 400;
    let queue = WorkQueue::new();
    let held: Vec<_> = (0..ITEMS).map(|_| AtomicUsize::new(0)).collect();
    // 1 for an item that was added and that no worker has taken since, else 0.
    let to_do: Vec<_> = (0..ITEMS).map(|_| AtomicUsize::new(0)).collect();
    let work = || async {
        while let Some(item) = queue.get().await {
            let number: usize = *item;
            assert_eq!(held[number].fetch_add(1, Ordering::SeqCst), 0, "two workers have the same item");
            to_do[number].store(0, Ordering::SeqCst);
            thread::yield_now();
            held[number].fetch_sub(1, Ordering::SeqCst);
        }
    };
    thread::scope(|threads| {
        let workers: Vec<_> = (0..WORKERS).map(|_| threads.spawn(|| block_on(work()))).collect();
        let producers: Vec<_> = (0..4)
            .map(|seed| {
                let (queue, to_do) = (&queue, &to_do);
                threads.spawn(move || {
                    let mut random = fastrand::Rng::with_seed(seed);
                    for _ in 0..ROUNDS * ITEMS / 4 {
                        let item = random.usize(..ITEMS);
                        to_do[item].store(1, Ordering::SeqCst);
                        queue.add(item);
                    }
                })
            })
            .collect();
        producers.into_iter().for_each(|producer| producer.join().unwrap());
        queue.shut_down();
        workers.into_iter().for_each(|worker| worker.join().unwrap());
    });
    // An item that is added again during its processing may be queued after the other workers have ended. The worker
    // that processed it takes it then, so no item is left.
    assert!(to_do.iter().all(|left| left.load(Ordering::SeqCst) == 0));
    assert!(queue.is_empty());
}

#[tokio::test(start_paused = true)]
async fn sixty_four_waiting_workers_each_get_a_delayed_item_when_it_is_due() {
    let queue = Arc::new(WorkQueue::new());
    let start = Instant::now();
    let workers: Vec<_> = (0..64)
        .map(|_| {
            let queue = queue.clone();
            tokio::spawn(async move {
                let item = key(&queue).await.unwrap();
                (item, start.elapsed())
            })
        })
        .collect();
    sleep(Duration::ZERO).await;
    for item in 0..64_u64 {
        queue.add_after(item, item as u32 % 8 * SECOND);
    }
    for worker in workers {
        let (item, at) = timeout(60 * SECOND, worker).await.unwrap().unwrap();
        assert_eq!(at.as_secs(), item % 8);
    }
}

#[tokio::test(start_paused = true)]
async fn delayed_items_still_arrive_if_the_get_that_waits_for_the_timer_is_dropped() {
    let queue = WorkQueue::new();
    let (mut first, mut second) = (Box::pin(key(&queue)), Box::pin(key(&queue)));
    tokio::select! { biased; _ = &mut first => {}, _ = &mut second => {}, () = sleep(SECOND) => {} }
    queue.add_after("a", SECOND);
    tokio::select! { biased; _ = &mut first => {}, _ = &mut second => {}, () = sleep(SECOND / 2) => {} }
    drop(first);
    assert_eq!(timeout(SECOND, second).await, Ok(Some("a")));
}

#[tokio::test(start_paused = true)]
async fn an_earlier_delayed_item_shortens_the_wait_of_a_worker() {
    let queue = Arc::new(WorkQueue::new());
    let worker = tokio::spawn({
        let queue = queue.clone();
        async move { (key(&queue).await, Instant::now()) }
    });
    let start = Instant::now();
    queue.add_after("late", 60 * SECOND);
    sleep(SECOND).await;
    queue.add_after("soon", SECOND);
    let (item, at) = worker.await.unwrap();
    assert_eq!((item, at - start), (Some("soon"), 2 * SECOND));
}

#[tokio::test(start_paused = true)]
async fn a_worker_that_always_finds_work_yields_to_other_tasks() {
    let queue = Arc::new(WorkQueue::new());
    let worker = tokio::spawn({
        let queue = queue.clone();
        async move {
            while let Some(item) = queue.get().await {
                queue.add(*item);
            }
        }
    });
    queue.add("a");
    tokio::task::yield_now().await;
    worker.abort();
    assert!(worker.await.unwrap_err().is_cancelled());
}

#[tokio::test(start_paused = true)]
async fn drainers_return_when_the_work_is_done_or_the_queue_is_shut_down() {
    let queue = Arc::new(WorkQueue::new());
    queue.add("a");
    let item = queue.get().await;
    let drain = |queue: &Arc<WorkQueue<_>>| {
        let queue = queue.clone();
        tokio::spawn(async move { queue.shut_down_with_drain().await })
    };
    let drainers: Vec<_> = (0..3).map(|_| drain(&queue)).collect();
    sleep(SECOND).await;
    assert!(drainers.iter().all(|drainer| !drainer.is_finished()));
    drop(item);
    for drainer in drainers {
        timeout(SECOND, drainer).await.unwrap().unwrap();
    }

    let queue = Arc::new(WorkQueue::new());
    queue.add("a");
    let _item = queue.get().await;
    let drainers: Vec<_> = (0..3).map(|_| drain(&queue)).collect();
    sleep(SECOND).await;
    queue.shut_down();
    for drainer in drainers {
        timeout(SECOND, drainer).await.unwrap().unwrap();
    }
}

#[tokio::test]
async fn a_shut_down_with_drain_shuts_down_before_it_is_awaited() {
    let queue = WorkQueue::new();
    let drained = queue.shut_down_with_drain();
    queue.add("a");
    assert_eq!((queue.shutting_down(), queue.len()), (true, 0));
    drained.await;
}

#[tokio::test(start_paused = true)]
async fn a_delay_beyond_the_range_of_the_clock_is_accepted() {
    let queue = WorkQueue::new();
    queue.add_after("a", Duration::MAX);
    advance(365 * 24 * 3600 * SECOND).await;
    assert!(queue.is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_guard_can_retry_delay_or_forget_its_key() {
    let queue = WorkQueue::builder().limiter(Exponential::new(SECOND, 60 * SECOND)).build();
    let start = Instant::now();
    queue.add("a");
    queue.get().await.unwrap().retry();
    queue.get().await.unwrap().retry();
    assert_eq!((start.elapsed(), queue.retries(&"a")), (SECOND, 2));
    queue.get().await.unwrap().retry_after(10 * SECOND);
    assert_eq!((start.elapsed(), queue.retries(&"a")), (3 * SECOND, 2));
    queue.get().await.unwrap().forget();
    assert_eq!((start.elapsed(), queue.retries(&"a"), queue.len()), (13 * SECOND, 0, 0));
    queue.add("a");
    let item = queue.get().await.unwrap();
    assert_eq!(
        format!("{item:?} {queue:?}"),
        r#"Item("a") WorkQueue { queued: 0, processing: 1, shutting_down: false, .. }"#
    );
}

#[tokio::test(start_paused = true)]
async fn a_worker_that_panics_or_is_dropped_gives_its_key_back() {
    let queue = WorkQueue::new();
    queue.add("a");
    let item = queue.get().await.unwrap();
    let panicked = catch_unwind(AssertUnwindSafe(|| {
        assert_eq!(*item, "b", "panics on purpose");
        drop(item); // moves the item into the closure, so the panic drops it
    }));
    assert!(panicked.is_err());
    queue.add("a");
    let worker = async {
        let _item = queue.get().await.unwrap();
        sleep(60 * SECOND).await;
    };
    timeout(SECOND, worker).await.unwrap_err();
    queue.add("a");
    assert_eq!(timeout(SECOND, key(&queue)).await, Ok(Some("a")));
}

#[tokio::test(start_paused = true)]
async fn a_guard_does_nothing_on_drop_after_done_was_called_by_hand() {
    let queue = WorkQueue::new();
    queue.add("a");
    let first = queue.get().await.unwrap();
    queue.done(&"a");
    queue.add("a");
    let second = queue.get().await.unwrap();
    drop(first);
    queue.add("a");
    assert_eq!(queue.len(), 0, "the second guard still holds the key");
    drop(second);
    assert_eq!(queue.len(), 1);
}

/// Metrics that note their calls as text.
#[derive(Clone, Default)]
struct Seen(Arc<Mutex<Vec<String>>>);

impl Seen {
    fn note(&self, what: String) {
        self.0.lock().unwrap().push(what);
    }

    fn take(&self) -> Vec<String> {
        std::mem::take(&mut self.0.lock().unwrap())
    }
}

impl Metrics for Seen {
    fn depth(&mut self, items: usize) {
        self.note(format!("depth {items}"));
    }

    fn added(&mut self) {
        self.note("added".into());
    }

    fn latency(&mut self, waited: Duration) {
        self.note(format!("latency {waited:?}"));
    }

    fn work_duration(&mut self, worked: Duration) {
        self.note(format!("worked {worked:?}"));
    }

    fn retried(&mut self) {
        self.note("retried".into());
    }
}

/// Returns the total and the longest time of the items in progress.
fn unfinished(queue: &WorkQueue<&str>) -> (Duration, Duration) {
    let unfinished = queue.unfinished();
    (unfinished.total, unfinished.longest)
}

#[tokio::test(start_paused = true)]
async fn metrics_count_repeated_adds_of_an_item_once() {
    let seen = Seen::default();
    let queue = WorkQueue::builder().metrics(seen.clone()).build();
    queue.add("a");
    advance(SECOND).await;
    queue.add("a");
    assert_eq!(seen.take(), ["added", "depth 1"]);
    let item = queue.get().await;
    assert_eq!(seen.take(), ["depth 0", "latency 1s"]);
    advance(2 * SECOND).await;
    queue.add("a");
    queue.add("a");
    assert_eq!(seen.take(), ["added", "depth 1"]);
    assert_eq!(unfinished(&queue), (2 * SECOND, 2 * SECOND));
    drop(item);
    assert_eq!(seen.take(), ["worked 2s"]);
    advance(SECOND).await;
    let _item = queue.get().await;
    assert_eq!(seen.take(), ["depth 0", "latency 1s"]);

    queue.add_after("b", SECOND);
    assert_eq!(seen.take(), ["retried"]);
    advance(3 * SECOND).await;
    let item = queue.get().await.unwrap();
    assert_eq!(*item, "b");
    assert_eq!(seen.take(), ["added", "depth 1", "depth 0", "latency 2s"]);
    advance(SECOND).await;
    assert_eq!(unfinished(&queue), (5 * SECOND, 4 * SECOND));
}

#[tokio::test(start_paused = true)]
async fn a_queue_can_have_a_limiter_metrics_and_an_order() {
    let seen = Seen::default();
    let limiter = Exponential::new(Duration::from_millis(1), SECOND);
    let queue = WorkQueue::builder().limiter(limiter).metrics(seen.clone()).order(Largest::default()).build();
    queue.add_rate_limited(1);
    queue.add_rate_limited(2);
    sleep(SECOND).await;
    assert_eq!((key(&queue).await, key(&queue).await), (Some(2), Some(1)));
    assert_eq!(seen.take().iter().filter(|what| *what == "retried").count(), 2);
}

/// An order that hands out the largest item first and counts the calls of `touch`.
#[derive(Default)]
struct Largest {
    heap: BinaryHeap<u8>,
    touched: Arc<Mutex<BTreeMap<u8, usize>>>,
}

impl Order<u8> for Largest {
    fn touch(&mut self, item: &u8) {
        *self.touched.lock().unwrap().entry(*item).or_default() += 1;
    }

    fn push(&mut self, item: u8) {
        self.heap.push(item);
    }

    fn pop(&mut self) -> Option<u8> {
        self.heap.pop()
    }
}

#[tokio::test]
async fn the_order_is_touched_when_a_queued_item_is_added_again() {
    let order = Largest::default();
    let touched = order.touched.clone();
    let queue = WorkQueue::builder().order(order).build();
    for item in [1, 3, 2, 3] {
        queue.add(item);
    }
    let item = queue.get().await.unwrap();
    assert_eq!(*item, 3);
    queue.add(3); // not touched, because the item is in progress
    drop(item);
    assert_eq!((key(&queue).await, key(&queue).await, key(&queue).await), (Some(3), Some(2), Some(1)));
    assert_eq!(*touched.lock().unwrap(), BTreeMap::from([(3, 1)]));
}
