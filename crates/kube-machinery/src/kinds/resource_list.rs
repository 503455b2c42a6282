//! Validation of resource names and amounts, such as `cpu: 500m`, which pods, quotas, limit ranges and other kinds have
//! in a map from names to amounts. Upstream: `ResourceList`.

use super::names;
use crate::conventions::cause::{At, Cause};
use crate::conventions::quantity::{MILLI, Quantity};
use crate::value::{Map, Value, json};

/// Rounds the amounts of a resource list up to thousandths. Upstream: `SetDefaults_ResourceList`.
pub(super) fn round_up(parent: &mut Value, field: &str) {
    for amount in parent.get_mut(field).and_then(Value::as_object_mut).into_iter().flat_map(Map::values_mut) {
        if let Ok(mut quantity) = Quantity::parse(amount.as_str().unwrap_or_default()) {
            quantity.round_up(MILLI);
            *amount = json!(quantity.to_string());
        }
    }
}

/// The resource names without a prefix that validation accepts, except those of huge pages. Upstream:
/// `standardResources`.
const STANDARD: [&str; 20] = [
    "cpu",
    "memory",
    "ephemeral-storage",
    "requests.cpu",
    "requests.memory",
    "requests.ephemeral-storage",
    "limits.cpu",
    "limits.memory",
    "limits.ephemeral-storage",
    "pods",
    "resourcequotas",
    "services",
    "replicationcontrollers",
    "secrets",
    "configmaps",
    "persistentvolumeclaims",
    STORAGE,
    "requests.storage",
    "services.nodeports",
    "services.loadbalancers",
];

/// The size that a volume claim requests. A quota limits it under the name `requests.storage`.
const STORAGE: &str = "storage";

/// Returns the messages about an invalid resource name. Upstream: `validateResourceName`.
pub(super) fn name_messages(name: &str) -> Vec<String> {
    let mut messages = names::label_key(name);
    if messages.is_empty() && !name.contains('/') && !is_standard(name) {
        messages.push("must be a standard resource type or fully qualified".to_owned());
    }
    messages
}

/// Returns the messages about an invalid resource name in a quota. Upstream: `ValidateResourceQuotaResourceName`.
pub(super) fn quota_name_messages(name: &str) -> Vec<String> {
    let mut messages = name_messages(name);
    if !name.contains('/') && (name == STORAGE || !is_standard(name)) {
        messages.push("must be a standard resource for quota".to_owned());
    }
    messages
}

/// Returns true for a resource name that Kubernetes knows, which has no prefix.
pub(super) fn is_standard(name: &str) -> bool {
    STANDARD.contains(&name) || name.starts_with("hugepages-") || name.starts_with("requests.hugepages-")
}

/// Returns true for a resource of Kubernetes itself. Upstream: `IsNativeResource`.
pub(super) fn is_native(name: &str) -> bool {
    !name.contains('/') || name.contains("kubernetes.io/")
}

/// Returns true for a resource that a node has in addition to those of Kubernetes, such as `example.com/gpu`. Upstream:
/// `IsExtendedResourceName`.
pub fn is_extended_resource(name: &str) -> bool {
    const REQUESTS: &str = "requests.";
    !is_native(name) && !name.starts_with(REQUESTS) && names::label_key(&format!("{REQUESTS}{name}")).is_empty()
}

/// Returns a cause if the amount is negative. As upstream, the cause shows the amount as a whole number. Upstream:
/// `validateBasicResource`.
pub(super) fn not_below_zero(amount: &Value, at: At<'_>) -> Option<Cause> {
    let quantity = Quantity::parse(amount.as_str()?).ok()?;
    let why = "must be a valid resource quantity";
    quantity.is_negative().then(|| Cause::invalid_as(at, &quantity.whole(), why))
}
