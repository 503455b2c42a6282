//! The columns that `kubectl get` shows for StorageVersionMigrations. The descriptions are upstream's:
//! `pkg/printers/internalversion`.

use super::{Column, NAME};
use crate::kinds::fields::{items, text};
use crate::value::Value;

pub(in crate::kinds) const COLUMNS: &[Column] = &[
    NAME.formatted(""),
    Column::new("Resource", "GroupResource to migrate", |migration, _| resource(&migration["spec"]["resource"]).into()),
    Column::new("Status", "Status of the migration", |migration, _| state(&migration["status"]).into()),
];

fn resource(of: &Value) -> String {
    match (text(of, "resource"), text(of, "group")) {
        (resource, "") => resource.to_owned(),
        (resource, group) => format!("{resource}.{group}"),
    }
}

/// Returns the type of the last condition that is true.
fn state(status: &Value) -> &'static str {
    let known = ["Running", "Failed", "Succeeded"];
    let of = |condition: &Value| known.into_iter().find(|kind| condition["type"] == *kind);
    let holds = |condition: &&Value| condition["status"] == "True";
    items(status, "conditions").iter().rev().filter(holds).find_map(of).unwrap_or("Unknown")
}
