//! The kinds of the API group `apps`, such as Deployment, which keep sets of pods running. Each module has one kind:
//! its row in the table of kinds, its defaults and its validation.

pub(super) mod controller_revision;
pub(super) mod daemon_set;
pub(super) mod deployment;
pub(super) mod int_or_percent;
pub(super) mod replica_set;
mod selected_template;
pub(super) mod stateful_set;
