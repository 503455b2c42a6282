//! Tests of the cache's types under random thread schedules.

use std::future::ready;
use std::sync::{Arc, mpsc};

use futures::StreamExt;

use k8s_openapi::api::core::v1::Namespace;
use kube_informers::cache::{
    Buffer, Closed, DeltaFifo, Deltas, HandlerFuncs, InitialList, Notification, ProcessorListener, RealFifo,
    SharedProcessor, ThreadSafeStore, WhileProcessing,
};
use shuttle::future::block_on;
use shuttle::sync::atomic::{AtomicUsize, Ordering};
use shuttle::{check_random, thread};

use super::SCHEDULES;

fn object(name: &str, version: u32) -> Arc<Namespace> {
    let mut object = Namespace::default();
    object.metadata.name = Some(name.to_owned());
    object.metadata.resource_version = Some(version.to_string());
    object.into()
}

fn key(object: &Namespace) -> String {
    object.metadata.name.clone().unwrap()
}

/// The methods that DeltaFIFO and RealFIFO share.
trait Fifo: Send + Sync + 'static {
    fn add(&self, object: Arc<Namespace>);
    fn pop(&self) -> Result<usize, Closed>;
    fn close(&self);
}

/// Returns the number of the popped deltas.
fn count(deltas: Deltas<Namespace>, _: InitialList) -> usize {
    deltas.len()
}

impl Fifo for DeltaFifo<Namespace> {
    fn add(&self, object: Arc<Namespace>) {
        Self::add(self, object).unwrap();
    }
    fn pop(&self) -> Result<usize, Closed> {
        block_on(Self::pop(self, count))
    }
    fn close(&self) {
        Self::close(self);
    }
}

impl Fifo for RealFifo<Namespace> {
    fn add(&self, object: Arc<Namespace>) {
        Self::add(self, object).unwrap();
    }
    fn pop(&self) -> Result<usize, Closed> {
        block_on(Self::pop(self, count))
    }
    fn close(&self) {
        Self::close(self);
    }
}

fn everything_comes_out_and_the_close_ends_every_consumer<Q: Fifo>(queue: fn() -> Q) {
    check_random(
        move || {
            let queue = Arc::new(queue());
            let consumers: Vec<_> = (0..2)
                .map(|_| {
                    let queue = queue.clone();
                    thread::spawn(move || {
                        let mut deltas = 0;
                        while let Ok(popped) = queue.pop() {
                            deltas += popped;
                        }
                        deltas
                    })
                })
                .collect();
            let producers: Vec<_> = ["a", "b"]
                .into_iter()
                .map(|name| {
                    let queue = queue.clone();
                    thread::spawn(move || {
                        queue.add(object(name, 1));
                        queue.add(object("shared", 1));
                    })
                })
                .collect();
            producers.into_iter().for_each(|producer| producer.join().unwrap());
            queue.close();
            let deltas: usize = consumers.into_iter().map(|consumer| consumer.join().unwrap()).sum();
            assert_eq!(deltas, 4);
        },
        SCHEDULES,
    );
}

#[test]
fn a_delta_fifo_delivers_everything_and_its_close_ends_every_consumer() {
    everything_comes_out_and_the_close_ends_every_consumer(|| DeltaFifo::new(key));
}

#[test]
fn a_real_fifo_delivers_everything_and_its_close_ends_every_consumer() {
    everything_comes_out_and_the_close_ends_every_consumer(|| RealFifo::atomic(key));
    everything_comes_out_and_the_close_ends_every_consumer(|| {
        RealFifo::atomic(key).while_processing(WhileProcessing::Unlocked)
    });
}

#[test]
fn no_consumer_of_an_open_queue_waits_while_an_object_is_queued() {
    check_random(
        || {
            let queue = Arc::new(DeltaFifo::new(key));
            let consumers: Vec<_> = (0..2)
                .map(|_| {
                    let queue = queue.clone();
                    thread::spawn(move || Fifo::pop(&*queue).unwrap())
                })
                .collect();
            Fifo::add(&*queue, object("a", 1));
            Fifo::add(&*queue, object("b", 1));
            consumers.into_iter().for_each(|consumer| assert_eq!(consumer.join().unwrap(), 1));
        },
        SCHEDULES,
    );
}

fn add(name: &str, version: u32) -> Notification<Namespace> {
    Notification::Add { object: object(name, version), initial: InitialList::No }
}

#[test]
fn a_listener_delivers_the_newest_state_of_every_object_before_it_ends() {
    for buffer in [Buffer::Unbounded, Buffer::Coalesced] {
        check_random(
            move || {
                let listener = ProcessorListener::new(0).buffer(buffer);
                let handler = thread::spawn({
                    let listener = listener.clone();
                    move || {
                        let (sender, receiver) = mpsc::channel();
                        block_on(listener.run(move |notification: Notification<Namespace>| {
                            sender.send(notification).unwrap();
                            ready(())
                        }));
                        receiver.iter().collect::<Vec<_>>()
                    }
                });
                listener.add(add("a", 1));
                listener.add(Notification::Update { old: object("a", 1), new: object("a", 2) });
                listener.add(add("b", 3));
                listener.close();
                let handled = handler.join().unwrap();
                let newest = |name: &str| {
                    handled.iter().rev().find_map(|notification| match notification {
                        Notification::Add { object, .. } | Notification::Update { new: object, .. } => {
                            (object.metadata.name.as_deref() == Some(name)).then(|| object.clone())
                        }
                        Notification::Delete(_) => None,
                    })
                };
                assert_eq!((newest("a"), newest("b")), (Some(object("a", 2)), Some(object("b", 3))));
                assert!(handled.len() == 3 || buffer == Buffer::Coalesced);
            },
            SCHEDULES,
        );
    }
}

#[test]
fn a_handler_that_is_added_during_a_distribution_receives_the_rest_without_gaps() {
    check_random(
        || {
            let processor = Arc::new(SharedProcessor::default());
            let removed = processor.add_listener(HandlerFuncs::<Namespace>::new());
            let distributor = thread::spawn({
                let processor = processor.clone();
                move || (1..=3).for_each(|version| processor.distribute(&add("a", version)))
            });
            let remover = thread::spawn({
                let processor = processor.clone();
                move || {
                    processor.remove_listener(&removed);
                    removed
                }
            });
            let mut added = processor.subscribe();
            distributor.join().unwrap();
            let removed = remover.join().unwrap();
            assert_eq!(removed.pending(), 0, "no notifications are kept for a removed listener");
            assert!(removed.ended().is_done());
            // The new listener receives each notification that was distributed after it was added: the last `pending` of
            // the three, in order.
            let pending = added.pending();
            for version in (4 - u32::try_from(pending).unwrap())..=3 {
                assert_eq!(block_on(added.next()), Some(add("a", version)));
            }
        },
        SCHEDULES,
    );
}

#[test]
fn a_reader_sees_every_change_that_was_finished_before_its_read() {
    check_random(
        || {
            let (store, finished) = (Arc::new(ThreadSafeStore::new()), Arc::new(AtomicUsize::new(0)));
            let readers: Vec<_> = (0..2)
                .map(|_| {
                    let (store, finished) = (store.clone(), finished.clone());
                    thread::spawn(move || {
                        for _ in 0..3 {
                            let before = finished.load(Ordering::SeqCst);
                            assert!(store.list().len() >= before);
                        }
                    })
                })
                .collect();
            for (number, name) in ["a", "b", "c"].into_iter().enumerate() {
                store.update(name, object(name, 1));
                finished.store(number + 1, Ordering::SeqCst);
            }
            readers.into_iter().for_each(|reader| reader.join().unwrap());
        },
        SCHEDULES,
    );
}
