//! The RuntimeClass kind, which chooses the container runtime of a pod. Upstream: `pkg/apis/node`.

use std::collections::HashSet;

use crate::conventions::cause::Cause;
use crate::conventions::causes::Causes;
use crate::kinds::columns;
use crate::kinds::core::pod;
use crate::kinds::fields::{invalid, items, text};
use crate::kinds::names;
use crate::kinds::resource::{ResourceRow, Scope, Strategy, UnconditionalUpdate};
use crate::value::{Value, json};

/// The kind's row in the table of kinds (`kinds::served`).
pub(in crate::kinds) const ROW: ResourceRow = ResourceRow {
    group: "node.k8s.io",
    plural: "runtimeclasses",
    singular: "runtimeclass",
    kind: "RuntimeClass",
    storage_hash: "WQTu1GL3T2Q=",
    scope: Scope::Cluster,
    strategy: Strategy { unconditional_update: UnconditionalUpdate::Refused, ..Strategy::CREATED_ON_UPDATE },
    validate,
    columns: columns::policy::RUNTIME_CLASSES,
    ..ResourceRow::USUAL
};

/// Upstream: `ValidateRuntimeClass`.
fn validate(new: &Value, old: Option<&Value>) -> Causes {
    let (mut causes, handler) = (Causes::new(), text(new, "handler"));
    // Otherwise the form of the handler is a declarative rule, which ends where an immutable value has changed.
    if !handler.is_empty() && old.is_some_and(|old| old["handler"] != new["handler"]) {
        causes.extend(invalid(&"handler", handler, names::label(handler)));
    }
    if new["overhead"].is_object() {
        let limits = json!({"limits": new["overhead"]["podFixed"]});
        causes.extend(pod::resource_validation::overhead_resources(&limits, &"overhead"));
    }
    let scheduling = &new["scheduling"];
    causes.extend(pod::validation::labels(&scheduling["nodeSelector"], &"scheduling.nodeSelector"));
    let tolerations = items(scheduling, "tolerations");
    causes.extend(pod::tolerations(tolerations, &"scheduling.tolerations"));
    causes.extend(repeated(tolerations));
    causes
}

/// Returns a cause for each toleration that differs from an earlier one at most in its seconds.
fn repeated(tolerations: &[Value]) -> Causes {
    const FIELDS: [(&str, &str); 4] =
        [("Key", "key"), ("Operator", "operator"), ("Value", "value"), ("Effect", "effect")];
    let (mut causes, mut seen) = (Causes::new(), HashSet::new());
    for (i, toleration) in tolerations.iter().enumerate() {
        if !seen.insert(FIELDS.map(|(_, field)| text(toleration, field))) {
            let fields = FIELDS.map(|(go, field)| format!("{go:?}:{}", json!(text(toleration, field)))).join(",");
            let shown = format!("{{{fields},\"TolerationSeconds\":{}}}", toleration["tolerationSeconds"]);
            causes.push(Cause::duplicate_as(format_args!("scheduling.tolerations[{i}]"), &shown));
        }
    }
    causes
}
