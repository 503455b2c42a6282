//! The attributes of a device: texts, versions, numbers and booleans by which claims select it. Upstream:
//! `validateDeviceAttribute` in `pkg/apis/resource/validation`.

use super::names;
use crate::conventions::cause::{At, Cause};
use crate::conventions::causes::Causes;
use crate::conventions::edit::object;
use crate::value::{Map, Value};

/// The largest number of attributes and capacities of a device together.
const MOST: usize = 32;
/// The largest number of attributes of a device, which may have several values each if a feature gate is enabled.
const MOST_VALUES: usize = 48;
/// The longest key of an attribute or a capacity, in bytes: a domain, a slash and a name.
const LONGEST_KEY: usize = 96;
const LONGEST_VALUE: usize = 64;

/// Removes the lists of values, whose feature gate is disabled.
pub(super) fn drop_disabled_fields(device: &mut Value) {
    let attributes = device.get_mut("attributes").and_then(Value::as_object_mut);
    for attribute in attributes.into_iter().flat_map(|attributes| attributes.values_mut()) {
        object(attribute).retain(|field, _| !matches!(field.as_str(), "bools" | "ints" | "strings" | "versions"));
    }
}

pub(super) fn validate(device: &Value, at: At<'_>) -> Causes {
    let count = |field: &str| device[field].as_object().map_or(0, Map::len);
    let mut causes = Causes::new();
    let (all, values) = (count("attributes") + count("capacity"), count("attributes"));
    if all > MOST {
        let why = format!("the total number of attributes and capacities must not exceed {MOST}");
        causes.push(Cause::invalid_as(at, &all.to_string(), &why));
    }
    if values > MOST_VALUES {
        let why = format!("the total number of attribute values must not exceed {MOST_VALUES}");
        causes.push(Cause::invalid_as(at, &values.to_string(), &why));
    }
    causes.extend(validate_map(&device["attributes"], &format_args!("{at}.attributes"), validate_value));
    causes
}

/// Validates the keys and the values of a map of attributes or capacities. Upstream: `validateMap`.
pub(super) fn validate_map(map: &Value, at: At<'_>, validate: impl Fn(&Value, At<'_>) -> Causes) -> Causes {
    let mut causes = Causes::new();
    for (key, value) in map.as_object().into_iter().flatten() {
        causes.extend(names::qualified(key, at));
        causes.extend(validate(value, &format_args!("{at}[{}]", truncated(key))));
    }
    causes
}

/// Cuts the middle out of a long key. Upstream: `truncateIfTooLong`.
fn truncated(key: &str) -> String {
    const ELLIPSIS: &str = "...";
    if key.len() <= LONGEST_KEY {
        return key.to_owned();
    }
    let kept = LONGEST_KEY - ELLIPSIS.len();
    let part = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (begin, end) = (&key.as_bytes()[..kept.div_ceil(2)], &key.as_bytes()[key.len() - kept / 2..]);
    format!("{}{ELLIPSIS}{}", part(begin), part(end))
}

/// Validates the value of an attribute. A declarative rule makes sure that it is one.
fn validate_value(attribute: &Value, at: At<'_>) -> Causes {
    let mut causes = Causes::new();
    if attribute["string"].as_str().is_some_and(|text| text.len() > LONGEST_VALUE) {
        causes.push(Cause::too_long(format_args!("{at}.string"), LONGEST_VALUE));
    }
    if let Some(version) = attribute["version"].as_str() {
        let at = format_args!("{at}.version");
        if !is_semantic_version(version) {
            causes.push(Cause::invalid(at, version, "must be a string compatible with semver.org spec 2.0.0"));
        }
        if version.len() > LONGEST_VALUE {
            causes.push(Cause::too_long(at, LONGEST_VALUE));
        }
    }
    causes
}

/// Returns true for a version such as `1.2.3-alpha.1+build.5`. Upstream: `semverRe`.
fn is_semantic_version(text: &str) -> bool {
    let (text, build) = text.split_once('+').map_or((text, None), |(text, build)| (text, Some(build)));
    let (core, release) = text.split_once('-').map_or((text, None), |(core, release)| (core, Some(release)));
    let is_number = |part: &str| {
        part == "0" || !part.is_empty() && !part.starts_with('0') && part.bytes().all(|byte| byte.is_ascii_digit())
    };
    let is_word =
        |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    let is_release = |part: &str| is_number(part) || is_word(part) && !part.bytes().all(|byte| byte.is_ascii_digit());
    core.split('.').count() == 3
        && core.split('.').all(is_number)
        && release.is_none_or(|release| release.split('.').all(is_release))
        && build.is_none_or(|build| build.split('.').all(is_word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_those_of_semver_org() {
        for version in ["0.0.0", "1.2.3", "1.2.3-alpha.1", "1.2.3-0a", "1.2.3+01.b", "1.2.3--", "1.2.3-a+b-c"] {
            assert!(is_semantic_version(version), "{version}");
        }
        for version in ["", "1", "1.2", "01.2.3", "1.2.3-", "1.2.3-01", "1.2.3+", "1.2.3+a+b", "v1.2.3", "1.2.3.4"] {
            assert!(!is_semantic_version(version), "{version}");
        }
    }

    #[test]
    fn a_long_key_loses_its_middle() {
        let key = "a".repeat(50) + &"b".repeat(50);
        assert_eq!(truncated(&key), format!("{}...{}", "a".repeat(47), "b".repeat(46)));
        assert_eq!(truncated("key"), "key");
    }
}
