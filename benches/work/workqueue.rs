//! Benchmarks of the work queue that controllers take their keys from: on one thread, with concurrent workers, and with delayed keys.
//!
//! The items are `Arc<str>`, because a clone shares its bytes, as a copy of a string in Go does.

use std::sync::Arc;
use std::thread;
use std::time::Duration;

use futures::FutureExt;
use kube_informers::workqueue::{Item, WorkQueue};
use tokio::runtime::Builder;

use crate::options::Options;
use crate::timing::{Figure, per_call, per_item};

/// Runs client-go's BenchmarkQueue: adds, gets and finishes each of a hundred keys in a new queue, on one thread. The
/// figure is the time for all hundred keys.
pub fn alone(options: &Options) -> Vec<Figure> {
    let keys: Vec<Arc<str>> = (0..100).map(|n| format!("key-{n}").into()).collect();
    let run_once = |queue: WorkQueue<Arc<str>>| {
        for key in &keys {
            queue.add(key.clone());
            let got = queue.get().now_or_never().expect("a queued key comes at once").expect("the queue is open");
            drop(got); // marks the key as done
        }
    };
    let spent = per_call(options.time(), WorkQueue::new, run_once);
    vec![Figure::new("", spent.as_nanos() as f64, "ns", keys.len() as u64)]
}

/// Adds each key once from one thread, while `--workers` workers get the keys and finish them.
pub fn workers(options: &Options) -> Vec<Figure> {
    let (number, workers) = (options.number("keys", 100_000), options.number("workers", 8));
    let keys: Vec<Arc<str>> = (0..number).map(|n| format!("key-{n}").into()).collect();
    let runtime = Builder::new_multi_thread().build().unwrap();
    let mut done = 0;
    let spent = per_call(
        options.time(),
        || Arc::new(WorkQueue::new()),
        |queue: Arc<WorkQueue<Arc<str>>>| {
            let working: Vec<_> = (0..workers)
                .map(|_| {
                    let queue = queue.clone();
                    runtime.spawn(async move {
                        let mut done = 0;
                        while let Some(key) = queue.get().await {
                            drop(key); // marks the key as done
                            done += 1;
                        }
                        done
                    })
                })
                .collect();
            thread::scope(|scope| {
                scope.spawn(|| {
                    keys.iter().for_each(|key| queue.add(key.clone()));
                    queue.shut_down();
                });
            });
            done = runtime.block_on(async { futures::future::try_join_all(working).await.unwrap().into_iter().sum() });
        },
    );
    vec![Figure::new("", spent.as_nanos() as f64 / number as f64, "ns", done)]
}

/// Runs client-go's BenchmarkDelayingQueue_AddAfter: adds every item with a random delay of at most ten minutes, then moves the clock
/// eleven minutes on and gets every item.
pub fn delaying(options: &Options) -> Vec<Figure> {
    let number = options.number("keys", 100_000);
    let runtime = Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
    let mut got = 0;
    let nanos = per_item(
        options.time(),
        number,
        || fastrand::Rng::with_seed(1),
        |mut random| {
            runtime.block_on(async {
                let queue = WorkQueue::new();
                for n in 0..number {
                    queue.add_after(
                        Arc::<str>::from(n.to_string()),
                        Duration::from_nanos(random.u64(..600_000_000_000)),
                    );
                }
                tokio::time::advance(Duration::from_secs(11 * 60)).await;
                got = 0;
                while got < number && queue.get().await.map(Item::into_key).is_some() {
                    got += 1;
                }
            });
        },
    );
    vec![Figure::new("", nanos, "ns", got as u64)]
}
