//! The status of a ResourceClaim: the devices that the scheduler has allocated, the pods for which they are reserved,
//! and what the drivers report about them. Upstream: `validateResourceClaimStatusUpdate` in
//! `pkg/apis/resource/validation`.

use std::collections::HashSet;

use super::claim_spec::limited;
use super::names::{self, RequestNames};
use super::{binding_conditions, configuration, taints};
use crate::conventions::addresses;
use crate::conventions::cause::{At, Cause};
use crate::conventions::causes::Causes;
use crate::kinds::conditions::conditions;
use crate::kinds::core::pod;
use crate::kinds::fields::{each, invalid, items, required, text};
use crate::kinds::names as formats;
use crate::value::{Value, json};

const MOST_CONSUMERS: usize = 256;
const MOST_RESULTS: usize = 32;
const MOST_CONFIGURATIONS: usize = 64;
const MOST_CONDITIONS: usize = 8;
const MOST_ADDRESSES: usize = 16;

/// The identity of an allocated device, or of its share. Upstream: `SharedDeviceID`.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(super) struct DeviceId {
    driver: String,
    pool: String,
    device: String,
    share: String,
}

impl DeviceId {
    /// Reads the identity from the result of an allocation, or from the status of a device.
    pub(super) fn of(device: &Value) -> Self {
        let text = |field: &str| text(device, field).to_owned();
        Self { driver: text("driver"), pool: text("pool"), device: text("device"), share: text("shareID") }
    }

    /// Prints the identity as upstream does, with the names of the Go type.
    fn print(&self) -> String {
        let Self { driver, pool, device, share } = self;
        let of = |text: &str| json!(text).to_string();
        format!(r#"{{"Driver":{},"Pool":{},"Device":{},"ShareID":{}}}"#, of(driver), of(pool), of(device), of(share))
    }
}

/// Returns the devices that a status allocates.
pub(super) fn allocated(status: &Value) -> HashSet<DeviceId> {
    items(&status["allocation"]["devices"], "results").iter().map(DeviceId::of).collect()
}

/// Upstream: `ValidateResourceClaimStatusUpdate`.
pub(super) fn validate_status(new: &Value, old: Option<&Value>) -> Causes {
    const AT: &str = "status";
    let (status, old_status) = (&new["status"], old.map_or(&Value::Null, |old| &old["status"]));
    let mut causes = limited(status, "reservedFor", MOST_CONSUMERS, &AT, consumer);
    let known = allocated(status);
    for (at, device) in each(status, "devices", &AT) {
        causes.extend(validate_device(device, &known, &at));
    }
    causes.extend(reservation(new, old_status));
    if !status["allocation"].is_null() && old_status["allocation"].is_null() {
        let requests = RequestNames::of(&new["spec"]["devices"]);
        causes.extend(validate_allocation(&status["allocation"], &requests, &"status.allocation"));
    }
    causes
}

/// Upstream: `validateResourceClaimUserReference`.
fn consumer(reference: &Value, at: At<'_>) -> Causes {
    ["resource", "name", "uid"].into_iter().filter_map(|field| required(reference, field, at)).collect()
}

/// Only an allocated claim can be reserved, and no further consumer can reserve one that is being deleted.
fn reservation(claim: &Value, old_status: &Value) -> Option<Cause> {
    let (status, at) = (&claim["status"], "status.reservedFor");
    let consumers = items(status, "reservedFor");
    if consumers.is_empty() {
        return None;
    }
    if status["allocation"].is_null() {
        return Some(Cause::forbidden(at, "may not be specified when `allocated` is not set"));
    }
    let known: HashSet<&Value> = items(old_status, "reservedFor").iter().collect();
    let is_deleted = !claim["metadata"]["deletionTimestamp"].is_null();
    let why = "new entries may not be added while `deallocationRequested` or `deletionTimestamp` are set";
    (is_deleted && consumers.iter().any(|consumer| !known.contains(consumer))).then(|| Cause::forbidden(at, why))
}

/// Upstream: `validateAllocationResult`.
fn validate_allocation(allocation: &Value, requests: &RequestNames<'_>, at: At<'_>) -> Causes {
    let (devices, at_devices) = (&allocation["devices"], format_args!("{at}.devices"));
    let mut causes =
        limited(devices, "results", MOST_RESULTS, &at_devices, |result, at| validate_result(result, requests, at));
    causes.extend(limited(devices, "config", MOST_CONFIGURATIONS, &at_devices, |config, at| {
        let mut causes = requests.validate_references(config, at);
        causes.extend(configuration::validate(config, configuration::Age::New, at));
        causes
    }));
    if allocation["nodeSelector"].is_object() {
        causes.extend(pod::node_selector(&allocation["nodeSelector"], &format_args!("{at}.nodeSelector")));
    }
    causes
}

/// Upstream: `validateDeviceRequestAllocationResult`.
fn validate_result(result: &Value, requests: &RequestNames<'_>, at: At<'_>) -> Causes {
    let mut causes = requests.validate_reference(text(result, "request"), &format_args!("{at}.request"));
    causes.extend(device_name(result, at));
    causes.extend(binding_conditions::validate(result, at));
    causes.extend(each(result, "tolerations", at).flat_map(|(at, toleration)| taints::toleration(toleration, &at)));
    causes
}

fn device_name(parent: &Value, at: At<'_>) -> Causes {
    let name = text(parent, "device");
    invalid(&format_args!("{at}.device"), name, formats::label(name))
}

/// Validates what a driver reports about a device. Upstream: `validateDeviceStatus`.
fn validate_device(device: &Value, known: &HashSet<DeviceId>, at: At<'_>) -> Causes {
    let mut causes = names::driver(text(device, "driver"), &format_args!("{at}.driver"));
    causes.extend(names::pool(text(device, "pool"), &format_args!("{at}.pool")));
    causes.extend(device_name(device, at));
    let id = DeviceId::of(device);
    if !known.contains(&id) {
        causes.push(Cause::invalid_as(at, &id.print(), "must be an allocated device in the claim"));
    }
    let count = items(device, "conditions").len();
    if count > MOST_CONDITIONS {
        causes.push(Cause::too_many(format_args!("{at}.conditions"), count, MOST_CONDITIONS));
    }
    causes.extend(conditions(device, at));
    if !device["data"].is_null() {
        causes.extend(configuration::raw(&device["data"], configuration::Age::New, &format_args!("{at}.data")));
    }
    causes.extend(validate_network(&device["networkData"], &format_args!("{at}.networkData")));
    causes
}

/// Upstream: `validateNetworkDeviceData`.
fn validate_network(data: &Value, at: At<'_>) -> Causes {
    let addresses = items(data, "ips");
    if addresses.len() > MOST_ADDRESSES {
        return Causes::new();
    }
    let one = |(i, address): (usize, &Value)| {
        addresses::interface(address.as_str().unwrap_or_default(), &format_args!("{at}.ips[{i}]"))
    };
    addresses.iter().enumerate().filter_map(one).collect()
}
