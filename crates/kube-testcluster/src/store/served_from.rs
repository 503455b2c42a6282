//! The two sources of a read.

/// The source that answers a read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ServedFrom {
    /// The counterpart of etcd.
    Storage,
    WatchCache,
}
