//! Runtime classes. Upstream: `pkg/apis/node`.

use crate::kinds::columns;
use crate::kinds::resource::{Resource, Scope, Strategy, UnconditionalUpdate};

/// The row of a RuntimeClass.
pub(in crate::kinds) const ROW: Resource = Resource {
    group: "node.k8s.io",
    plural: "runtimeclasses",
    singular: "runtimeclass",
    kind: "RuntimeClass",
    storage_hash: "WQTu1GL3T2Q=",
    scope: Scope::Cluster,
    strategy: Strategy { unconditional_update: UnconditionalUpdate::Refused, ..Strategy::CREATED_ON_UPDATE },
    columns: columns::policy::RUNTIME_CLASSES,
    ..Resource::USUAL
};
