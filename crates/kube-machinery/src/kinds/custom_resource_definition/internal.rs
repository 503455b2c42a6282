//! A definition in upstream's internal version, which has what all versions share in its spec, and not in each of them. The
//! messages speak of its fields. Upstream: `Convert_v1_CustomResourceDefinitionSpec_To_apiextensions_CustomResourceDefinitionSpec`.

use crate::kinds::fields::{items, text};
use crate::value::{Array, Value};

/// The fields that move to the spec if they are the same in all versions.
const SHARED: [&str; 4] = ["schema", "subresources", "additionalPrinterColumns", "selectableFields"];

/// A spec of the internal version.
pub(super) struct Spec<'a> {
    pub(super) value: &'a Value,
    /// Which fields the versions share.
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

    /// A field that the versions share.
    pub(super) fn shared(&self, field: &str) -> &'a Value {
        match self.versions().first() {
            Some(first) if self.shared.contains(&field) => &first[field],
            _ => &NONE,
        }
    }

    /// A field that a version has alone.
    pub(super) fn own(&self, version: &'a Value, field: &str) -> &'a Value {
        if self.shared.contains(&field) { &NONE } else { &version[field] }
    }

    /// What all versions have in common.
    pub(super) fn shared_fields(&self) -> &[&'static str] {
        &self.shared
    }

    /// The schema that all versions share.
    pub(super) fn shared_schema(&self) -> &'a Value {
        &self.shared("schema")["openAPIV3Schema"]
    }

    /// All schemas that there are.
    pub(super) fn schemas(&self) -> impl Iterator<Item = &'a Value> + '_ {
        let own = self.versions().iter().map(|version| &self.own(version, "schema")["openAPIV3Schema"]);
        std::iter::once(self.shared_schema()).chain(own).filter(|schema| schema.is_object())
    }

    /// The resources that the API server keeps all unknown fields of.
    pub(super) fn preserves_unknown_fields(&self) -> bool {
        self.value["preserveUnknownFields"] == true
    }

    /// The subresources of a version.
    pub(super) fn subresources(&self, version: &'a Value) -> &'a Value {
        match self.shared("subresources") {
            Value::Null => self.own(version, "subresources"),
            shared => shared,
        }
    }
}

/// An empty list is the same as none.
fn is_same(one: &Value, other: &Value) -> bool {
    let is_empty = |value: &Value| value.is_null() || value.as_array().is_some_and(Array::is_empty);
    one == other || is_empty(one) && is_empty(other)
}

/// Calls `look` with each schema in a schema, itself first, until one of the calls says true. Upstream: `SchemaHas`.
pub(super) fn has(schema: &Value, look: &mut impl FnMut(&Value) -> bool) -> bool {
    if look(schema) {
        return true;
    }
    let mut any = |schema: &Value| schema.is_object() && has(schema, look);
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

/// Whether a condition is true. Upstream: `IsCRDConditionTrue`.
pub(super) fn is_true(definition: &Value, condition: &str) -> bool {
    let found = items(&definition["status"], "conditions").iter().find(|found| text(found, "type") == condition);
    found.is_some_and(|condition| condition["status"] == "True")
}
