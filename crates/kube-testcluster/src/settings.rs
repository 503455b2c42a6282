//! What a server is made with.

use std::time::Duration;

use super::era::Era;

/// Which controllers a cluster has besides its kubelet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Controllers {
    /// Those that collect garbage and empty namespaces.
    #[default]
    All,
    /// None, as an API server has that stands alone: dependents outlive their owners, what a finalizer of the garbage
    /// collector holds stays, and a deleted namespace is gone at once, whatever is in it.
    None,
}

/// Everything that is chosen before the start and stays.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Settings {
    pub(crate) era: Era,
    pub(crate) seed: u64,
    /// How long a write takes before it is seen by anyone.
    pub(crate) commit_latency: Duration,
    /// How many revisions storage keeps, and how many events each watch cache.
    pub(crate) history: usize,
    /// How long storage keeps a state that is no longer the present one.
    pub(crate) history_age: Duration,
    /// How often a watch that allows bookmarks gets one.
    pub(crate) bookmarks: Duration,
    /// How many events may wait for the reader of a watch.
    pub(crate) watch_buffer: usize,
    /// How many watches clients may have open.
    pub(crate) max_watches: usize,
    /// Whether a modern server serves streaming lists.
    pub(crate) watch_list: bool,
    pub(crate) controllers: Controllers,
}

impl Settings {
    pub(crate) fn streams_lists(&self) -> bool {
        self.watch_list && self.era == Era::Modern
    }
}
