//! The content of the boxes of a frame, as lines: the API server's objects, the queue, the store, the handlers, and the
//! work queue. Only the lines that a box has room for are made, because a box is drawn in each frame.

use std::time::Duration;

use unicode_width::UnicodeWidthStr;

use super::fit::{cut, joined, shortened};
use super::frame_box::FrameBox;
use super::session::Session;
use crate::trace::{Listener, Pipeline, QueuedNotification, Slot, WaitingDelta, Work, short};

/// The part of the picture that a box shows.
#[derive(Clone, Copy)]
pub(super) enum BoxContent<'a> {
    Server(&'a Pipeline),
    Queue(&'a Pipeline),
    Store(&'a Pipeline),
    Handlers(&'a Pipeline),
    WorkQueue(&'a Work),
    Dirty(&'a Work),
    Processing(&'a Work),
    Delayed(&'a Work),
}

impl<'a> BoxContent<'a> {
    /// Returns the content of a box in the session's current picture.
    pub(super) fn of(part: FrameBox, session: &'a Session) -> Self {
        let (pipeline, work) = (session.picture().pipeline_of(session.kind()), &session.picture().work);
        match part {
            FrameBox::Server => Self::Server(pipeline),
            FrameBox::Queue => Self::Queue(pipeline),
            FrameBox::Store => Self::Store(pipeline),
            FrameBox::Handlers => Self::Handlers(pipeline),
            FrameBox::WorkQueue => Self::WorkQueue(work),
            FrameBox::Dirty => Self::Dirty(work),
            FrameBox::Processing => Self::Processing(work),
            FrameBox::Delayed => Self::Delayed(work),
        }
    }

    /// Returns the lines for a box of this width and height, with the line of the object `about` among them.
    pub(super) fn lines(self, about: Option<&str>, (width, height): (usize, usize)) -> Vec<String> {
        match self {
            Self::Server(pipeline) => {
                let about = about.and_then(|key| Some(object(key, pipeline.server.get(key)?, width)));
                shortened(server_lines(pipeline, width), pipeline.server.len(), about, height)
            }
            Self::Queue(pipeline) => {
                let about = about.and_then(|key| pipeline.queue.of(key).next_back());
                let about = about.map(|slot| slot_line(slot, width));
                shortened(queue_lines(pipeline, width), pipeline.queue.len(), about, height)
            }
            Self::Store(pipeline) => {
                let about = about.and_then(|key| Some(object(key, pipeline.store.get(key)?, width)));
                let sets: usize = pipeline.indices.values().map(|sets| sets.len()).sum();
                shortened(store_lines(pipeline, width), pipeline.store.len() + sets, about, height)
            }
            Self::Handlers(pipeline) => {
                shortened(handler_lines(pipeline, width), pipeline.listeners.len(), None, height)
            }
            Self::WorkQueue(work) => {
                shortened(queue_keys(work, width), work.queued.len(), about.map(|key| key_line(key, width)), height)
            }
            Self::Dirty(work) => {
                let count = work.dirty().count();
                shortened(dirty_keys(work, width), count, about.map(|key| key_line(key, width)), height)
            }
            Self::Processing(work) => shortened(processing_keys(work, width), work.processing.len(), None, height),
            Self::Delayed(work) => {
                let about = about.and_then(|key| work.delayed.iter().find(|(_, delayed)| delayed == key));
                let about = about.map(|(due, key)| delayed_line(*due, key, width));
                shortened(delayed_keys(work, width), work.delayed.len(), about, height)
            }
        }
    }
}

pub(super) fn server_lines(pipeline: &Pipeline, width: usize) -> impl Iterator<Item = String> {
    pipeline.server.iter().map(move |(key, version)| object(key, version, width))
}

/// Formats an object with its version. A long name is cut, because the version is the part that changes.
fn object(key: &str, version: &str, width: usize) -> String {
    let version = cut(version, width);
    format!("{} {version}", cut(short(key), width.saturating_sub(version.width() + 1)))
}

pub(super) fn queue_lines(pipeline: &Pipeline, width: usize) -> impl Iterator<Item = String> {
    pipeline.queue.iter().map(move |slot| slot_line(slot, width))
}

/// Formats a slot of the queue. `†` marks a tombstone.
fn slot_line(slot: &Slot, width: usize) -> String {
    let delta = |delta: &WaitingDelta| {
        let version = delta.resource_version.as_deref().map(|version| format!(" {}", cut(version, width)));
        let mark = if delta.tombstone { "†" } else { "" };
        format!("{}{mark}{}", cut(&delta.delta, width), version.unwrap_or_default())
    };
    let deltas = format!(": [{}]", joined(slot.deltas.iter().map(delta), ", ", width));
    format!("{}{deltas}", cut(short(&slot.key), width.saturating_sub(deltas.width()).max(8)))
}

/// Formats the objects of the store, and then the keys of each indexed value.
pub(super) fn store_lines(pipeline: &Pipeline, width: usize) -> impl Iterator<Item = String> {
    let objects = pipeline.store.iter().map(move |(key, version)| object(key, version, width));
    let sets = pipeline.indices.iter().flat_map(move |(index, sets)| {
        sets.iter().map(move |(value, keys)| {
            let keys = joined(keys.iter().map(|key| cut(short(key), width)), " ", width);
            format!("{}/{}: {keys}", cut(index, width), cut(value, width))
        })
    });
    objects.chain(sets)
}

/// Formats the handlers: the notifications that wait in the buffer, and behind `▶` the one that is being handled.
pub(super) fn handler_lines(pipeline: &Pipeline, width: usize) -> impl Iterator<Item = String> {
    pipeline.listeners.iter().map(move |(id, listener)| handler_line(*id, listener, width))
}

fn handler_line(id: usize, listener: &Listener, width: usize) -> String {
    let line = |queued: &QueuedNotification| {
        format!("{} {}", cut(&queued.notification, width), cut(short(&queued.key), width))
    };
    let in_hand = listener.in_hand.as_ref().map(|hand| format!(" ▶ {}", line(hand))).unwrap_or_default();
    let pending = joined(listener.pending.iter().map(line), ", ", width);
    let whole = format!("{id}: [{pending}]{in_hand}");
    if whole.width() <= width {
        return whole;
    }
    // Too long: show the number of waiting notifications instead, and keep the one in hand visible.
    cut(&format!("{id}: [… {}]{in_hand}", listener.pending.len()), width)
}

/// Formats the keys of the work queue, the next one first.
pub(super) fn queue_keys(work: &Work, width: usize) -> impl Iterator<Item = String> {
    work.queued.iter().map(move |key| key_line(key, width))
}

/// Formats the keys that need work.
pub(super) fn dirty_keys(work: &Work, width: usize) -> impl Iterator<Item = String> {
    work.dirty().map(move |key| key_line(key, width))
}

/// Formats the keys that workers have.
pub(super) fn processing_keys(work: &Work, width: usize) -> impl Iterator<Item = String> {
    work.processing.iter().map(move |work| key_line(&work.key, width))
}

/// Formats the delayed keys with the time of the run at which they are added.
pub(super) fn delayed_keys(work: &Work, width: usize) -> impl Iterator<Item = String> {
    work.delayed.iter().map(move |(due, key)| delayed_line(*due, key, width))
}

fn key_line(key: &str, width: usize) -> String {
    cut(short(key), width)
}

fn delayed_line(due: Duration, key: &str, width: usize) -> String {
    format!("{} @{} ms", cut(short(key), width), due.as_millis())
}
