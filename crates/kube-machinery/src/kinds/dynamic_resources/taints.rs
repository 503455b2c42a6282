//! The taints of devices, and the tolerations of claims. Upstream: `validateDeviceTaint` and `validateDeviceToleration`
//! in `pkg/apis/resource/validation`, and `SetDefaults_DeviceTaint`.

use crate::conventions::cause::{At, Cause};
use crate::conventions::causes::Causes;
use crate::conventions::edit::set_default;
use crate::kinds::fields::{invalid, text};
use crate::kinds::names;
use crate::value::{Value, json};

/// Sets the time of a taint that lacks it.
pub(super) fn set_time(taint: &mut Value, now: &str) {
    set_default(taint, "timeAdded", json!(now));
}

pub(super) fn taint(taint: &Value, at: At<'_>) -> Causes {
    let (key, value) = (text(taint, "key"), text(taint, "value"));
    let mut causes = invalid(&format_args!("{at}.key"), key, names::label_key(key));
    causes.extend(invalid(&format_args!("{at}.value"), value, names::label_value(value)));
    causes
}

pub(super) fn toleration(toleration: &Value, at: At<'_>) -> Causes {
    let (value, at) = (text(toleration, "value"), format_args!("{at}.value"));
    match text(toleration, "operator") {
        "Exists" if !value.is_empty() => {
            Causes::from([Cause::invalid(at, value, "must be empty for operator `Exists`")])
        }
        "Equal" => invalid(&at, value, names::label_value(value)),
        _ => Causes::new(),
    }
}
