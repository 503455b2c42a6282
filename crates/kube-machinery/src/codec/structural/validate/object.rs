//! Validates the fields of an object and the items of a list against their schemas, and their number. `old` is the same
//! value before an update: parts that did not change since are not checked again. Upstream: kube-openapi's
//! `pkg/validation/validate/object_validator.go`, `slice_validator.go`.

use std::collections::HashMap;

use super::Walk;
use super::outcome::Outcome;
use super::ratchet::MapList;
use crate::codec::go_json::go_json;
use crate::codec::structural::number::same;
use crate::codec::structural::{Additional, Structural};
use crate::conventions::cause::Cause;
use crate::value::{Map, Value};

impl Walk {
    pub fn fields(&mut self, schema: &Structural, fields: &Map, old: Option<&Value>) -> Outcome {
        let mut outcome = self.count(fields.len(), schema.min_properties, schema.max_properties, "properties");
        let additional = fields.iter().filter(|(name, _)| !schema.properties.contains_key(name.as_str()));
        match &schema.additional_properties {
            Some(Additional::Any(false)) => {
                for (name, _) in additional {
                    if self.is_exhausted() {
                        break;
                    }
                    let detail = format!("{}.{name} in body is a forbidden property", self.path.name());
                    outcome.push(Cause::invalid(self.path.field(), name, &detail));
                }
            }
            Some(Additional::Of(additional_schema)) => {
                for (name, value) in additional {
                    let old = self.before(old, name);
                    let before = self.path.additional(name);
                    outcome.merge(self.check(additional_schema, value, old));
                    self.path.back(before);
                }
            }
            _ => {}
        }
        for (name, value) in fields {
            let Some(field) = schema.properties.get(name.as_str()) else { continue };
            let old = self.before(old, name);
            let before = self.path.property(name);
            outcome.merge(self.check(field, value, old));
            self.path.back(before);
        }
        for name in schema.required.iter().filter(|name| !fields.contains_key(name)) {
            if self.is_exhausted() {
                break;
            }
            outcome.push(Cause::required(self.path.field_of(name), ""));
        }
        outcome
    }

    /// Returns the old value of a field. The object's own kind and apiVersion are always checked, so their old value is
    /// not used.
    fn before<'o>(&self, old: Option<&'o Value>, name: &str) -> Option<&'o Value> {
        let is_checked = self.path.name().is_empty() && matches!(name, "kind" | "apiVersion");
        if is_checked { None } else { old?.as_object()?.get(name) }
    }

    pub(super) fn items(&mut self, schema: &Structural, items: &[Value], old: Option<&Value>) -> Outcome {
        let mut outcome = Outcome::default();
        if let Some(item_schema) = &schema.items {
            let old = old.and_then(Value::as_array).and_then(|old| MapList::of(schema, old));
            for (i, item) in items.iter().enumerate() {
                let before = self.path.item(i);
                outcome.merge(self.check(item_schema, item, old.as_ref().and_then(|old| old.get(item))));
                self.path.back(before);
            }
        }
        outcome.merge(self.count(items.len(), schema.min_items, schema.max_items, "items"));
        if schema.unique_items && !are_unique(items) {
            let detail = format!("{} in body shouldn't contain duplicates", self.path.name());
            outcome.push(Cause::invalid(self.path.field(), "", &detail));
        }
        outcome.matches += 1;
        outcome
    }

    /// Checks the number of fields or items.
    fn count(&self, count: usize, least: Option<i64>, most: Option<i64>, what: &str) -> Outcome {
        let size = i64::try_from(count).unwrap_or(i64::MAX);
        let mut outcome = Outcome::default();
        if let Some(least) = least
            && size < least
        {
            let detail = format!("{} in body should have at least {least} {what}", self.path.name());
            outcome.push(Cause::invalid_as(self.path.field(), &size.to_string(), &detail));
        }
        if let Some(most) = most
            && size > most
        {
            outcome.push(Cause::too_many_of(self.path.field(), count, usize::try_from(most).ok()));
        }
        outcome
    }
}

fn are_unique(items: &[Value]) -> bool {
    let mut seen: HashMap<String, Vec<&Value>> = HashMap::with_capacity(items.len());
    items.iter().all(|item| {
        // Equal items have equal JSON, but `1` and `1.0` have equal JSON and are not equal for Go.
        let alike = seen.entry(go_json(item)).or_default();
        let is_new = !alike.iter().any(|other| same(item, other));
        alike.push(item);
        is_new
    })
}
