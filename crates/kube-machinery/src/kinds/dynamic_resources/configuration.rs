//! The configuration of devices, which only their driver understands, and other values of any form. Upstream:
//! `validateDeviceConfiguration` and `validateRawExtension` in `pkg/apis/resource/validation`.

use crate::codec::go_json::go_json;
use crate::conventions::cause::{At, Cause};
use crate::conventions::causes::Causes;
use crate::value::Value;

/// The largest value, in bytes of its JSON.
const MOST_BYTES: usize = 10 * 1024;

/// The age of a value. The size of a stored one is not checked again.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Age {
    New,
    Stored,
}

pub(super) fn validate(config: &Value, age: Age, at: At<'_>) -> Causes {
    let (opaque, at) = (&config["opaque"], format_args!("{at}.opaque"));
    if opaque.is_null() {
        return Causes::from([Cause::required(at, "")]);
    }
    raw(&opaque["parameters"], age, &format_args!("{at}.parameters")).into_iter().collect()
}

/// Checks that a value of any form is a JSON object of limited size.
pub(super) fn raw(value: &Value, age: Age, at: At<'_>) -> Option<Cause> {
    match value {
        Value::Null => Some(Cause::required(at, "")),
        value if age == Age::New && go_json(value).len() > MOST_BYTES => Some(Cause::too_long(at, MOST_BYTES)),
        Value::Object(_) => None,
        _ => Some(Cause::invalid(at, "<value omitted>", "must be a valid JSON object")),
    }
}
