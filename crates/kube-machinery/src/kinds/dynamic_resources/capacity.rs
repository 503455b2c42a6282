//! The capacities of a device. Only a device that several claims can share says how much a claim can get of it.
//! Upstream: `validateMultiAllocatableDeviceCapacity` and `validateSingleAllocatableDeviceCapacity`.

use super::attributes::validate_map;
use super::request_policy;
use crate::conventions::cause::{At, Cause};
use crate::conventions::causes::Causes;
use crate::value::Value;

pub(super) fn validate(device: &Value, at: At<'_>) -> Causes {
    let is_shared = device["allowMultipleAllocations"] == true;
    validate_map(&device["capacity"], &format_args!("{at}.capacity"), |capacity, at| {
        let (policy, at) = (&capacity["requestPolicy"], format_args!("{at}.requestPolicy"));
        match (policy.is_null(), is_shared) {
            (true, _) => Causes::new(),
            (false, true) => request_policy::validate(&capacity["value"], policy, &at),
            (false, false) => Causes::from([Cause::forbidden(at, "allowMultipleAllocations must be true")]),
        }
    })
}
