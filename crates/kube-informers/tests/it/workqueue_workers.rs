//! Tests of the workers that process a work queue: back-off, stops, panics and error reports.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::io;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use kube_informers::workqueue::{Action, Exponential, Unstarted, WorkQueue};
use tokio::time::{Instant, sleep, timeout};
use tokio_util::sync::CancellationToken;

const SECOND: Duration = Duration::from_secs(1);

fn queue(keys: impl IntoIterator<Item = &'static str>) -> WorkQueue<&'static str> {
    let queue = WorkQueue::builder().limiter(Exponential::new(SECOND, 60 * SECOND)).build();
    keys.into_iter().for_each(|key| queue.add(key));
    queue
}

fn refused() -> io::Error {
    io::Error::other("refused")
}

#[tokio::test(start_paused = true)]
async fn a_failing_key_is_retried_with_growing_delays_until_a_success_resets_them() {
    let (queue, stop, start) = (queue(["a"]), CancellationToken::new(), Instant::now());
    let seen = Mutex::new(Vec::new());
    let reconcile = async |_: &str| {
        let count = {
            let mut seen = seen.lock().unwrap();
            seen.push(start.elapsed().as_secs());
            seen.len()
        };
        match count {
            4 => Ok(Action::RequeueAfter(10 * SECOND)),
            6 => {
                stop.cancel();
                Ok(Action::AwaitChange)
            }
            _ => Err(refused()),
        }
    };
    queue.workers(1, reconcile).run(&stop).await.unwrap();
    assert_eq!(*seen.lock().unwrap(), [0, 1, 3, 7, 17, 18]);
    assert_eq!(queue.retries(&"a"), 0);
}

#[tokio::test(start_paused = true)]
async fn workers_process_as_many_keys_at_a_time_as_configured_and_no_key_twice_at_once() {
    let (queue, stop) = (queue([]), CancellationToken::new());
    (0..5).for_each(|_| ["a", "b", "c", "d"].into_iter().for_each(|key| queue.add(key)));
    let (held, most) = (Mutex::new(BTreeMap::new()), Cell::new(0));
    let reconcile = async |key: &'static str| {
        {
            let mut held = held.lock().unwrap();
            assert_eq!(held.insert(key, ()), None, "{key} is worked on already");
            most.set(most.get().max(held.len()));
        }
        queue.add(key); // a change in the meantime
        sleep(SECOND).await;
        held.lock().unwrap().remove(key);
        Ok::<_, io::Error>(())
    };
    let workers = queue.workers(3, reconcile);
    tokio::join!(async { workers.run(&stop).await.unwrap() }, async {
        sleep(10 * SECOND).await;
        stop.cancel();
    });
    assert_eq!(most.get(), 3);
}

#[tokio::test(start_paused = true)]
async fn a_stop_lets_workers_finish_their_keys_and_leaves_or_finishes_the_queued_ones() {
    for (unstarted, finished) in [(Unstarted::Leave, vec!["a", "b"]), (Unstarted::Finish, vec!["a", "b", "c", "d"])] {
        let (queue, stop) = (queue(["a", "b", "c", "d"]), CancellationToken::new());
        let done = Mutex::new(Vec::new());
        let reconcile = async |key: &'static str| {
            sleep(2 * SECOND).await;
            done.lock().unwrap().push(key);
            Ok::<_, io::Error>(())
        };
        let workers = queue.workers(2, reconcile).unstarted(unstarted);
        tokio::join!(async { workers.run(&stop).await.unwrap() }, async {
            sleep(SECOND).await;
            stop.cancel();
        });
        assert_eq!(*done.lock().unwrap(), finished);
        assert!(queue.shutting_down());
    }
}

#[tokio::test(start_paused = true)]
async fn workers_end_when_the_queue_is_shut_down_and_empty() {
    let (queue, stop) = (queue(["a", "b"]), CancellationToken::new());
    queue.shut_down();
    let done = Cell::new(0);
    let reconcile = async |_| {
        done.set(done.get() + 1);
        Ok::<_, io::Error>(())
    };
    timeout(SECOND, queue.workers(1, reconcile).run(&stop)).await.unwrap().unwrap();
    assert_eq!(done.get(), 2);
}

#[tokio::test(start_paused = true)]
async fn a_panic_ends_the_run_with_an_error_after_the_other_workers_finish_their_keys() {
    let (queue, stop) = (queue(["a", "bad", "c"]), CancellationToken::new());
    let done = Mutex::new(Vec::new());
    let reconcile = async |key: &'static str| {
        assert_ne!(key, "bad", "no such key");
        sleep(SECOND).await;
        done.lock().unwrap().push(key);
        Ok::<_, io::Error>(())
    };
    let panicked = queue.workers(2, reconcile).run(&stop).await.unwrap_err();
    assert!(panicked.to_string().starts_with("the work on \"bad\" panicked: assertion"), "{panicked}");
    assert!(panicked.panic.message().starts_with("assertion"));
    assert_eq!((panicked.key.as_str(), &*done.lock().unwrap()), ("\"bad\"", &vec!["a"]));
    timeout(SECOND, queue.shut_down_with_drain()).await.expect("no key is in progress");
}

#[tokio::test(start_paused = true)]
async fn workers_that_are_dropped_give_their_keys_back() {
    let queue = queue(["a"]);
    let stop = CancellationToken::new();
    let run = queue.workers(1, async |_| std::future::pending::<Result<(), io::Error>>().await).run(&stop);
    timeout(SECOND, run).await.unwrap_err();
    queue.add("a");
    assert_eq!(timeout(SECOND, queue.get()).await.unwrap().as_deref(), Some(&"a"));
}

#[tokio::test(start_paused = true)]
async fn an_error_is_reported_with_its_key_before_the_key_is_queued_again() {
    let (queue, stop) = (queue(["a"]), CancellationToken::new());
    let reported = Mutex::new(Vec::new());
    let on_error = |key: &&'static str, error: io::Error| {
        reported.lock().unwrap().push(format!("{key} {} {error}", queue.retries(key)));
        if reported.lock().unwrap().len() == 2 {
            stop.cancel();
        }
    };
    queue.workers(1, async |_| Err::<(), _>(refused())).on_error(on_error).run(&stop).await.unwrap();
    assert_eq!(*reported.lock().unwrap(), ["a 0 refused", "a 1 refused"]);
}

#[tokio::test(start_paused = true)]
async fn an_error_handler_accepts_any_error_type() {
    struct Refused; // implements neither `Error` nor `Debug`
    let (queue, stop) = (queue(["a"]), CancellationToken::new());
    let workers = queue.workers(1, async |_| Err::<(), _>(Refused)).on_error(|_, Refused| stop.cancel());
    workers.run(&stop).await.unwrap();
    assert_eq!(queue.retries(&"a"), 1);
}

#[tokio::test(start_paused = true)]
async fn workers_of_one_queue_can_run_in_several_tasks() {
    let queue = Arc::new(WorkQueue::new());
    let (stop, done) = (CancellationToken::new(), Arc::new(Mutex::new(0)));
    let tasks: Vec<_> = (0..2)
        .map(|_| {
            let (queue, stop, done) = (queue.clone(), stop.clone(), done.clone());
            tokio::spawn(async move {
                let reconcile = |key: String| {
                    let done = done.clone();
                    async move {
                        sleep(SECOND).await;
                        *done.lock().unwrap() += key.len();
                        Ok::<_, io::Error>(())
                    }
                };
                queue.workers(2, reconcile).run(&stop).await
            })
        })
        .collect();
    ["a", "b", "c", "d"].into_iter().for_each(|key| queue.add(key.to_owned()));
    sleep(SECOND).await;
    stop.cancel();
    for task in tasks {
        task.await.unwrap().unwrap();
    }
    assert_eq!(*done.lock().unwrap(), 4);
}

#[tokio::test(start_paused = true)]
async fn workers_with_an_async_closure_can_be_spawned() {
    let queue = Arc::new(queue(["a"]));
    let stop = CancellationToken::new();
    let task = tokio::spawn({
        let (queue, stop) = (queue.clone(), stop.clone());
        async move {
            let reconcile = async |key: &'static str| {
                sleep(SECOND).await;
                if key == "a" {
                    stop.cancel();
                }
                Ok::<_, io::Error>(())
            };
            queue.workers(1, reconcile).run(&stop).await
        }
    });
    task.await.unwrap().unwrap();
}
