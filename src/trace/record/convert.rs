//! Converts the events that the informers, the built-in cluster and the workqueue report into events of a record. A
//! record has types of its own, because its JSON must stay readable for later versions of the program.

use std::fmt::Display;
use std::time::Duration;

use super::{WaitingDelta, What};
use kube_informers::cache::observe::{Event, QueueName};
use kube_informers::workqueue::{Effect, WorkEvent};
use kube_testcluster::{Change, Write};

impl From<Event> for What {
    fn from(event: Event) -> Self {
        match event {
            Event::Listed { resource_version, objects } => Self::Listed { resource_version, objects },
            Event::ListFailed { error } => Self::ListFailed { error },
            Event::Watching { resource_version } => Self::Watching { resource_version },
            Event::WatchFailed { error } => Self::WatchFailed { error },
            Event::Watched { kind, key, resource_version } => {
                Self::Watched { kind: kind.to_owned(), key, resource_version }
            }
            Event::Relisting { reason } => Self::Relisting { reason },
            Event::Queued { queue, delta, key, tombstone, known_objects } => Self::Queued {
                queue: name(queue),
                key: key.unwrap_or_default(),
                known_objects,
                delta: WaitingDelta { tombstone, ..WaitingDelta::named(delta) },
            },
            Event::Merged { key } => Self::Merged { key },
            Event::Dropped { key, known_objects } => Self::Dropped { key, known_objects },
            Event::Popped { queue, key, deltas, initial } => Self::Popped {
                queue: name(queue),
                key: key.unwrap_or_default(),
                deltas: deltas.into_iter().map(WaitingDelta::named).collect(),
                initial,
            },
            Event::Stored { key, resource_version, old, indices } => {
                Self::Stored { key, resource_version, old, indices }
            }
            Event::Removed { key, old, indices } => Self::Removed { key, old, indices },
            Event::Replaced { resource_version, objects } => Self::Replaced { resource_version, objects },
            Event::Joined { listener, coalesces, existing } => Self::Joined { listener, coalesces, existing },
            Event::Notified { listener, notification, key, resource_version, tombstone, pending } => {
                let notification = notification.to_owned();
                Self::Notified { listener, notification, key, resource_version, tombstone, pending }
            }
            Event::Coalesced { listener, notification, key, resource_version, tombstone, pending } => {
                let notification = notification.to_owned();
                Self::Coalesced { listener, notification, key, resource_version, tombstone, pending }
            }
            Event::Calling { listener, notification, key, pending } => {
                Self::Calling { listener, notification: notification.to_owned(), key, pending }
            }
            Event::Called { listener, notification, key, pending } => {
                Self::Called { listener, notification: notification.to_owned(), key, pending }
            }
            Event::Resynced => Self::Resynced {},
            Event::Synced => Self::Synced {},
            _ => Self::Unknown,
        }
    }
}

impl From<&Write> for What {
    fn from(write: &Write) -> Self {
        let change = match write.change {
            Change::Existing => "existing",
            Change::Created => "created",
            Change::Updated => "updated",
            Change::Deleted => "deleted",
        };
        Self::Committed {
            change: change.to_owned(),
            key: write.key.clone(),
            resource_version: write.revision.to_string(),
            hidden: write.hidden,
        }
    }
}

impl<T: Display> From<&WorkEvent<'_, T>> for What {
    fn from(event: &WorkEvent<'_, T>) -> Self {
        match event {
            WorkEvent::Added { key, effect } | WorkEvent::Due { key, effect } => {
                let effect = match effect {
                    Effect::Queued => "queued",
                    Effect::WhenDone => "when_done",
                    Effect::Nothing => "nothing",
                };
                Self::WorkAdded { key: key.to_string(), effect: effect.to_owned() }
            }
            WorkEvent::Taken { key } => Self::WorkTaken { key: key.to_string() },
            WorkEvent::Done { key, again } => Self::WorkDone { key: key.to_string(), again: *again },
            WorkEvent::Delayed { key, delay } => {
                Self::WorkDelayed { key: key.to_string(), delay_ms: milliseconds(*delay), rate_limited: false }
            }
            WorkEvent::RateLimited { key, delay } => {
                Self::WorkDelayed { key: key.to_string(), delay_ms: milliseconds(*delay), rate_limited: true }
            }
            _ => Self::Unknown,
        }
    }
}

fn milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

fn name(queue: QueueName) -> String {
    match queue {
        QueueName::DeltaFifo => "DeltaFIFO".to_owned(),
        QueueName::RealFifo => "RealFIFO".to_owned(),
    }
}

/// Returns the kind of the objects that a type holds, by the type's name: `Pod` for `k8s_openapi::api::core::v1::Pod`,
/// and also for the `SlimPod` into which a controller decodes pods.
pub(super) fn kind_of_type(name: &str) -> &str {
    let outer = name.split('<').next().unwrap_or(name);
    let short = outer.rsplit("::").next().unwrap_or(outer).trim_start_matches('&');
    short.strip_prefix("Slim").unwrap_or(short)
}
