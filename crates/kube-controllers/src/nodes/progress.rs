//! Tracks the kubelet's work on pods, so that a test can wait until nothing more happens by itself. The scheduler only
//! marks the pods that wait for it as resting.

use tokio::sync::watch;

/// The progress of the kubelet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// The revision up to which the kubelet has seen all changes of pods.
    pub(crate) seen: u64,
    /// The number of tasks that run stages or write a part of a status, including the resting ones.
    pub(crate) busy: usize,
    /// The number of those tasks whose stages never end, or wait for another change.
    pub(crate) resting: usize,
}

impl Progress {
    /// Returns true if the kubelet has seen this revision, and nothing more happens without another change.
    pub fn is_settled(&self, revision: u64) -> bool {
        self.busy <= self.resting && self.seen >= revision
    }
}

/// A guard that counts a pod as resting, because its task waits for a change, or its stages never end.
#[derive(Debug)]
pub(super) struct Resting(watch::Sender<Progress>);

impl Resting {
    pub(super) fn new(progress: &watch::Sender<Progress>) -> Self {
        progress.send_modify(|progress| progress.resting += 1);
        Self(progress.clone())
    }
}

impl Drop for Resting {
    fn drop(&mut self) {
        self.0.send_modify(|progress| progress.resting -= 1);
    }
}
