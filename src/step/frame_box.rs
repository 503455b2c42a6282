//! The boxes of a frame: their order, their titles, and which of them an event changes.

use super::run_parts::RunParts;
use crate::trace::{Cause, Lang, Record, What};

/// A box of a frame: it shows one part of the informer or of the work queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FrameBox {
    Server,
    Queue,
    Store,
    Handlers,
    /// The order of the keys in the work queue, client-go's `queue`.
    WorkQueue,
    /// The keys that need work, client-go's `dirty`.
    Dirty,
    /// The keys that workers have, client-go's `processing`.
    Processing,
    /// The keys that a timer adds later.
    Delayed,
}

/// The rows of boxes, each box with its share of the width. A frame leaves out the boxes of parts that the run does not
/// have, and the others take their room.
pub(super) const ROWS: [&[(FrameBox, u16)]; 3] = [
    &[(FrameBox::Server, 35), (FrameBox::Queue, 65)],
    &[(FrameBox::Store, 45), (FrameBox::Handlers, 55)],
    &[(FrameBox::WorkQueue, 25), (FrameBox::Dirty, 25), (FrameBox::Processing, 25), (FrameBox::Delayed, 25)],
];

impl FrameBox {
    /// Returns the boxes that an event changes.
    pub fn changed_by(record: &Record) -> &'static [Self] {
        match &record.what {
            What::Committed { .. } => &[Self::Server],
            What::Queued { .. } | What::Merged { .. } | What::Dropped { .. } | What::Popped { .. } => &[Self::Queue],
            What::Stored { .. } | What::Removed { .. } | What::Replaced { .. } => &[Self::Store],
            What::Joined { .. }
            | What::Notified { .. }
            | What::Coalesced { .. }
            | What::Calling { .. }
            | What::Called { .. } => &[Self::Handlers],
            What::WorkAdded { effect, .. } => match effect.as_str() {
                "queued" if record.cause == Some(Cause::Timer) => &[Self::WorkQueue, Self::Dirty, Self::Delayed],
                "queued" => &[Self::WorkQueue, Self::Dirty],
                "when_done" => &[Self::Dirty],
                _ => &[],
            },
            What::WorkTaken { .. } => &[Self::WorkQueue, Self::Dirty, Self::Processing],
            What::WorkDone { again: true, .. } => &[Self::WorkQueue, Self::Processing],
            What::WorkDone { again: false, .. } => &[Self::Processing],
            What::WorkDelayed { .. } => &[Self::Delayed],
            _ => &[],
        }
    }

    /// Returns true if a run with these parts has the box.
    pub fn is_in(self, parts: &RunParts) -> bool {
        match self {
            Self::Server => parts.server,
            Self::Queue => parts.queue.is_some(),
            Self::Store => parts.has_store(),
            Self::Handlers => parts.handlers,
            Self::WorkQueue | Self::Dirty | Self::Processing => parts.work,
            Self::Delayed => parts.delays,
        }
    }

    /// Returns the title. It explains the marks in the box.
    pub fn title(self, parts: &RunParts, lang: Lang) -> String {
        let title = match self {
            Self::Server => "API server",
            Self::Queue => parts.queue.as_deref().unwrap_or("queue"),
            Self::Store => "Indexer (store)",
            Self::Handlers => lang.pick("Processor ([waiting] ▶ in hand)", "Processor（[等待] ▶ 处理中）"),
            Self::WorkQueue => "work queue",
            Self::Dirty => "dirty",
            Self::Processing => "processing",
            Self::Delayed => "delayed",
        };
        title.to_owned()
    }

    /// Returns the text of the box while it is empty: what it will hold.
    pub fn empty_text(self, lang: Lang) -> &'static str {
        let (en, zh) = match self {
            Self::Server => ("empty: objects, with their versions", "空：对象及其版本"),
            Self::Queue => ("empty: deltas, oldest first", "空：Delta，先来的在前"),
            Self::Store => ("empty: objects, with their versions", "空：对象及其版本"),
            Self::Handlers => ("no handler yet", "还没有 handler"),
            Self::WorkQueue => ("empty: keys, in order", "空：key，按顺序"),
            Self::Dirty => ("empty: keys that need work", "空：需要处理的 key"),
            Self::Processing => ("empty: keys that workers have", "空：worker 手里的 key"),
            Self::Delayed => ("empty: keys that come later", "空：稍后加入的 key"),
        };
        lang.pick(en, zh)
    }
}
