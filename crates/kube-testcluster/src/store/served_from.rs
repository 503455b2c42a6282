//! The two sources of a read. The watch cache is cheaper and may be behind; storage always has the current state. As
//! upstream, the kind and the request's resourceVersion decide between them (see `verbs/list_plan.rs` and
//! `verbs/get.rs`).

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ServedFrom {
    /// The counterpart of etcd.
    Storage,
    WatchCache,
}
