//! The columns of disruption budgets, quotas, priority classes, runtime classes and webhook configurations.

use std::collections::BTreeSet;

use serde_json::Value;

use super::{AGE, Column, NAME, number, text};
use crate::kinds::fields::items;

pub(in crate::kinds) const BUDGETS: &[Column] = &[
    NAME,
    Column::new("Min Available", "The minimum number of pods that must be available.", |budget, _| {
        limit(&budget["spec"]["minAvailable"])
    }),
    Column::new("Max Unavailable", "The maximum number of pods that may be unavailable.", |budget, _| {
        limit(&budget["spec"]["maxUnavailable"])
    }),
    Column::new("Allowed Disruptions", "Calculated number of pods that may be disrupted at this time.", |budget, _| {
        number(budget, "/status/disruptionsAllowed")
    })
    .integer(),
    AGE,
];

pub(in crate::kinds) const PRIORITY_CLASSES: &[Column] = &[
    NAME,
    Column::new("Value", "value represents the integer value of this priority class. This is the actual priority that pods receive when they have the name of this class in their pod spec.", |class, _| number(class, "/value")).integer(),
    Column { kind: "boolean", ..Column::new("Global-Default", "globalDefault specifies whether this PriorityClass should be considered as the default priority for pods that do not have any priority class. Only one PriorityClass can be marked as `globalDefault`. However, if more than one PriorityClasses exists with their `globalDefault` field set to true, the smallest value of such global default PriorityClasses will be used as the default priority.", |class, _| {
        class["globalDefault"].as_bool().unwrap_or_default().into()
    }) },
    AGE,
    Column::new("PreemptionPolicy", "preemptionPolicy is the Policy for preempting pods with lower priority. One of Never, PreemptLowerPriority. Defaults to PreemptLowerPriority if unset.", |class, _| text(class, "/preemptionPolicy")),
];

pub(in crate::kinds) const RUNTIME_CLASSES: &[Column] =
    &[NAME, Column::new("Handler", "", |class, _| text(class, "/handler")), AGE];

pub(in crate::kinds) const QUOTAS: &[Column] = &[
    NAME,
    Column::new(
        "Request",
        "Request represents a minimum amount of cpu/memory that a container may consume.",
        |quota, _| used(&quota["status"], false).into(),
    ),
    Column::new(
        "Limit",
        "Limits control the maximum amount of cpu/memory that a container may use independent of contention on the node.",
        |quota, _| used(&quota["status"], true).into(),
    ),
    AGE,
];

pub(in crate::kinds) const WEBHOOKS: &[Column] = &[
    NAME,
    Column::new(
        "Webhooks",
        "Webhooks indicates the number of webhooks registered in this configuration",
        |webhooks, _| items(webhooks, "webhooks").len().into(),
    )
    .integer(),
    AGE,
];

/// A number or a percentage.
fn limit(value: &Value) -> Value {
    match value {
        Value::Null => "N/A".into(),
        Value::String(share) => share.as_str().into(),
        count => count.to_string().into(),
    }
}

/// How much is used of what may be used; the limits of containers have a column of their own.
fn used(status: &Value, of_limits: bool) -> String {
    let amount = |field: &str, name: &str| status[field][name].as_str().unwrap_or("0").to_owned();
    let names: BTreeSet<&String> = status["hard"].as_object().into_iter().flatten().map(|(name, _)| name).collect();
    let names = names.into_iter().filter(|name| name.starts_with("limits.") == of_limits);
    let told = names.map(|name| format!("{name}: {}/{}", amount("used", name), amount("hard", name)));
    told.collect::<Vec<_>>().join(", ")
}
