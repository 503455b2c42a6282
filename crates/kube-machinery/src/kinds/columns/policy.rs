//! The columns that `kubectl get` shows for PodDisruptionBudgets, PriorityClasses, RuntimeClasses, ResourceQuotas,
//! webhook configurations, ValidatingAdmissionPolicies and their bindings. The descriptions are upstream's:
//! `pkg/printers/internalversion`.

use std::collections::BTreeSet;

use super::{AGE, Column, NAME, number, text};
use crate::conventions::label_selector;
use crate::kinds::fields::items;
use crate::value::{SmolStr, Value};

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

pub const PRIORITY_CLASSES: &[Column] = &[
    NAME,
    Column::new("Value", "value represents the integer value of this priority class. This is the actual priority that pods receive when they have the name of this class in their pod spec.", |class, _| number(class, "/value")).integer(),
    Column::new("Global-Default", "globalDefault specifies whether this PriorityClass should be considered as the default priority for pods that do not have any priority class. Only one PriorityClass can be marked as `globalDefault`. However, if more than one PriorityClasses exists with their `globalDefault` field set to true, the smallest value of such global default PriorityClasses will be used as the default priority.", |class, _| {
        class["globalDefault"].as_bool().unwrap_or_default().into()
    }).boolean(),
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
        |quota, _| used(&quota["status"], |name| !is_limit(name)).into(),
    ),
    Column::new(
        "Limit",
        "Limits control the maximum amount of cpu/memory that a container may use independent of contention on the node.",
        |quota, _| used(&quota["status"], is_limit).into(),
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

pub const ADMISSION_POLICIES: &[Column] = &[
    NAME,
    Column::new(
        "Validations",
        "Validations indicates the number of validation rules defined in this configuration",
        |policy, _| items(&policy["spec"], "validations").len().into(),
    )
    .integer(),
    Column::new(
        "ParamKind",
        "ParamKind specifies the kind of resources used to parameterize this policy",
        |policy, _| {
            let kind = &policy["spec"]["paramKind"];
            let part = |field: &str| kind[field].as_str().unwrap_or_default();
            if kind.is_object() { format!("{}/{}", part("apiVersion"), part("kind")).into() } else { "<unset>".into() }
        },
    ),
    AGE,
];

pub(in crate::kinds) const ADMISSION_POLICY_BINDINGS: &[Column] = &[
    NAME,
    Column::new(
        "PolicyName",
        "PolicyName indicates the policy definition which the policy binding binded to",
        |binding, _| text(binding, "/spec/policyName"),
    ),
    Column::new(
        "ParamRef",
        "ParamRef indicates the param resource which sets the configuration param",
        |binding, _| {
            let reference = &binding["spec"]["paramRef"];
            let part = |field: &str| reference[field].as_str().unwrap_or_default();
            match (part("name"), part("namespace")) {
                ("", _) if reference["selector"].is_object() => label_selector::in_go(&reference["selector"]).into(),
                ("", _) => "<unset>".into(),
                (name, "") => format!("*/{name}").into(),
                (name, namespace) => format!("{namespace}/{name}").into(),
            }
        },
    ),
    AGE,
];

/// Prints a number or a percentage, and `N/A` if there is none.
fn limit(value: &Value) -> Value {
    match value {
        Value::Null => "N/A".into(),
        Value::String(share) => share.as_str().into(),
        count => count.to_string().into(),
    }
}

fn is_limit(name: &str) -> bool {
    name.starts_with("limits.")
}

/// Lists the used and allowed amount of each resource that the column shows.
fn used(status: &Value, is_shown: fn(&str) -> bool) -> String {
    let amount = |field: &str, name: &str| status[field][name].as_str().unwrap_or("0").to_owned();
    let names: BTreeSet<&SmolStr> = status["hard"].as_object().into_iter().flatten().map(|(name, _)| name).collect();
    let names = names.into_iter().filter(|name| is_shown(name));
    let lines = names.map(|name| format!("{name}: {}/{}", amount("used", name), amount("hard", name)));
    lines.collect::<Vec<_>>().join(", ")
}
