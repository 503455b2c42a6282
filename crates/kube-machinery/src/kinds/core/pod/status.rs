//! Validates an update of a pod's status. Upstream: `ValidatePodStatusUpdate` in
//! `pkg/apis/core/validation/validation.go`.

use std::collections::{HashMap, HashSet};
use std::net::IpAddr;

use super::selectors::label_name;
use crate::conventions::address_warnings;
use crate::conventions::addresses::{ip, one_of_each_family};
use crate::conventions::cause::{At, Cause};
use crate::conventions::causes::Causes;
use crate::kinds::fields::{items, text};
use crate::kinds::names;
use crate::value::{Value, json};

/// The built-in condition types, whose names are not checked.
const SYSTEM_CONDITIONS: [&str; 3] = ["PodScheduled", "Ready", "Initialized"];

pub(in crate::kinds) fn status(new: &Value, old: Option<&Value>) -> Causes {
    let (status, mut causes) = (&new["status"], Causes::new());
    for (i, condition) in items(status, "conditions").iter().enumerate() {
        let kind = text(condition, "type");
        causes.extend(observed_generation(condition, &format_args!("status.conditions[{i}]")));
        if !SYSTEM_CONDITIONS.contains(&kind) {
            causes.extend(label_name(kind, &format_args!("status.conditions[{i}].Type"))); // upstream's path
        }
    }
    let before = old.map_or(&Value::Null, |old| &old["status"]);
    let node = text(status, "nominatedNodeName");
    if !node.is_empty() && node != text(before, "nominatedNodeName") {
        let messages = names::subdomain(node);
        causes.extend(messages.iter().map(|why| Cause::invalid("status.nominatedNodeName", node, why)));
    }
    if !text(&new["spec"], "nodeName").is_empty() && !node.is_empty() && node != text(before, "nominatedNodeName") {
        let why = "may not be set on pods that are already bound to a node";
        causes.push(Cause::forbidden("status.nominatedNodeName", why));
    }
    causes.extend(observed_generation(status, &"status"));
    causes.extend(immutable_qos_class(status, before));
    for (list, containers, sidecars) in
        [("containerStatuses", "containers", false), ("initContainerStatuses", "initContainers", true)]
    {
        causes.extend(validate_container_state_transition(new, before, list, containers, sidecars));
    }
    causes.extend(addresses(status, "podIPs"));
    if let Some(first) = items(status, "hostIPs").first().map(|first| text(first, "ip")) {
        let is_other = first != text(status, "hostIP");
        let cause = is_other.then(|| Cause::invalid("status.hostIPs[0].ip", first, "must be equal to `hostIP`"));
        causes.extend(cause);
    }
    causes.extend(addresses(status, "hostIPs"));
    causes
}

fn observed_generation(parent: &Value, at: At<'_>) -> Option<Cause> {
    let generation = &parent["observedGeneration"];
    let is_negative = generation.as_i64().is_some_and(|generation| generation < 0);
    let why = "must be a non-negative integer";
    is_negative.then(|| Cause::invalid_json(format_args!("{at}.observedGeneration"), generation, why))
}

/// Checks that the QoS class, which is set at creation, does not change. An empty class passes, because an old kubelet
/// does not send it.
fn immutable_qos_class(status: &Value, before: &Value) -> Option<Cause> {
    let class = text(status, "qosClass");
    let is_other = !class.is_empty() && class != text(before, "qosClass");
    is_other.then(|| Cause::invalid("status.qosClass", class, "field is immutable"))
}

/// Checks that a terminated container stays terminated, unless a restart policy restarts it. `sidecars` is true for
/// init containers, which may have a restart policy of their own. Upstream: `ValidateContainerStateTransition`.
fn validate_container_state_transition(
    pod: &Value,
    before: &Value,
    list: &str,
    containers: &str,
    sidecars: bool,
) -> Causes {
    let policy = text(&pod["spec"], "restartPolicy");
    if policy == "Always" {
        return Causes::new();
    }
    let mut restarting = HashMap::new();
    for container in items(&pod["spec"], containers) {
        restarting.entry(text(container, "name")).or_insert(text(container, "restartPolicy") == "Always");
    }
    let restarts = |name: &str| sidecars && restarting.get(name).is_some_and(|restarts| *restarts);
    let not_terminated = items(&pod["status"], list).iter().filter(|new| new["state"]["terminated"].is_null());
    let not_terminated: HashSet<&str> = not_terminated.map(|new| text(new, "name")).collect();
    let mut causes = Causes::new();
    for (i, old) in items(before, list).iter().enumerate() {
        let ended = &old["state"]["terminated"];
        let may_restart = ended["exitCode"].as_i64().unwrap_or_default() != 0 && policy == "OnFailure";
        if ended.is_null() || may_restart || restarts(text(old, "name")) {
            continue;
        }
        if not_terminated.contains(text(old, "name")) {
            let why = "may not be transitioned to non-terminated state";
            causes.push(Cause::forbidden(format_args!("status.{list}[{i}].state"), why));
        }
    }
    causes
}

/// Allows at most one address of IPv4 and one of IPv6.
fn addresses(status: &Value, field: &str) -> Causes {
    let given: Vec<&str> = items(status, field).iter().map(|address| text(address, "ip")).collect();
    let mut causes: Causes =
        given.iter().enumerate().filter_map(|(i, address)| ip(address, &format_args!("status.{field}[{i}]"))).collect();
    let parsed: Vec<IpAddr> = given.iter().filter_map(|address| address.parse().ok()).collect();
    if parsed.len() > 1 && (parsed.len() > 2 || !one_of_each_family(parsed.into_iter())) {
        let shown: Vec<Value> = given.iter().map(|address| json!({"IP": address})).collect();
        let why = "may specify no more than one IP for each IP family";
        causes.push(Cause::invalid_json(format_args!("status.{field}"), &json!(shown), why));
    }
    causes
}

/// Warns of addresses in unusual forms. Upstream: `podStatusStrategy.WarningsOnUpdate`.
pub(super) fn warnings(new: &Value) -> Vec<String> {
    let mut warnings = Vec::new();
    for field in ["podIPs", "hostIPs"] {
        for (i, address) in items(&new["status"], field).iter().enumerate() {
            warnings.extend(address_warnings::ip(text(address, "ip"), &format_args!("status.{field}[{i}].ip")));
        }
    }
    warnings
}
