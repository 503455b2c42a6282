//! The kinds of the API group `apps`, each in a module.

pub(super) mod controller_revision;
pub(super) mod daemon_set;
pub(super) mod deployment;
pub(super) mod int_or_percent;
pub(super) mod replica_set;
mod selected_template;
pub(super) mod stateful_set;
