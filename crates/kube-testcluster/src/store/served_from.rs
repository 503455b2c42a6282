//! The two sources of a read.

/// Which of the two has answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ServedFrom {
    /// The counterpart of etcd.
    Storage,
    WatchCache,
}
