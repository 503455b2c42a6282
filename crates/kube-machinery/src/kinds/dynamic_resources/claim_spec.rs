//! The spec of a claim, in ResourceClaims and in ResourceClaimTemplates: its requests for devices, the constraints
//! between them, and the configuration of the devices. Upstream: `validateDeviceClaim` in
//! `pkg/apis/resource/validation`, `SetDefaults_ExactDeviceRequest`, and `pkg/api/resourceclaimspec`.

use super::configuration;
use super::names::RequestNames;
use super::selectors;
use super::taints;
use crate::conventions::cause::{At, Cause};
use crate::conventions::causes::Causes;
use crate::conventions::edit::{list, object, object_field, set_default};
use crate::kinds::fields::{each, invalid, items, number, text};
use crate::kinds::names;
use crate::value::{Value, json};

/// The largest number of requests, constraints and configurations. Lists that are longer have a declarative cause, and
/// their items are not validated.
const MOST_ITEMS: usize = 32;
const MOST_SUBREQUESTS: usize = 8;

/// Sets the defaults of the requests. Upstream: `SetDefaults_ExactDeviceRequest`, `SetDefaults_DeviceSubRequest`.
pub(super) fn set_defaults(spec: &mut Value) {
    each_request(spec, &mut |request| {
        if text(request, "allocationMode").is_empty() {
            request["allocationMode"] = json!("ExactCount");
        }
        if request["allocationMode"] == "ExactCount" && number(request, "count") == 0 {
            request["count"] = json!(1);
        }
        set_defaults_of_tolerations(request);
    });
}

/// Sets the default operator of the tolerations in a request or in the result of an allocation.
pub(super) fn set_defaults_of_tolerations(parent: &mut Value) {
    list(parent, "tolerations").for_each(|toleration| set_default(toleration, "operator", json!("Equal")));
}

/// Removes the fields whose feature gates are disabled. Upstream: `resourceclaimspec.DropDisabledFields`.
pub(super) fn drop_disabled_fields(spec: &mut Value) {
    each_request(spec, &mut |request| {
        object(request).remove("derivedAttributes");
    });
}

/// Calls a function for the request in `exactly`, and for those in `firstAvailable`.
fn each_request(spec: &mut Value, change: &mut dyn FnMut(&mut Value)) {
    let Some(devices) = object_field(spec, "devices") else { return };
    for request in list(devices, "requests") {
        if let Some(exactly) = object_field(request, "exactly") {
            change(exactly);
        }
        list(request, "firstAvailable").for_each(&mut *change);
    }
}

/// Validates the spec of a new claim.
pub(super) fn validate(spec: &Value, at: At<'_>) -> Causes {
    let (devices, at) = (&spec["devices"], format_args!("{at}.devices"));
    let known = RequestNames::of(devices);
    let mut causes = limited(devices, "requests", MOST_ITEMS, &at, request);
    causes.extend(limited(devices, "constraints", MOST_ITEMS, &at, |constraint, at| {
        validate_constraint(constraint, &known, at)
    }));
    causes.extend(limited(devices, "config", MOST_ITEMS, &at, |config, at| {
        let mut causes = known.validate_references(config, at);
        causes.extend(configuration::validate(config, configuration::Age::New, at));
        causes
    }));
    causes
}

/// Validates the items of a list, unless it is too long. Upstream: `validateSlice`.
pub(super) fn limited(
    parent: &Value,
    field: &str,
    most: usize,
    at: At<'_>,
    validate: impl Fn(&Value, At<'_>) -> Causes,
) -> Causes {
    if items(parent, field).len() > most {
        return Causes::new();
    }
    each(parent, field, at).flat_map(|(at, item)| validate(item, &at)).collect()
}

/// Upstream: `validateDeviceRequest`.
fn request(request: &Value, at: At<'_>) -> Causes {
    const ONE: &str = "exactly one of `exactly` or `firstAvailable` is required";
    let mut causes = name(request, at);
    let (exactly, subrequests) = (&request["exactly"], items(request, "firstAvailable"));
    match (exactly.is_null(), subrequests.is_empty()) {
        (true, true) => causes.push(Cause::required(at, ONE)),
        (false, false) => {
            causes.push(Cause::invalid_as(at, "null", &format!("{ONE}, but multiple fields are set")));
        }
        (true, false) => {
            causes.extend(limited(request, "firstAvailable", MOST_SUBREQUESTS, at, |subrequest, at| {
                let mut causes = name(subrequest, at);
                causes.extend(devices(subrequest, at));
                causes
            }));
        }
        (false, true) => {
            let at = format_args!("{at}.exactly");
            let class = text(exactly, "deviceClassName");
            let at_class = format_args!("{at}.deviceClassName");
            match class {
                "" => causes.push(Cause::required(at_class, "")),
                class => causes.extend(invalid(&at_class, class, names::subdomain(class))),
            }
            causes.extend(devices(exactly, &at));
        }
    }
    causes
}

fn name(request: &Value, at: At<'_>) -> Causes {
    let name = text(request, "name");
    invalid(&format_args!("{at}.name"), name, names::label(name))
}

/// Validates the part that requests and subrequests share.
fn devices(request: &Value, at: At<'_>) -> Causes {
    let mut causes = selectors::validate(request, selectors::Age::New, at);
    causes.extend(allocation_mode(request, at));
    causes.extend(each(request, "tolerations", at).flat_map(|(at, toleration)| taints::toleration(toleration, &at)));
    causes
}

/// Upstream: `validateDeviceAllocationMode`.
fn allocation_mode(request: &Value, at: At<'_>) -> Option<Cause> {
    let (mode, count) = (text(request, "allocationMode"), number(request, "count"));
    let wrong = |why: &str| Cause::invalid_as(format_args!("{at}.count"), &count.to_string(), why);
    match mode {
        "All" => (count != 0).then(|| wrong("must not be specified when allocationMode is 'All'")),
        "ExactCount" => (count <= 0).then(|| wrong("must be greater than zero")),
        _ => None,
    }
}

/// Upstream: `validateDeviceConstraint`.
fn validate_constraint(constraint: &Value, known: &RequestNames<'_>, at: At<'_>) -> Causes {
    let mut causes = known.validate_references(constraint, at);
    if constraint["matchAttribute"].is_null() && constraint["distinctAttribute"].is_null() {
        let why = r#"exactly one of "matchAttribute" or "distinctAttribute" is required, but multiple fields are set"#;
        causes.push(Cause::required(at, why));
    }
    causes
}
