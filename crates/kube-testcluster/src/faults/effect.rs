//! What goes wrong.

use std::time::Duration;

/// What a fault does, and under which name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// `drop-watches`: the watches that are open end in order, at once, after what was already sent to them.
    DropWatches,
    /// `hide-events`: watches are not told of changes. Lists, and watches that are opened again from before, know them.
    HideEvents,
    /// `compact`: the past is forgotten at once, as by [`Cluster::compact`](crate::Cluster::compact).
    Compact,
    /// `lag`: the watch cache stands still while storage goes on; what it missed it learns at the end. Reads that must not
    /// be older wait three seconds; then a consistent list comes from storage, and any other is refused with 504.
    Lag,
    /// `500`: the answer is an InternalError.
    InternalError,
    /// `429`: the answer is TooManyRequests.
    TooManyRequests {
        /// In seconds.
        retry_after: u32,
    },
    /// `504`: the answer is a Timeout.
    Timeout,
    /// `delay`: nothing happens for this long, then what would have happened.
    Delay(Duration),
    /// `cut-watches`: the next event breaks off in its middle, and with it the connection.
    CutWatches,
    /// `freeze-bookmarks`: no bookmarks come, except the one that ends the initial events of a streaming list.
    FreezeBookmarks,
    /// `refuse-watch-list`: streaming lists are refused with 422, as by a server with `WatchList=false`.
    RefuseWatchList,
}

/// An option that the text of a fault can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Choice {
    Verb,
    Resource,
    Times,
    For,
    RetryAfter,
    By,
}

impl Choice {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Verb => "verb",
            Self::Resource => "resource",
            Self::Times => "times",
            Self::For => "for",
            Self::RetryAfter => "retry-after",
            Self::By => "by",
        }
    }
}

impl Effect {
    /// One of each.
    pub(super) const ALL: [Self; 11] = [
        Self::DropWatches,
        Self::HideEvents,
        Self::Compact,
        Self::Lag,
        Self::InternalError,
        Self::TooManyRequests { retry_after: 1 },
        Self::Timeout,
        Self::Delay(Duration::from_secs(1)),
        Self::CutWatches,
        Self::FreezeBookmarks,
        Self::RefuseWatchList,
    ];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::DropWatches => "drop-watches",
            Self::HideEvents => "hide-events",
            Self::Compact => "compact",
            Self::Lag => "lag",
            Self::InternalError => "500",
            Self::TooManyRequests { .. } => "429",
            Self::Timeout => "504",
            Self::Delay(_) => "delay",
            Self::CutWatches => "cut-watches",
            Self::FreezeBookmarks => "freeze-bookmarks",
            Self::RefuseWatchList => "refuse-watch-list",
        }
    }

    pub(super) fn choices(self) -> &'static [Choice] {
        use Choice::{By, For, Resource, RetryAfter, Times, Verb};
        match self {
            Self::DropWatches => &[Resource],
            Self::Compact => &[],
            Self::Lag | Self::FreezeBookmarks => &[Resource, For],
            Self::HideEvents | Self::CutWatches | Self::RefuseWatchList => &[Resource, Times, For],
            Self::InternalError | Self::Timeout => &[Verb, Resource, Times, For],
            Self::TooManyRequests { .. } => &[Verb, Resource, Times, For, RetryAfter],
            Self::Delay(_) => &[Verb, Resource, Times, For, By],
        }
    }

    /// Whether it happens once where nothing else is said, rather than until it is ended.
    pub(super) fn is_counted(self) -> bool {
        self.choices().contains(&Choice::Times) && self != Self::RefuseWatchList
    }
}
