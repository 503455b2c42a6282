//! The structural schema of a custom resource, which its CustomResourceDefinition declares in `openAPIV3Schema`. For
//! custom resources it does what Go types do for built-in kinds: a decoded object is pruned by it (unknown fields are
//! removed), gets its defaults, and is validated. Upstream: `k8s.io/apiextensions-apiserver/pkg/apiserver/schema`.

mod defaults;
pub(crate) mod embedded;
pub(crate) mod format;
pub(crate) mod list_type;
mod number;
pub(crate) mod pattern;
mod print_value;
mod prune;
#[cfg(feature = "cel")]
pub(crate) mod rules;
#[cfg(test)]
mod tests;
pub(crate) mod validate;

use std::collections::BTreeMap;

use regex::bytes::Regex;
use serde::Deserialize;

pub(crate) use self::defaults::{default, prune_defaults};
pub(crate) use self::prune::{below_root as prune_below_root, drop_nulls, prune};
use crate::value::Value;

/// A schema in structural form: the type of each field stands outside of `allOf`, `anyOf`, `oneOf` and `not`, which
/// only add conditions, so that a field's type does not depend on the object. CustomResourceDefinitions with other
/// schemas were refused when they were written.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Structural {
    /// The type of valid values: `object`, `array`, `string`, `integer`, `number` or `boolean`; empty if any is
    /// allowed.
    #[serde(rename = "type")]
    pub(crate) kind: String,
    pub(crate) nullable: bool,
    pub(crate) default: Option<Value>,
    pub(crate) properties: BTreeMap<String, Structural>,
    pub(crate) additional_properties: Option<Additional>,
    pub(crate) items: Option<Box<Structural>>,

    #[serde(rename = "x-kubernetes-preserve-unknown-fields")]
    pub(crate) preserves_unknown_fields: bool,
    #[serde(rename = "x-kubernetes-embedded-resource")]
    pub(crate) is_embedded_resource: bool,
    #[serde(rename = "x-kubernetes-int-or-string")]
    pub(crate) is_int_or_string: bool,
    /// `atomic`, `set` or `map`.
    #[serde(rename = "x-kubernetes-list-type")]
    pub(crate) list_type: Option<String>,
    #[serde(rename = "x-kubernetes-list-map-keys")]
    pub(crate) list_map_keys: Vec<String>,
    /// `granular` or `atomic`.
    #[serde(rename = "x-kubernetes-map-type")]
    pub(crate) map_type: Option<String>,
    #[serde(rename = "x-kubernetes-validations")]
    pub(crate) rules: Vec<Rule>,

    pub(crate) format: String,
    pub(crate) pattern: String,
    pub(crate) maximum: Option<f64>,
    pub(crate) exclusive_maximum: bool,
    pub(crate) minimum: Option<f64>,
    pub(crate) exclusive_minimum: bool,
    pub(crate) multiple_of: Option<f64>,
    pub(crate) max_length: Option<i64>,
    pub(crate) min_length: Option<i64>,
    pub(crate) max_items: Option<i64>,
    pub(crate) min_items: Option<i64>,
    pub(crate) unique_items: bool,
    pub(crate) max_properties: Option<i64>,
    pub(crate) min_properties: Option<i64>,
    pub(crate) required: Vec<String>,
    #[serde(rename = "enum")]
    pub(crate) allowed: Vec<Value>,
    pub(crate) all_of: Vec<Structural>,
    pub(crate) any_of: Vec<Structural>,
    pub(crate) one_of: Vec<Structural>,
    pub(crate) not: Option<Box<Structural>>,

    /// The compiled `pattern`, after its first use.
    #[serde(skip)]
    compiled: pattern::Compiled,
}

/// The rule for the fields that `properties` does not name.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub(crate) enum Additional {
    /// A boolean: true allows such fields, with any value.
    Any(bool),
    /// The schema of their values.
    Of(Box<Structural>),
}

/// A CEL rule (`x-kubernetes-validations`).
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Rule {
    pub(crate) rule: String,
    pub(crate) message: String,
    pub(crate) message_expression: String,
    pub(crate) reason: Option<String>,
    pub(crate) field_path: String,
    pub(crate) optional_old_self: Option<bool>,

    /// The compiled rule, after its first use.
    #[cfg(feature = "cel")]
    #[serde(skip)]
    compiled: std::sync::OnceLock<std::sync::Arc<rules::Compiled>>,
}

/// Returns true if upstream knows this `format` for values of this type, and so checks it: other formats are ignored,
/// with a warning when the CustomResourceDefinition is written. An empty type is any type. Upstream:
/// `GetUnrecognizedFormats`.
pub(crate) fn is_checked_format(kind: &str, format: &str) -> bool {
    match kind {
        "" | "string" => format::Format::named(format).is_some(),
        "integer" => matches!(format, "int32" | "int64"),
        "number" => matches!(format, "float" | "double"),
        _ => false,
    }
}

impl Structural {
    pub(crate) fn field(&self, name: &str) -> Option<&Structural> {
        self.properties.get(name).or_else(|| self.additional())
    }

    /// Returns true if the schema has CEL rules at any level. Only then do the causes of an
    /// invalid object say that its rules were not checked.
    #[cfg(feature = "cel")]
    pub(crate) fn has_rules(&self) -> bool {
        let below = self.properties.values().chain(self.additional()).chain(self.items.as_deref());
        !self.rules.is_empty() || below.into_iter().any(Self::has_rules)
    }

    /// Returns the schema of the fields that `properties` does not name.
    pub(crate) fn additional(&self) -> Option<&Structural> {
        match &self.additional_properties {
            Some(Additional::Of(schema)) => Some(schema),
            _ => None,
        }
    }

    /// Returns the types of valid values: usually one, two for an int-or-string, and an empty list if any type is
    /// allowed.
    pub(crate) fn kinds(&self) -> &[&str] {
        // Each type as a list of one, so that a reference to it can be returned.
        const EACH: [&[&str]; 6] = [&["object"], &["array"], &["string"], &["integer"], &["number"], &["boolean"]];
        match self.kind.as_str() {
            _ if self.is_int_or_string => &["integer", "string"],
            kind => EACH.into_iter().find(|each| each[0] == kind).unwrap_or_default(),
        }
    }

    /// Returns the format if upstream checks it, and an empty string otherwise. Upstream:
    /// `StripUnsupportedFormatsPostProcessorForVersion`.
    pub(crate) fn checked_format(&self) -> &str {
        let kind = if let [kind] = self.kinds() { *kind } else { "" };
        if is_checked_format(kind, &self.format) { &self.format } else { "" }
    }

    /// Returns the compiled `pattern`.
    ///
    /// # Errors
    /// The compiler's message, if the pattern is invalid or too large.
    pub(crate) fn compiled_pattern(&self) -> Result<Regex, String> {
        self.compiled.regex(&self.pattern)
    }
}
