//! Limit ranges. Upstream: `pkg/apis/core`.

use serde_json::{Value, json};

use crate::kinds::columns;
use crate::kinds::resource::{Resource, Strategy};
use crate::kinds::resource_list::round_up;
use crate::machinery::fill::{empty, list, missing, object, part};

/// The row of a LimitRange.
pub(in crate::kinds) const ROW: Resource = Resource {
    plural: "limitranges",
    singular: "limitrange",
    kind: "LimitRange",
    storage_hash: "EBKMFVe6cwo=",
    short_names: &["limits"],
    strategy: Strategy::CREATED_ON_UPDATE,
    defaults: set_defaults,
    columns: columns::simple::DEFAULT,
    ..Resource::USUAL
};

/// Upstream: `SetDefaults_LimitRangeItem`, `SetDefaults_ResourceList`.
fn set_defaults(range: &mut Value) {
    let Some(spec) = part(range, "spec") else { return };
    for item in list(spec, "limits") {
        if item["type"] == "Container" {
            of_containers(item);
        }
        for field in ["max", "min", "default", "defaultRequest", "maxLimitRequestRatio"] {
            round_up(item, field);
        }
    }
}

/// A limit defaults to the greatest, a request to the limit, or else to the least.
fn of_containers(item: &mut Value) {
    for (from, to) in [("max", "default"), ("default", "defaultRequest"), ("min", "defaultRequest")] {
        let Some(amounts) = item[from].as_object().cloned() else { continue };
        missing(item, to, empty());
        for (name, amount) in amounts {
            object(&mut item[to]).entry(name).or_insert(json!(amount));
        }
    }
}
