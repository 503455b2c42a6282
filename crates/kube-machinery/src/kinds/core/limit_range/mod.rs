//! The LimitRange kind, which gives the pods of a namespace default requests and limits, and bounds for them. Upstream:
//! `pkg/apis/core`.

mod limits;

pub use self::limits::{limits_broken_by_claim, limits_broken_by_pod, set_default_resources};
use crate::kinds::metadata::UpdatedMetadata;
use std::collections::{BTreeSet, HashSet};

use std::cmp::Ordering;

use crate::conventions::cause::{At, Cause};
use crate::conventions::causes::Causes;
use crate::conventions::edit::{empty, list, object, object_field, set_default};
use crate::kinds::columns;
use crate::kinds::core::pod::resource_validation::{parsed, resource_name};
use crate::kinds::fields::{invalid, items, text};
use crate::kinds::names;
use crate::kinds::registry::TableConvertor;
use crate::kinds::resource::{ResourceRow, Strategy};
use crate::kinds::resource_list::{is_native, name_messages, round_up};
use crate::value::{Value, json};

/// The kind's row in the table of kinds (`kinds::served`).
pub(in crate::kinds) const ROW: ResourceRow = ResourceRow {
    plural: "limitranges",
    singular: "limitrange",
    kind: "LimitRange",
    storage_hash: "EBKMFVe6cwo=",
    short_names: &["limits"],
    strategy: Strategy::CREATED_ON_UPDATE,
    defaults: set_defaults,
    validate,
    columns: columns::simple::DEFAULT,
    table_convertor: TableConvertor::Default,
    updated_metadata: UpdatedMetadata::Whole,
    ..ResourceRow::USUAL
};

/// Upstream: `SetDefaults_LimitRangeItem`, `SetDefaults_ResourceList`.
fn set_defaults(range: &mut Value) {
    let Some(spec) = object_field(range, "spec") else { return };
    for item in list(spec, "limits") {
        if item["type"] == "Container" {
            set_container_defaults(item);
        }
        for field in ["max", "min", "default", "defaultRequest", "maxLimitRequestRatio"] {
            round_up(item, field);
        }
    }
}

/// Sets the defaults for containers: the default limit is `max`, the default request is the default limit or else
/// `min`.
fn set_container_defaults(item: &mut Value) {
    for (from, to) in [("max", "default"), ("default", "defaultRequest"), ("min", "defaultRequest")] {
        let Some(amounts) = item[from].as_object().cloned() else { continue };
        set_default(item, to, empty());
        for (name, amount) in amounts {
            object(&mut item[to]).entry(name).or_insert(json!(amount));
        }
    }
}

const POD: &str = "Pod";
const CONTAINER: &str = "Container";
const CLAIM: &str = "PersistentVolumeClaim";

/// Upstream: `ValidateLimitRange`.
fn validate(new: &Value, _old: Option<&Value>) -> Causes {
    let (mut causes, mut kinds) = (Causes::new(), HashSet::new());
    for (i, item) in items(&new["spec"], "limits").iter().enumerate() {
        let (kind, at) = (text(item, "type"), format_args!("spec.limits[{i}]"));
        causes.extend(invalid(&format_args!("{at}.type"), kind, kind_messages(kind)));
        if !kinds.insert(kind) {
            causes.push(Cause::duplicate(format_args!("{at}.type"), kind));
        }
        causes.extend(limits(item, kind, &at));
    }
    causes
}

/// Upstream: `validateLimitRangeTypeName`.
fn kind_messages(kind: &str) -> Vec<String> {
    let mut messages = names::label_key(kind);
    if messages.is_empty() && !kind.contains('/') && ![POD, CONTAINER, CLAIM].contains(&kind) {
        messages.push("must be a standard limit type or fully qualified".to_owned());
    }
    messages
}

/// Validates an item of the range. An item for pods has no defaults.
fn limits(item: &Value, kind: &str, at: At<'_>) -> Causes {
    let of_pods = kind == POD;
    let mut causes = names_of(item, "max", at);
    causes.extend(names_of(item, "min", at));
    for field in ["default", "defaultRequest"] {
        if !of_pods {
            causes.extend(names_of(item, field, at));
        } else if item[field].as_object().is_some_and(|amounts| !amounts.is_empty()) {
            causes.push(Cause::forbidden(format_args!("{at}.{field}"), "may not be specified when `type` is 'Pod'"));
        }
    }
    if kind == CLAIM && ["min", "max"].iter().all(|field| item[*field]["storage"].is_null()) {
        let why = "either minimum or maximum storage value is required, but neither was provided";
        causes.push(Cause::required(format_args!("{at}.limits"), why));
    }
    causes.extend(names_of(item, "maxLimitRequestRatio", at));
    let fields = ["max", "min", "default", "defaultRequest", "maxLimitRequestRatio"];
    let keys = fields.iter().filter_map(|field| item[*field].as_object()).flatten().map(|(name, _)| name.as_str());
    for name in keys.collect::<BTreeSet<_>>() {
        causes.extend(validate_order(item, name, of_pods, at));
        causes.extend(ratio(item, name, at));
    }
    causes
}

/// Validates the names of the resources in a field of the item.
fn names_of(item: &Value, field: &str, at: At<'_>) -> Causes {
    let messages = |name: &str| match text(item, "type") {
        POD | CONTAINER => resource_name(name),
        _ => name_messages(name),
    };
    let amounts = item[field].as_object().into_iter().flatten();
    amounts.flat_map(|(name, _)| invalid(&format_args!("{at}.{field}[{name}]"), name, messages(name))).collect()
}

/// The pairs of amounts of which the first must not exceed the second. Each entry has the two fields, each followed by
/// its name in the message, then the field that the cause is about, and the field whose value the cause shows.
const ORDER: [[&str; 6]; 6] = [
    ["min", "min value", "max", "max value", "min", "min"],
    ["min", "min value", "defaultRequest", "default request value", "defaultRequest", "defaultRequest"],
    ["defaultRequest", "default request value", "max", "max value", "defaultRequest", "defaultRequest"],
    ["defaultRequest", "default request value", "default", "default limit value", "defaultRequest", "defaultRequest"],
    ["min", "min value", "default", "default value", "default", "min"],
    ["default", "default value", "max", "max value", "default", "max"],
];

/// Checks the amounts of one resource against each other.
fn validate_order(item: &Value, name: &str, of_pods: bool, at: At<'_>) -> Causes {
    let value = |field: &str| {
        let is_ignored = of_pods && field.starts_with("default");
        if is_ignored { None } else { parsed(&item[field][name]) }
    };
    let mut causes = Causes::new();
    for [small, small_name, great, great_name, about, shown] in ORDER {
        if let (Some(less), Some(more), Some(shown)) = (value(small), value(great), value(shown))
            && less.compare(&more) == Ordering::Greater
        {
            let why = format!("{small_name} {less} is greater than {great_name} {more}");
            causes.push(Cause::invalid(format_args!("{at}.{about}[{name}]"), &shown.to_string(), &why));
        }
    }
    // Extended resources and huge pages cannot be overcommitted, so a limit must equal its request.
    let is_fixed = !is_native(name) || name.starts_with("hugepages-");
    if let (Some(limit), Some(request)) = (value("default"), value("defaultRequest"))
        && is_fixed
        && limit.compare(&request) != Ordering::Equal
    {
        let why = format!("default value {limit} must equal to defaultRequest value {request} in {name}");
        causes.push(Cause::invalid(format_args!("{at}.defaultRequest[{name}]"), &request.to_string(), &why));
    }
    causes
}

/// Validates `maxLimitRequestRatio`, the factor by which a limit may exceed its request: at least 1, and at most
/// max/min.
fn ratio(item: &Value, name: &str, at: At<'_>) -> Causes {
    let at = format_args!("{at}.maxLimitRequestRatio[{name}]");
    let Some(ratio) = parsed(&item["maxLimitRequestRatio"][name]) else { return Causes::new() };
    let wrong = |why: String| Cause::invalid(at, &ratio.to_string(), &why);
    let mut causes = Causes::new();
    if parsed(&json!("1")).is_some_and(|one| ratio.compare(&one) == Ordering::Less) {
        causes.push(wrong(format!("ratio {ratio} is less than 1")));
    }
    if let (Some(least), Some(most)) = (parsed(&item["min"][name]), parsed(&item["max"][name])) {
        let limit = most.to_f64() / least.to_f64();
        if ratio.to_f64() > limit {
            causes.push(wrong(format!("ratio {ratio} is greater than max/min = {limit:.6}")));
        }
    }
    causes
}
