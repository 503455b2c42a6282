//! The effects of faults (what fails, and how), their names in the text form, and the options that each one takes.

use std::time::Duration;

/// The effect of a fault. Each variant begins with its name in the text form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Effect {
    /// `drop-watches`: the open watches end at once, cleanly, after the events that were already sent.
    DropWatches,
    /// `hide-events`: watches do not get changes. Lists show the changes, and so do watches that start from an earlier
    /// version.
    HideEvents,
    /// `compact`: the history is dropped at once, as by [`Cluster::compact`](crate::Cluster::compact).
    Compact,
    /// `lag`: the watch cache is held back while storage goes on, and catches up when the fault ends. Reads that need a
    /// newer state wait three seconds; then a consistent list comes from storage, and any other read is refused with
    /// 504.
    Lag,
    /// `500`: the response is an InternalError.
    InternalError,
    /// `429`: the response is TooManyRequests.
    TooManyRequests {
        /// In seconds.
        retry_after: u32,
    },
    /// `504`: the response is a Timeout.
    Timeout,
    /// `delay`: the request is handled after this time.
    Delay(Duration),
    /// `cut-watches`: the connection of a watch breaks in the middle of the next event.
    CutWatches,
    /// `freeze-bookmarks`: no bookmarks are sent, except the one that ends the initial events of a streaming list.
    FreezeBookmarks,
    /// `refuse-watch-list`: streaming lists are refused with 422, as by a server with `WatchList=false`.
    RefuseWatchList,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FaultOption {
    Verb,
    Resource,
    Times,
    For,
    RetryAfter,
    By,
}

impl FaultOption {
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
    /// Returns the name of each effect, as used in the text of a fault.
    pub fn names() -> impl Iterator<Item = &'static str> {
        Self::ALL.into_iter().map(Self::name)
    }

    /// Every effect, with its default values.
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

    pub(super) fn options(self) -> &'static [FaultOption] {
        use FaultOption::{By, For, Resource, RetryAfter, Times, Verb};
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

    /// Returns true if the fault happens once by default. Any other fault lasts until it is ended; `refuse-watch-list`
    /// is one of these, because it stands for a setting of the server.
    pub(super) fn is_counted(self) -> bool {
        self.options().contains(&FaultOption::Times) && self != Self::RefuseWatchList
    }
}
