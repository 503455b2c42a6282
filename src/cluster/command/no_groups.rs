//! The processes of a command where there are no signals to pass on.

use tokio::process::{Child, Command};
use tokio::time::Instant;

/// Where a command runs: there is one place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::cluster) struct Place;

impl Place {
    pub(in crate::cluster) fn choose() -> Self {
        Self
    }

    pub(super) fn prepare(self, _: &mut Command) {}
}

/// The command.
#[derive(Debug)]
pub(super) struct Group;

impl Group {
    pub(super) fn of(_: Place, _: &Child) -> Self {
        Self
    }

    /// Ctrl-C reaches the command by itself.
    pub(super) fn pass_on(&self, _: u8) -> bool {
        false
    }

    pub(super) fn kill(&self) {}

    pub(super) async fn ended_by(&self, _: Instant) {}
}
