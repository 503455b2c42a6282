//! A CustomResourceDefinition as upstream's internal version sees it. Upstream validates that version and not `v1`.
//! There, a field that has the same value in all versions of the custom resource, such as the schema, is in the spec
//! and not in each version. So validation checks such a field once, and messages name its path in the spec.
//!
//! Upstream: `Convert_v1_CustomResourceDefinitionSpec_To_apiextensions_CustomResourceDefinitionSpec`.

use crate::kinds::fields::{items, text};
use crate::value::{Array, Value};

/// The fields that move to the spec if all versions agree on them.
const SHARED: [&str; 4] = ["schema", "subresources", "additionalPrinterColumns", "selectableFields"];

/// The spec of a definition in upstream's internal version.
pub(super) struct Spec<'a> {
    pub(super) value: &'a Value,
    /// The fields that have the same value in all versions, called shared here.
    shared: Vec<&'static str>,
}

/// The value of an absent field.
static NONE: Value = Value::Null;

impl<'a> Spec<'a> {
    pub(super) fn of(definition: &'a Value) -> Self {
        let value = &definition["spec"];
        let versions = items(value, "versions");
        let is_shared = |field: &&str| match versions.split_first() {
            Some((first, rest)) => rest.iter().all(|version| is_same(&version[*field], &first[*field])),
            None => false,
        };
        Self { value, shared: SHARED.into_iter().filter(is_shared).collect() }
    }

    pub(super) fn versions(&self) -> &'a [Value] {
        items(self.value, "versions")
    }

    /// Returns the value of a shared field; null if the versions do not share it.
    pub(super) fn shared(&self, field: &str) -> &'a Value {
        match self.versions().first() {
            Some(first) if self.shared.contains(&field) => &first[field],
            _ => &NONE,
        }
    }

    /// Returns a version's value of a field that is not shared; null if it is shared.
    pub(super) fn own(&self, version: &'a Value, field: &str) -> &'a Value {
        if self.shared.contains(&field) { &NONE } else { &version[field] }
    }

    pub(super) fn shared_fields(&self) -> &[&'static str] {
        &self.shared
    }

    pub(super) fn shared_schema(&self) -> &'a Value {
        &self.shared("schema")["openAPIV3Schema"]
    }

    /// Returns the shared schema, if there is one, and the schemas of single versions.
    pub(super) fn schemas(&self) -> impl Iterator<Item = &'a Value> + '_ {
        let own = self.versions().iter().map(|version| &self.own(version, "schema")["openAPIV3Schema"]);
        std::iter::once(self.shared_schema()).chain(own).filter(|schema| schema.is_object())
    }

    /// Returns true if unknown fields of all custom resources are kept.
    pub(super) fn preserves_unknown_fields(&self) -> bool {
        self.value["preserveUnknownFields"] == true
    }

    /// Returns the subresources of a version, shared or not.
    pub(super) fn subresources(&self, version: &'a Value) -> &'a Value {
        match self.shared("subresources") {
            Value::Null => self.own(version, "subresources"),
            shared => shared,
        }
    }
}

/// Compares two fields. An empty list equals an absent one.
fn is_same(one: &Value, other: &Value) -> bool {
    let is_empty = |value: &Value| value.is_null() || value.as_array().is_some_and(Array::is_empty);
    one == other || is_empty(one) && is_empty(other)
}

/// Calls `matches` with the schema and each schema in it, until a call returns true, and returns true then. Upstream:
/// `SchemaHas`.
pub(super) fn schema_has(schema: &Value, matches: &mut impl FnMut(&Value) -> bool) -> bool {
    if matches(schema) {
        return true;
    }
    let mut any = |schema: &Value| schema.is_object() && schema_has(schema, matches);
    for field in ["items", "allOf", "anyOf", "oneOf", "not", "additionalProperties", "additionalItems"] {
        let found = match &schema[field] {
            Value::Array(schemas) => schemas.iter().any(&mut any),
            schema => any(schema),
        };
        if found {
            return true;
        }
    }
    ["properties", "patternProperties", "definitions", "dependencies"]
        .into_iter()
        .any(|field| schema[field].as_object().into_iter().flatten().any(|(_, schema)| any(schema)))
}

/// Upstream: `IsCRDConditionTrue`.
pub(super) fn is_true(definition: &Value, condition: &str) -> bool {
    let found = items(&definition["status"], "conditions").iter().find(|found| text(found, "type") == condition);
    found.is_some_and(|condition| condition["status"] == "True")
}
