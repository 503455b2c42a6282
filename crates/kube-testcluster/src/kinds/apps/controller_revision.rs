//! Controller revisions.

use crate::kinds::columns;
use crate::kinds::resource::Resource;

/// The row of a ControllerRevision.
pub(in crate::kinds) const ROW: Resource = Resource {
    group: "apps",
    plural: "controllerrevisions",
    singular: "controllerrevision",
    kind: "ControllerRevision",
    storage_hash: "85nkx63pcBU=",
    columns: columns::workloads::CONTROLLER_REVISIONS,
    ..Resource::USUAL
};
