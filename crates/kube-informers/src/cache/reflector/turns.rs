//! Turns: runs a producer and its consumer alternately in one task, so that the queue between a Reflector and its
//! consumer stays short.

use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::Poll;

use futures::future::maybe_done;
use tokio::task::coop::consume_budget;

/// Lets a producer hand over to its consumer within their common task. Clones share one state: the producer calls
/// [`Turns::give`] on one, and the task calls [`Turns::alternate`] on another.
#[derive(Clone, Debug, Default)]
pub(crate) struct Turns(Arc<AtomicBool>);

impl Turns {
    /// Suspends the producer until the consumer was polled. From time to time it also yields to all other tasks.
    pub async fn give(&self) {
        consume_budget().await;
        let mut given = false;
        poll_fn(|_| {
            if given {
                return Poll::Ready(());
            }
            given = true;
            self.0.store(true, Ordering::Relaxed);
            Poll::Pending // no wake-up needed: `alternate` polls again
        })
        .await;
    }

    /// Polls the producer and the consumer in turn until both have ended.
    pub async fn alternate(&self, producer: impl Future<Output = ()>, consumer: impl Future<Output = ()>) {
        let (mut producer, mut consumer) = (pin!(maybe_done(producer)), pin!(maybe_done(consumer)));
        poll_fn(|cx| {
            loop {
                let produced = producer.as_mut().poll(cx);
                let consumed = consumer.as_mut().poll(cx);
                if produced.is_ready() && consumed.is_ready() {
                    return Poll::Ready(());
                }
                // If the producer only gave up its turn, it is polled again at once. Otherwise a wake-up comes.
                if !self.0.swap(false, Ordering::Relaxed) {
                    return Poll::Pending;
                }
            }
        })
        .await;
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use futures::FutureExt;

    use super::*;

    #[test]
    fn the_producer_continues_after_the_consumer_was_polled() {
        let (turns, done) = (Turns::default(), RefCell::new(Vec::new()));
        let producer = async {
            for n in 0..3 {
                done.borrow_mut().push(format!("produced {n}"));
                turns.give().await;
            }
        };
        let consumer = async {
            for n in 0..3 {
                poll_fn(|_| if done.borrow().len() > 2 * n { Poll::Ready(()) } else { Poll::Pending }).await;
                done.borrow_mut().push(format!("consumed {n}"));
            }
        };
        turns.alternate(producer, consumer).now_or_never().unwrap();
        let expected: Vec<_> = (0..3).flat_map(|n| [format!("produced {n}"), format!("consumed {n}")]).collect();
        assert_eq!(done.into_inner(), expected);
    }
}
