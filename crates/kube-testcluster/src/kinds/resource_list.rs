//! Amounts of resources by name. Upstream: `ResourceList`.

use serde_json::{Map, Value, json};

use crate::machinery::quantity::{MILLI, Quantity};

/// Rounds amounts up to thousandths. Upstream: `SetDefaults_ResourceList`.
pub(super) fn round_up(parent: &mut Value, field: &str) {
    for amount in parent.get_mut(field).and_then(Value::as_object_mut).into_iter().flat_map(Map::values_mut) {
        if let Ok(mut quantity) = Quantity::parse(amount.as_str().unwrap_or_default()) {
            quantity.round_up(MILLI);
            *amount = json!(quantity.to_string());
        }
    }
}
