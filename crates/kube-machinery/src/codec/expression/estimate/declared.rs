//! The sizes that the schema of a custom resource declares, for the estimates of its CEL rules: how many bytes of text,
//! items or entries a value can have at most, and how many bytes it needs at least. A value without a limit is limited
//! by the size of a request. Upstream: `SchemaDeclType` in apiserver's `pkg/cel/common/schemas.go`, and `limits.go`.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use super::data_path::DataPath;
use super::size::Size;
use crate::codec::expression::checker::unescaped;
use crate::value::{Array, Value};

/// The largest size of a request. Upstream: `MaxRequestSizeBytes`.
const MOST_OF_A_REQUEST: u64 = 3 << 20;
/// The longest text in a request, in bytes, without its quotation marks.
const LONGEST_TEXT: u64 = MOST_OF_A_REQUEST - 2;
/// The longest `metadata.name`. Upstream: `DNS1123SubdomainMaxLength`.
const LONGEST_NAME: i64 = 253;

/// The declared sizes of a value and of its parts.
#[derive(Clone, Debug)]
pub(crate) struct Declared<'s> {
    /// The most bytes of a text, or the most items or entries; 0 for other values. Upstream: `MaxElements`.
    most: u64,
    /// The fewest bytes in JSON. Upstream: `MinSerializedSize`.
    least_bytes: u64,
    parts: Parts<'s>,
}

#[derive(Clone, Debug)]
enum Parts<'s> {
    None,
    Fields(BTreeMap<&'s str, Declared<'s>>),
    Items(Box<Declared<'s>>),
    Values(Box<Declared<'s>>),
}

impl<'s> Declared<'s> {
    /// Returns the sizes of a value with this schema; `None` if the value is hidden from rules.
    pub(crate) fn of(schema: &'s Value, is_resource: bool) -> Option<Self> {
        let plain = |least_bytes, most| Some(Self { most, least_bytes, parts: Parts::None });
        if schema["x-kubernetes-int-or-string"] == true {
            return plain(1, most_bytes(schema).unwrap_or(LONGEST_TEXT));
        }
        match text(schema, "type") {
            "array" => {
                let items = inner(&schema["items"])?;
                let most = limit(schema, "maxItems").unwrap_or((MOST_OF_A_REQUEST - 2) / (items.least_bytes + 1));
                Some(Self { most, least_bytes: 2, parts: Parts::Items(Box::new(items)) })
            }
            "object" if schema["additionalProperties"].is_object() => {
                let values = inner(&schema["additionalProperties"])?;
                // An entry has a key, a colon and a comma too.
                let most = limit(schema, "maxProperties").unwrap_or((MOST_OF_A_REQUEST - 2) / (values.least_bytes + 6));
                Some(Self { most, least_bytes: 2, parts: Parts::Values(Box::new(values)) })
            }
            "object" => Some(Self::object(schema, is_resource)),
            "string" => match text(schema, "format") {
                // The sizes of these formats are those of `limits.go`.
                "byte" => plain(2, limit(schema, "maxLength").unwrap_or(LONGEST_TEXT)),
                "duration" => plain(3, 32),
                "date" => plain(12, 12),
                "date-time" => plain(21, 32),
                _ => plain(2, most_bytes(schema).or_else(|| longest_value(schema)).unwrap_or(LONGEST_TEXT)),
            },
            "boolean" => plain(4, 0),
            "number" | "integer" => plain(1, 0),
            _ => None,
        }
    }

    fn object(schema: &'s Value, is_resource: bool) -> Self {
        let properties = schema["properties"].as_object().into_iter().flatten();
        let mut fields: BTreeMap<&str, Self> =
            properties.filter_map(|(name, field)| Some((name.as_str(), inner(field)?))).collect();
        if is_resource && !describes_resource(schema) {
            let text = || Self { most: LONGEST_TEXT, least_bytes: 2, parts: Parts::None };
            fields.extend([("apiVersion", text()), ("kind", text()), ("metadata", metadata(schema))]);
        }
        let required: BTreeSet<&str> = items(schema, "required").iter().filter_map(Value::as_str).collect();
        let mut least_bytes = 2;
        for (name, field) in fields.iter().filter(|(name, _)| required.contains(*name)) {
            // A request can leave out a field with a default, because the server fills it in.
            if schema["properties"][*name]["default"].is_null() {
                least_bytes += name.len() as u64 + field.least_bytes + 4; // with quotation marks, a colon and a comma
            }
        }
        Self { most: 0, least_bytes, parts: Parts::Fields(fields) }
    }

    pub(crate) fn field(&self, name: &str) -> Option<&Self> {
        match &self.parts {
            Parts::Fields(fields) => fields.get(name),
            _ => None,
        }
    }

    /// Returns the sizes of the items of a list, or of the values of a map.
    pub(crate) fn elements(&self) -> Option<&Self> {
        match &self.parts {
            Parts::Items(of) | Parts::Values(of) => Some(of),
            _ => None,
        }
    }

    /// Returns how often such a value can be in one request. Upstream: `maxCardinality`.
    pub(crate) fn most_in_a_request(&self) -> u64 {
        MOST_OF_A_REQUEST / (self.least_bytes + 1)
    }

    /// Returns the size of the value at a path; `None` if no schema declares it. Upstream: `sizeEstimator.EstimateSize`
    /// in `pkg/apiserver/schema/cel/compilation.go`.
    pub(super) fn size_at(&self, path: &DataPath) -> Option<Size> {
        let parts = path.parts();
        let (_, below) = parts.split_first()?;
        below
            .iter()
            .try_fold(Some(self), |at, name| at?.part(name))
            .map(|found| Size::up_to(found.map_or(0, |of| of.most)))
    }

    /// Returns the sizes of one part. The inner `None` stands for a key, which has no declared size.
    fn part(&self, name: &Rc<str>) -> Option<Option<&Self>> {
        match (&**name, &self.parts) {
            ("@items" | "@values", _) => self.elements().map(Some),
            ("@keys", Parts::Values(_)) => Some(None),
            (name, _) => self.field(&unescaped(name)).map(Some),
        }
    }
}

fn text<'s>(schema: &'s Value, field: &str) -> &'s str {
    schema[field].as_str().unwrap_or_default()
}

fn items<'s>(schema: &'s Value, field: &str) -> &'s [Value] {
    schema[field].as_array().map_or(&[], Array::as_slice)
}

/// Returns the sizes of a value inside of another one.
fn inner(schema: &Value) -> Option<Declared<'_>> {
    Declared::of(schema, schema["x-kubernetes-embedded-resource"] == true)
}

/// Returns a limit of the schema. A negative one is 0.
fn limit(schema: &Value, field: &str) -> Option<u64> {
    schema[field].as_i64().map(|most| u64::try_from(most).unwrap_or_default())
}

/// Returns the most bytes of a text, of which a character has up to four.
fn most_bytes(schema: &Value) -> Option<u64> {
    limit(schema, "maxLength").map(|most| most.wrapping_mul(4))
}

/// Returns the length of the longest text in an `enum`.
fn longest_value(schema: &Value) -> Option<u64> {
    let values = items(schema, "enum");
    let longest = values.iter().map(|value| value.as_str().map_or(0, str::len)).max()?;
    Some(longest as u64)
}

/// Returns true if the schema has the types of all fields that a resource has. Upstream: `WithTypeAndObjectMeta`.
fn describes_resource(schema: &Value) -> bool {
    let properties = &schema["properties"];
    let is = |schema: &Value, kind: &str| text(schema, "type") == kind;
    let names = &properties["metadata"]["properties"];
    is(&properties["kind"], "string")
        && is(&properties["apiVersion"], "string")
        && is(&properties["metadata"], "object")
        && is(&names["name"], "string")
        && is(&names["generateName"], "string")
}

/// Returns the sizes of a resource's metadata, of which rules see the names alone.
fn metadata<'s>(schema: &'s Value) -> Declared<'s> {
    let of = |name: &str, longest: i64| {
        let own = schema["properties"]["metadata"]["properties"][name]["maxLength"].as_i64();
        let most = own.map_or(longest, |own| own.min(longest)).max(0);
        Declared { most: most.unsigned_abs() * 4, least_bytes: 2, parts: Parts::None }
    };
    // The server adds at least one character to `generateName`.
    let fields = [("name", of("name", LONGEST_NAME)), ("generateName", of("generateName", LONGEST_NAME - 1))];
    Declared { most: 0, least_bytes: 2, parts: Parts::Fields(fields.into_iter().collect()) }
}
