//! The columns that `kubectl get` shows for CustomResourceDefinitions. The descriptions are upstream's:
//! `pkg/registry/customresourcedefinition/tableconvertor`.

use super::{Column, NAME, simple, text};
use crate::kinds::fields::{self, items};
use crate::value::Value;

pub(in crate::kinds) const COLUMNS: &[Column] = &[
    NAME,
    Column::new("Scope", "Cluster/Namespaced", |definition, _| text(definition, "/spec/scope")),
    Column::new("Versions", "Served versions", |definition, _| versions(&definition["spec"]).into()),
    simple::CREATED_AT,
    Column::new("Group", "API group", |definition, _| text(definition, "/spec/group")).wide(),
    Column::new("Kind", "CustomResource kind", |definition, _| text(definition, "/spec/names/kind")).wide(),
    Column::new("ShortNames", "Short names", |definition, _| {
        let names: Vec<_> =
            items(&definition["spec"]["names"], "shortNames").iter().filter_map(Value::as_str).collect();
        names.join(",").into()
    })
    .wide(),
    Column {
        kind: "boolean",
        ..Column::new("Established", "Established status", |definition, _| {
            let is_established =
                |condition: &Value| condition["type"] == "Established" && condition["status"] == "True";
            items(&definition["status"], "conditions").iter().any(is_established).into()
        })
    }
    .wide(),
];

/// Lists the served versions in alphabetical order, with `(storage)` behind the stored one.
fn versions(spec: &Value) -> String {
    let served = items(spec, "versions").iter().filter(|version| version["served"] == true);
    let mut labels: Vec<String> = served
        .map(|version| {
            let stored = if version["storage"] == true { "(storage)" } else { "" };
            format!("{}{stored}", fields::text(version, "name"))
        })
        .collect();
    labels.sort_unstable();
    labels.join(",")
}
