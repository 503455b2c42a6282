//! The columns that `kubectl get` shows for ComponentStatuses. The descriptions are upstream's:
//! `pkg/printers/internalversion`.

use super::{Column, NAME, text};
use crate::kinds::fields::items;
use crate::value::Value;

pub(in crate::kinds) const COLUMNS: &[Column] = &[
    NAME,
    Column::new("Status", "Status of the component conditions", |component, _| {
        match healthy(component).map(|condition| condition["status"] == "True") {
            None => "Unknown".into(),
            Some(true) => "Healthy".into(),
            Some(false) => "Unhealthy".into(),
        }
    }),
    Column::new("Message", "Message of the component conditions", |component, _| of_healthy(component, "/message")),
    Column::new("Error", "Error of the component conditions", |component, _| of_healthy(component, "/error")),
];

fn healthy(component: &Value) -> Option<&Value> {
    items(component, "conditions").iter().find(|condition| condition["type"] == "Healthy")
}

fn of_healthy(component: &Value, pointer: &str) -> Value {
    healthy(component).map_or_else(|| "".into(), |condition| text(condition, pointer))
}
