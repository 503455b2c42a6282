//! The scopes of a quota, which restrict it to some objects: `scopes`, and the newer `scopeSelector`, whose
//! requirements can name values.

use crate::kinds::fields::{items, text};
use crate::value::Value;

/// A requirement that an object meets or not. Upstream: `ScopedResourceSelectorRequirement`.
pub(super) struct Requirement<'a> {
    pub(super) scope: &'a str,
    operator: &'a str,
    values: &'a [Value],
}

/// Returns the requirements of a quota. Upstream: `getScopeSelectorsFromQuota`.
pub(super) fn requirements(quota: &Value) -> impl Iterator<Item = Requirement<'_>> {
    let spec = &quota["spec"];
    let scopes = items(spec, "scopes").iter().filter_map(Value::as_str);
    let scopes = scopes.map(|scope| Requirement { scope, operator: "Exists", values: &[] });
    let expressions = items(&spec["scopeSelector"], "matchExpressions").iter().map(|one| Requirement {
        scope: text(one, "scopeName"),
        operator: text(one, "operator"),
        values: items(one, "values"),
    });
    scopes.chain(expressions)
}

impl Requirement<'_> {
    /// Returns true if the object's value of this scope, such as the name of its priority class, meets the requirement.
    pub(super) fn is_met_by(&self, value: Option<&str>) -> bool {
        let is_listed = value.is_some_and(|value| self.values.iter().any(|one| one == value));
        match self.operator {
            "In" => is_listed,
            "NotIn" => !is_listed,
            "Exists" => value.is_some(),
            "DoesNotExist" => value.is_none(),
            _ => false,
        }
    }

    /// Returns true if one of the object's values meets the requirement.
    pub(super) fn is_met_by_any(&self, values: &[&str]) -> bool {
        match values {
            [] => self.is_met_by(None),
            values => values.iter().any(|value| self.is_met_by(Some(value))),
        }
    }
}
