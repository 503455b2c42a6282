//! Computes the cause of each event from the events before it, because the informers do not pass causes along. The
//! recorder has one tracker for each informer.
//!
//! A Reflector hands a list, a watch event or a resync to its store before it does anything else, and the consumer of a
//! queue processes the popped deltas before it pops again. So the last event of that kind is the cause of the events
//! that follow, and a queued delta keeps its cause.

use std::collections::BTreeMap;

use super::{Cause, WaitingDelta, What};
use crate::trace::picture::Pipeline;

/// The recent events of one Reflector that decide the causes of later events.
#[derive(Debug, Default)]
pub(super) struct CauseTracker {
    /// The objects that the Reflector handed over last, and why: the cause of the deltas that are queued next.
    handing: Option<Handing>,
    /// True from an event `relisting` until its list comes.
    relisting: bool,
    /// True if a watch has been opened since the last list.
    watched_since_list: bool,
    /// True if the program asked for a resync that has not begun yet.
    asked_to_resync: bool,
}

/// The objects that a Reflector hands to its store at once: those of a list, of a watch event, or of a resync.
#[derive(Debug)]
struct Handing {
    cause: Cause,
    /// The objects' versions by key.
    versions: BTreeMap<String, String>,
}

impl CauseTracker {
    /// Returns the cause of an event, given the pipeline's state before it. Remembers the event for the causes of later
    /// ones.
    pub fn cause_of(&mut self, what: &What, before: &Pipeline) -> Option<Cause> {
        let list = if before.lists == 0 { Cause::InitialList } else { Cause::Relist };
        Some(match what {
            What::Run(_) | What::Line { .. } | What::Narration { .. } | What::Unknown => return None,
            What::Committed { change, .. } if change == "existing" => Cause::Start,
            What::Committed { .. } => Cause::Write,
            What::Listed { objects, .. } => {
                let versions = objects.iter().map(|object| (object.key.clone(), object.resource_version.clone()));
                self.note_handed(list, versions.collect());
                self.watched_since_list = self.is_streaming_a_list(before);
                (self.relisting, self.asked_to_resync) = (false, false); // a Reflector does not resync while it lists
                list
            }
            What::ListFailed { .. } => list,
            What::Watching { .. } => self.cause_of_watch(before),
            What::Watched { key, resource_version, .. } => {
                let cause = if self.is_streaming_a_list(before) { list } else { Cause::Watch };
                self.note_handed(cause, BTreeMap::from([(key.clone(), resource_version.clone())]));
                cause
            }
            What::WatchFailed { .. } | What::Relisting { .. } => {
                self.relisting |= matches!(what, What::Relisting { .. });
                Cause::Watch
            }
            What::Resynced {} => {
                self.note_handed(Cause::Resync, before.store.clone());
                if std::mem::take(&mut self.asked_to_resync) { Cause::Call } else { Cause::Timer }
            }
            What::Queued { delta, .. } if delta.delta == "SyncAll" => Cause::Resync,
            What::Queued { .. } | What::Merged { .. } | What::Dropped { .. } => self.handing_cause(),
            What::Popped { deltas, .. } => deltas.last().and_then(|delta| delta.cause).unwrap_or(Cause::Call),
            What::Stored { key, resource_version, .. } => self.cause_of_change(key, Some(resource_version), before),
            What::Removed { key, .. } => self.cause_of_change(key, None, before),
            What::Replaced { .. } => {
                cause_in_hand(before, |delta| delta.delta == "ReplacedAll").unwrap_or(self.handing_cause())
            }
            What::Joined { .. } => Cause::HandlerAdded,
            What::Notified { listener, key, resource_version, .. }
            | What::Coalesced { listener, key, resource_version, .. } => {
                match before.listeners.get(listener).is_some_and(|listener| listener.replay > 0) {
                    true => Cause::HandlerAdded,
                    false => self.cause_of_notification(key, resource_version, before),
                }
            }
            What::Calling { listener, key, .. } | What::Called { listener, key, .. } => {
                let listener = before.listeners.get(listener);
                let notification = listener.and_then(|listener| {
                    let waiting = listener.pending.iter().find(|notification| notification.key == *key);
                    if matches!(what, What::Called { .. }) { listener.in_hand.as_ref() } else { waiting }
                });
                notification.and_then(|notification| notification.cause).unwrap_or(Cause::Call)
            }
            What::Synced {} => Cause::InitialList,
            // The recorder sets the causes of workqueue events itself.
            What::WorkAdded { .. } | What::WorkTaken { .. } | What::WorkDone { .. } | What::WorkDelayed { .. } => {
                Cause::Call
            }
        })
    }

    /// Returns the version of the object in a queued delta. For a tombstone, it is the last version that was queued or
    /// stored.
    pub fn version_of(&self, key: &str, delta: &WaitingDelta, before: &Pipeline) -> Option<String> {
        let handed = self.handing.as_ref().and_then(|handing| handing.versions.get(key)).cloned();
        let last_queued = || before.queued(key).last().and_then(|delta| delta.resource_version.clone());
        let stored = || before.store.get(key).cloned();
        if delta.tombstone { last_queued().or_else(stored) } else { handed }
    }

    /// Notes that the program, not the resync period, starts the next resync.
    pub fn expect_resync(&mut self) {
        self.asked_to_resync = true;
    }

    fn note_handed(&mut self, cause: Cause, versions: BTreeMap<String, String>) {
        self.handing = Some(Handing { cause, versions });
    }

    fn handing_cause(&self) -> Cause {
        self.handing.as_ref().map_or(Cause::Call, |handing| handing.cause)
    }

    /// Returns true if the open watch still sends the objects of the first list or of a relist.
    fn is_streaming_a_list(&self, before: &Pipeline) -> bool {
        before.watching && (before.lists == 0 || self.relisting)
    }

    /// Returns the cause of a WATCH request: it follows the first list, a relist, or the end of an earlier watch.
    fn cause_of_watch(&mut self, before: &Pipeline) -> Cause {
        let again = std::mem::replace(&mut self.watched_since_list, true);
        match before.lists {
            _ if self.relisting => Cause::Relist,
            0 => Cause::InitialList,
            _ if again => Cause::Timer, // a watch ends by its time limit, and the Reflector opens the next one
            1 => Cause::InitialList,
            _ => Cause::Relist,
        }
    }

    /// Returns the cause of a change of the store: that of the popped delta with the same key or version. Without a
    /// queue, the Reflector changes the store directly.
    fn cause_of_change(&self, key: &str, version: Option<&String>, before: &Pipeline) -> Cause {
        let same = |delta: &WaitingDelta| version.is_some() && delta.resource_version.as_ref() == version;
        let popped = before.in_hand.iter().find(|(popped, delta)| popped == key || same(delta));
        match popped.and_then(|(_, delta)| delta.cause) {
            Some(cause) => cause,
            None => match &self.handing {
                Some(handing) if handing.versions.contains_key(key) => handing.cause,
                _ => Cause::Call,
            },
        }
    }

    /// Returns the cause of a notification: that of a popped delta of many objects, else that of the object's change.
    fn cause_of_notification(&self, key: &str, version: &String, before: &Pipeline) -> Cause {
        let of_all = cause_in_hand(before, |delta| matches!(delta.delta.as_str(), "ReplacedAll" | "SyncAll"));
        of_all.unwrap_or_else(|| self.cause_of_change(key, Some(version), before))
    }
}

/// Returns the cause of the first such delta among those that the consumer is processing.
fn cause_in_hand(before: &Pipeline, is: impl Fn(&WaitingDelta) -> bool) -> Option<Cause> {
    before.in_hand.iter().find(|(_, delta)| is(delta)).and_then(|(_, delta)| delta.cause)
}
