//! Replaces `process_group.rs` on systems without signals, such as Windows, where nothing is passed on or killed.

use tokio::process::{Child, Command};
use tokio::time::Instant;

/// The process group that a command runs in. This system has only one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::cluster) struct ProcessGroup;

impl ProcessGroup {
    pub(in crate::cluster) fn choose() -> Self {
        Self
    }

    pub(super) fn prepare(self, _: &mut Command) {}
}

#[derive(Debug)]
pub(super) struct CommandProcesses;

impl CommandProcesses {
    pub(super) fn new(_: ProcessGroup, _: &Child) -> Self {
        Self
    }

    /// Passes nothing on: the system sends Ctrl-C to the command itself.
    pub(super) fn pass_on(&self, _: u8) -> bool {
        false
    }

    pub(super) fn kill(&self) {}

    pub(super) async fn wait_until_ended(&self, _: Instant) {}
}
