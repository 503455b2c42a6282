//! Compares the work queue with a naive model over random sequences of operations in virtual time.
//!
//! The test polls the waiting getters and drainers by hand, at random moments after their wakers are called, or drops
//! them instead. So the queue's critical sections run in every order, and a lost wake-up shows as a getter that still
//! waits while an item is queued.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Wake, Waker};
use std::time::Duration;

use kube_informers::workqueue::{Item, WorkQueue};
use tokio::task::yield_now;
use tokio::time::{Instant, advance};

const SEQUENCES: u64 = 12_000;
const STEPS: usize = 60;
const ITEMS: u8 = 5;

/// The naive model, a literal implementation of the queue's documentation.
#[derive(Default)]
struct Model {
    queue: Vec<u8>,
    dirty: Vec<u8>,
    processing: Vec<u8>,
    /// The delayed items with the times at which they are due.
    delayed: Vec<(Instant, u8)>,
    shutting_down: bool,
    /// The number of calls of [`WorkQueue::shut_down`], each of which ends all drains.
    shut_downs: u64,
}

impl Model {
    fn add_due(&mut self) {
        let now = Instant::now();
        // The sort is stable: items of the same time stay in the order of their `add_after`.
        self.delayed.sort_by_key(|(due, _)| *due);
        while self.delayed.first().is_some_and(|(due, _)| *due <= now) {
            let (_, item) = self.delayed.remove(0);
            self.add(item);
        }
    }

    fn add(&mut self, item: u8) {
        if self.shutting_down || self.dirty.contains(&item) {
            return;
        }
        self.dirty.push(item);
        if !self.processing.contains(&item) {
            self.queue.push(item);
        }
    }

    fn add_after(&mut self, item: u8, delay: Duration) {
        let due = Instant::now() + delay;
        if self.shutting_down {
        } else if delay.is_zero() {
            self.add(item);
        } else if !self.delayed.iter().any(|(earlier, other)| *other == item && *earlier <= due) {
            self.delayed.retain(|(_, other)| *other != item);
            self.delayed.push((due, item));
        }
    }

    /// Returns the result of a `get` now; pending if it has to wait.
    fn get(&mut self) -> Poll<Option<u8>> {
        if self.queue.is_empty() {
            return if self.shutting_down { Poll::Ready(None) } else { Poll::Pending };
        }
        let item = self.queue.remove(0);
        self.dirty.retain(|other| *other != item);
        self.processing.retain(|other| *other != item);
        self.processing.push(item);
        Poll::Ready(Some(item))
    }

    fn done(&mut self, item: u8) {
        self.processing.retain(|other| *other != item);
        if self.dirty.contains(&item) {
            self.queue.push(item);
        }
    }

    fn shut_down(&mut self) {
        self.shutting_down = true;
        self.delayed.clear();
    }
}

#[derive(Default)]
struct Flag(AtomicBool);

impl Wake for Flag {
    fn wake(self: Arc<Self>) {
        self.0.store(true, Ordering::SeqCst);
    }
}

/// A future that is polled by hand.
struct Task<F> {
    future: Pin<Box<F>>,
    woken: Arc<Flag>,
    polled: bool,
}

impl<F: Future> Task<F> {
    fn new(future: F) -> Self {
        Self { future: Box::pin(future), woken: Arc::default(), polled: false }
    }

    fn is_woken(&self) -> bool {
        self.woken.0.load(Ordering::SeqCst)
    }

    fn poll(&mut self) -> Poll<F::Output> {
        self.polled = true;
        self.woken.0.store(false, Ordering::SeqCst);
        self.future.as_mut().poll(&mut Context::from_waker(&Waker::from(self.woken.clone())))
    }
}

type Getter<'a> = Pin<Box<dyn Future<Output = Option<u8>> + 'a>>;

/// One random sequence: the queue, the model, and the futures that wait for the queue.
struct Run<'a, D> {
    queue: &'a WorkQueue<u8>,
    model: Model,
    random: fastrand::Rng,
    getters: Vec<Task<Getter<'a>>>,
    /// Each drainer with the number of calls of `shut_down` before it.
    drainers: Vec<(u64, Task<D>)>,
}

impl<'a, D: Future<Output = ()>> Run<'a, D> {
    fn item(&mut self) -> u8 {
        self.random.u8(..ITEMS)
    }

    fn woken(&self) -> usize {
        self.getters.iter().filter(|getter| getter.is_woken()).count()
    }

    /// Performs an operation that may queue one item, and checks that the queue wakes at most one getter for that item.
    /// The queue need not wake a getter if one is awake already, for example because of the timer.
    fn queues_one(&mut self, on_queue: impl FnOnce(&WorkQueue<u8>), on_model: impl FnOnce(&mut Model)) {
        self.queue.len(); // queues the due items first, so their wake-ups do not count below
        let (awake, queued) = (self.woken(), self.model.queue.len());
        on_queue(self.queue);
        on_model(&mut self.model);
        let added = self.model.queue.len() - queued;
        let woken = self.woken() - awake;
        assert!(woken <= added && (awake > 0 || woken == added.min(self.getters.len())), "{woken} woken for {added}");
    }

    /// Polls a getter and compares the result with the model's. A getter that was not woken may stay pending. Checks
    /// that the poll wakes at most one other getter for each item that is left, and one more for the timer.
    fn poll_getter(&mut self, place: usize) {
        let awake = self.woken() - usize::from(self.getters[place].is_woken());
        let only_waits = self.getters[place].polled && !self.getters[place].is_woken();
        let got = self.getters[place].poll();
        if only_waits && got.is_pending() {
            // If an item is queued, another getter must have been woken for it.
            assert!(self.model.queue.is_empty() || awake > 0, "no getter was woken for {:?}", self.model.queue);
        } else {
            assert_eq!(got, self.model.get());
        }
        if got.is_ready() {
            drop(self.getters.remove(place));
        }
        let left = self.model.queue.len() + usize::from(!self.model.delayed.is_empty());
        assert!(self.woken() - awake <= left, "{} woken for {left}", self.woken() - awake);
    }

    fn poll_drainer(&mut self, place: usize) {
        let (shut_downs, drainer) = &mut self.drainers[place];
        let drained = drainer.poll().is_ready();
        assert_eq!(drained, self.model.processing.is_empty() || self.model.shut_downs != *shut_downs);
        if drained {
            drop(self.drainers.remove(place));
        }
    }

    /// Polls all woken futures until none is woken. Then checks that no future waits for a condition that already
    /// holds.
    fn rest(&mut self) {
        while let Some(place) = self.getters.iter().position(Task::is_woken) {
            self.poll_getter(place);
        }
        while let Some(place) = self.drainers.iter().position(|(_, drainer)| drainer.is_woken()) {
            self.poll_drainer(place);
        }
        let Model { queue, processing, shutting_down, shut_downs, .. } = &self.model;
        if !self.getters.is_empty() {
            assert!(queue.is_empty() && !shutting_down, "{} wait for {queue:?}", self.getters.len());
        }
        for (before, _) in &self.drainers {
            assert!(!processing.is_empty() && before == shut_downs, "a drainer waits though its condition holds");
        }
    }

    async fn step(&mut self, drain: impl Fn(&'a WorkQueue<u8>) -> D) {
        match self.random.u8(..40) {
            0..8 => {
                let item = self.item();
                self.queues_one(|queue| queue.add(item), |model| model.add(item));
            }
            8..14 => {
                let (item, delay) = (self.item(), Duration::from_millis(self.random.u64(..8)));
                self.queue.add_after(item, delay);
                self.model.add_after(item, delay);
            }
            14..19 => {
                advance(Duration::from_millis(self.random.u64(..5))).await;
                yield_now().await; // the timers fire
                self.model.add_due();
            }
            19..25 => {
                let queue = self.queue;
                let get: Getter<'_> = Box::pin(async { queue.get().await.map(Item::into_key) });
                self.getters.push(Task::new(get));
                self.poll_getter(self.getters.len() - 1);
            }
            25..29 if !self.getters.is_empty() => {
                let place = self.random.usize(..self.getters.len());
                match self.random.u8(..3) {
                    0 => drop(self.getters.remove(place)),
                    1 => self.poll_getter(place), // even if it was not woken
                    _ => self.rest(),
                }
            }
            29..36 => {
                // Mostly an item that is in progress; sometimes one that is not, and it may even be queued.
                let item = self.item();
                let item = match self.model.processing.as_slice() {
                    held if !held.is_empty() && self.random.u8(..10) > 0 => held[self.random.usize(..held.len())],
                    _ => item,
                };
                self.queues_one(|queue| queue.done(&item), |model| model.done(item));
            }
            36 if self.random.u8(..4) == 0 => {
                self.queue.shut_down();
                self.model.shut_down();
                self.model.shut_downs += 1;
            }
            37 if self.random.u8(..4) == 0 => {
                self.model.shut_down();
                self.drainers.push((self.model.shut_downs, Task::new(drain(self.queue))));
                self.poll_drainer(self.drainers.len() - 1);
            }
            38 if !self.drainers.is_empty() => {
                let place = self.random.usize(..self.drainers.len());
                drop(self.drainers.remove(place));
            }
            _ => assert_eq!(self.queue.len(), self.model.queue.len()),
        }
        assert_eq!(self.queue.shutting_down(), self.model.shutting_down);
    }
}

#[tokio::test(start_paused = true)]
async fn the_work_queue_agrees_with_the_model() {
    for seed in 0..SEQUENCES {
        let queue = WorkQueue::new();
        let mut run = Run {
            queue: &queue,
            model: Model::default(),
            random: fastrand::Rng::with_seed(seed),
            getters: Vec::new(),
            drainers: Vec::new(),
        };
        for _ in 0..STEPS {
            run.step(|queue| queue.shut_down_with_drain()).await;
            if run.random.bool() {
                run.rest();
            }
        }
        run.rest();
    }
}
