//! Daemon sets.

use crate::kinds::columns;
use crate::kinds::resource::{Generation, Resource, Subresource};

/// The row of a DaemonSet.
pub(in crate::kinds) const ROW: Resource = Resource {
    group: "apps",
    plural: "daemonsets",
    singular: "daemonset",
    kind: "DaemonSet",
    storage_hash: "dd7pWHUlMKQ=",
    short_names: &["ds"],
    categories: &["all"],
    subresources: &[Subresource::Status],
    generation: Generation::Counted,
    columns: columns::workloads::DAEMON_SETS,
    ..Resource::USUAL
};
