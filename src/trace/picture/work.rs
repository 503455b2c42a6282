//! The state of the workqueue in the picture: the keys that are queued, that workers are processing, and that are
//! delayed by a timer.

use std::collections::VecDeque;
use std::time::Duration;

use crate::trace::record::{Cause, What};

/// The state of a workqueue.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// The queued keys, the next one first.
    pub queued: VecDeque<String>,
    /// The keys that workers are processing, in the order in which they were taken.
    pub processing: Vec<InWork>,
    /// The delayed keys with the time of the run at which they are added, the earliest first.
    pub delayed: VecDeque<(Duration, String)>,
}

/// A key that a worker is processing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InWork {
    /// The key.
    pub key: String,
    /// True if the key was added again meanwhile, so it is queued again after the work.
    pub again: bool,
}

impl Work {
    /// Returns the keys that need work, client-go's `dirty`: those that are queued, and those that were added while a
    /// worker has them.
    pub fn dirty(&self) -> impl Iterator<Item = &str> {
        let again = self.processing.iter().filter(|work| work.again).map(|work| &work.key);
        self.queued.iter().chain(again).map(String::as_str)
    }

    /// Applies one event that happened `at` this time of the run.
    pub(super) fn apply(&mut self, what: &What, cause: Option<Cause>, at: Duration) {
        match what {
            What::WorkAdded { key, effect } => {
                // The timer of a delayed key has expired.
                if cause == Some(Cause::Timer) {
                    let place = self.delayed.iter().position(|(_, delayed)| delayed == key);
                    if let Some(place) = place {
                        self.delayed.remove(place);
                    }
                }
                self.added(key, effect);
            }
            What::WorkTaken { key } => {
                if let Some(place) = self.queued.iter().position(|queued| queued == key) {
                    self.queued.remove(place);
                }
                self.processing.push(InWork { key: key.clone(), again: false });
            }
            What::WorkDone { key, again } => {
                self.processing.retain(|work| work.key != *key);
                if *again {
                    self.queued.push_back(key.clone());
                }
            }
            What::WorkDelayed { key, delay_ms, .. } => self.delayed(key, at + Duration::from_millis(*delay_ms)),
            _ => {}
        }
    }

    fn added(&mut self, key: &str, effect: &str) {
        match effect {
            "queued" => self.queued.push_back(key.to_owned()),
            "when_done" => {
                self.processing.iter_mut().filter(|work| work.key == key).for_each(|work| work.again = true);
            }
            _ => {}
        }
    }

    /// Delays a key. If the key is delayed already, the earlier of the two times counts.
    fn delayed(&mut self, key: &str, due: Duration) {
        match self.delayed.iter().position(|(_, delayed)| delayed == key) {
            Some(place) if self.delayed[place].0 <= due => return,
            Some(place) => drop(self.delayed.remove(place)),
            None => {}
        }
        let place = self.delayed.partition_point(|(other, _)| *other <= due);
        self.delayed.insert(place, (due, key.to_owned()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn work(events: &[(u64, Option<Cause>, What)]) -> Work {
        let mut work = Work::default();
        events.iter().for_each(|(at, cause, what)| work.apply(what, *cause, Duration::from_millis(*at)));
        work
    }

    fn added(key: &str, effect: &str) -> What {
        What::WorkAdded { key: key.to_owned(), effect: effect.to_owned() }
    }

    fn delayed(key: &str, delay_ms: u64) -> What {
        What::WorkDelayed { key: key.to_owned(), delay_ms, rate_limited: false }
    }

    #[test]
    fn a_key_that_is_added_while_a_worker_has_it_is_queued_when_the_work_is_over() {
        let (a, b) = ("a".to_owned(), "b".to_owned());
        let mut events = vec![
            (0, None, added("a", "queued")),
            (0, None, added("b", "queued")),
            (1, None, What::WorkTaken { key: a.clone() }),
            (2, None, added("a", "when_done")),
        ];
        let before = work(&events);
        assert_eq!(
            (before.queued, before.processing),
            ([b.clone()].into(), vec![InWork { key: a.clone(), again: true }])
        );
        events.push((3, None, What::WorkDone { key: a.clone(), again: true }));
        let after = work(&events);
        assert_eq!((after.queued, after.processing), ([b, a].into(), vec![]));
    }

    #[test]
    fn the_earlier_of_two_times_counts_and_a_due_key_is_no_longer_delayed() {
        let ms = Duration::from_millis;
        let mut events = vec![(0, None, delayed("c", 80)), (0, None, delayed("b", 20)), (10, None, delayed("c", 30))];
        events.push((10, None, delayed("b", 90)));
        assert_eq!(work(&events).delayed, [(ms(20), "b".to_owned()), (ms(40), "c".to_owned())]);
        events.push((20, Some(Cause::Timer), added("b", "queued")));
        events.push((20, Some(Cause::Call), added("c", "queued"))); // queued by another call, so its timer still adds it later
        let after = work(&events);
        assert_eq!((after.queued, after.delayed.len()), (["b".to_owned(), "c".to_owned()].into(), 1));
    }
}
