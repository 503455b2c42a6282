//! Prints parts of a CustomResourceDefinition as upstream's validation messages show them, such as `Invalid value:
//! {"ID":"",…}`. Upstream prints its internal Go structs as JSON, so the result has all fields, also the absent ones,
//! in the order of the Go type and under their Go names.

use std::fmt::Write;

use crate::codec::go_json::go_json;
use crate::value::Value;

/// The largest size of a printed value, in bytes. Upstream has no limit, and can print hundreds of times the size of
/// the definition.
const MOST_BYTES: usize = 1 << 16;

pub(super) fn schema(schema: &Value) -> String {
    print(schema, &Shape::Struct(SCHEMA))
}

#[cfg(feature = "cel")]
pub(super) fn rule(rule: &Value) -> String {
    print(rule, &RULE_SHAPE)
}

pub(super) fn items(items: &Value) -> String {
    print(items, &Shape::OrList("JSONSchemas", &SCHEMA_SHAPE))
}

/// Prints versions without the fields in `common`, which upstream's internal version has in the spec instead.
pub(super) fn versions(versions: &[Value], common: &[&str]) -> String {
    let own = |version: &Value| {
        let mut version = version.clone();
        if let Some(fields) = version.as_object_mut() {
            fields.retain(|name, _| !common.contains(&name.as_str()));
        }
        version
    };
    print(&versions.iter().map(own).collect(), &Shape::List(&VERSION_SHAPE))
}

/// The Go type of a value, which determines the printed form.
pub(super) enum Shape {
    /// Any JSON value; `null` if it is absent.
    Plain,
    Text,
    Bool,
    Number,
    Struct(&'static [Field]),
    Pointer(&'static Shape),
    List(&'static Shape),
    Map(&'static Shape),
    /// A schema or a boolean.
    OrBool,
    /// A schema, or a list with this name.
    OrList(&'static str, &'static Shape),
}

/// The name in Go, the name in the API, and the type.
pub(super) type Field = (&'static str, &'static str, Shape);

static SCHEMA_SHAPE: Shape = Shape::Struct(SCHEMA);
static VERSION_SHAPE: Shape = Shape::Struct(VERSION);
static RULE_SHAPE: Shape = Shape::Struct(&[
    ("Rule", "rule", Shape::Text),
    ("Message", "message", Shape::Text),
    ("MessageExpression", "messageExpression", Shape::Text),
    ("Reason", "reason", Shape::Plain),
    ("FieldPath", "fieldPath", Shape::Text),
    ("OptionalOldSelf", "optionalOldSelf", Shape::Plain),
]);

/// The fields of a schema in upstream's order.
pub(super) static SCHEMA: &[Field] = &[
    ("ID", "id", Shape::Text),
    ("Schema", "$schema", Shape::Text),
    ("Ref", "$ref", Shape::Plain),
    ("Description", "description", Shape::Text),
    ("Type", "type", Shape::Text),
    ("Nullable", "nullable", Shape::Bool),
    ("Format", "format", Shape::Text),
    ("Title", "title", Shape::Text),
    ("Default", "default", Shape::Plain),
    ("Maximum", "maximum", Shape::Plain),
    ("ExclusiveMaximum", "exclusiveMaximum", Shape::Bool),
    ("Minimum", "minimum", Shape::Plain),
    ("ExclusiveMinimum", "exclusiveMinimum", Shape::Bool),
    ("MaxLength", "maxLength", Shape::Plain),
    ("MinLength", "minLength", Shape::Plain),
    ("Pattern", "pattern", Shape::Text),
    ("MaxItems", "maxItems", Shape::Plain),
    ("MinItems", "minItems", Shape::Plain),
    ("UniqueItems", "uniqueItems", Shape::Bool),
    ("MultipleOf", "multipleOf", Shape::Plain),
    ("Enum", "enum", Shape::Plain),
    ("MaxProperties", "maxProperties", Shape::Plain),
    ("MinProperties", "minProperties", Shape::Plain),
    ("Required", "required", Shape::Plain),
    ("Items", "items", Shape::OrList("JSONSchemas", &SCHEMA_SHAPE)),
    ("AllOf", "allOf", Shape::List(&SCHEMA_SHAPE)),
    ("OneOf", "oneOf", Shape::List(&SCHEMA_SHAPE)),
    ("AnyOf", "anyOf", Shape::List(&SCHEMA_SHAPE)),
    ("Not", "not", Shape::Pointer(&SCHEMA_SHAPE)),
    ("Properties", "properties", Shape::Map(&SCHEMA_SHAPE)),
    ("AdditionalProperties", "additionalProperties", Shape::OrBool),
    ("PatternProperties", "patternProperties", Shape::Map(&SCHEMA_SHAPE)),
    ("Dependencies", "dependencies", Shape::Map(&Shape::OrList("Property", &Shape::Plain))),
    ("AdditionalItems", "additionalItems", Shape::OrBool),
    ("Definitions", "definitions", Shape::Map(&SCHEMA_SHAPE)),
    (
        "ExternalDocs",
        "externalDocs",
        Shape::Pointer(&Shape::Struct(&[("Description", "description", Shape::Text), ("URL", "url", Shape::Text)])),
    ),
    ("Example", "example", Shape::Plain),
    ("XPreserveUnknownFields", "x-kubernetes-preserve-unknown-fields", Shape::Plain),
    ("XEmbeddedResource", "x-kubernetes-embedded-resource", Shape::Bool),
    ("XIntOrString", "x-kubernetes-int-or-string", Shape::Bool),
    ("XListMapKeys", "x-kubernetes-list-map-keys", Shape::Plain),
    ("XListType", "x-kubernetes-list-type", Shape::Plain),
    ("XMapType", "x-kubernetes-map-type", Shape::Plain),
    ("XValidations", "x-kubernetes-validations", Shape::List(&RULE_SHAPE)),
];

static VERSION: &[Field] = &[
    ("Name", "name", Shape::Text),
    ("Served", "served", Shape::Bool),
    ("Storage", "storage", Shape::Bool),
    ("Deprecated", "deprecated", Shape::Bool),
    ("DeprecationWarning", "deprecationWarning", Shape::Plain),
    (
        "Schema",
        "schema",
        Shape::Pointer(&Shape::Struct(&[("OpenAPIV3Schema", "openAPIV3Schema", Shape::Pointer(&SCHEMA_SHAPE))])),
    ),
    (
        "Subresources",
        "subresources",
        Shape::Pointer(&Shape::Struct(&[
            ("Status", "status", Shape::Plain),
            (
                "Scale",
                "scale",
                Shape::Pointer(&Shape::Struct(&[
                    ("SpecReplicasPath", "specReplicasPath", Shape::Text),
                    ("StatusReplicasPath", "statusReplicasPath", Shape::Text),
                    ("LabelSelectorPath", "labelSelectorPath", Shape::Plain),
                ])),
            ),
        ])),
    ),
    (
        "AdditionalPrinterColumns",
        "additionalPrinterColumns",
        Shape::List(&Shape::Struct(&[
            ("Name", "name", Shape::Text),
            ("Type", "type", Shape::Text),
            ("Format", "format", Shape::Text),
            ("Description", "description", Shape::Text),
            ("Priority", "priority", Shape::Number),
            ("JSONPath", "jsonPath", Shape::Text),
        ])),
    ),
    ("SelectableFields", "selectableFields", Shape::List(&Shape::Struct(&[("JSONPath", "jsonPath", Shape::Text)]))),
];

/// Prints a value. A long text ends after [`MOST_BYTES`].
fn print(value: &Value, shape: &Shape) -> String {
    let mut out = String::new();
    write(&mut out, value, shape);
    if out.len() > MOST_BYTES {
        let cut = (0..=MOST_BYTES).rev().find(|at| out.is_char_boundary(*at)).unwrap_or_default();
        out.truncate(cut);
        out.push_str("...");
    }
    out
}

fn write(out: &mut String, value: &Value, shape: &Shape) {
    if out.len() > MOST_BYTES {
        return;
    }
    match (shape, value) {
        (Shape::Text, Value::Null) => out.push_str("\"\""),
        (Shape::Bool, Value::Null) => out.push_str("false"),
        (Shape::Number, Value::Null) => out.push('0'),
        (Shape::Struct(fields), value) => {
            let fields = fields.iter().map(|(go, name, shape)| (*go, &value[*name], shape));
            write_fields(out, fields);
        }
        (Shape::Pointer(inner), value) if !value.is_null() => write(out, value, inner),
        (Shape::List(inner), Value::Array(items)) => {
            out.push('[');
            for (i, item) in items.iter().enumerate() {
                out.push_str(if i == 0 { "" } else { "," });
                write(out, item, inner);
            }
            out.push(']');
        }
        (Shape::Map(inner), Value::Object(entries)) => {
            write_fields(out, entries.iter().map(|(name, value)| (name.as_str(), value, *inner)));
        }
        (Shape::OrBool, Value::Null) | (Shape::OrList(..), Value::Null) => out.push_str("null"),
        (Shape::OrBool, value) => {
            let (allows, schema) =
                (&Value::Bool(*value != false), if value.is_object() { value } else { &Value::Null });
            write_fields(
                out,
                [("Allows", allows, &Shape::Plain), ("Schema", schema, &Shape::Pointer(&SCHEMA_SHAPE))].into_iter(),
            );
        }
        (Shape::OrList(name, inner), value) => {
            let (schema, list) = if value.is_array() { (&Value::Null, value) } else { (value, &Value::Null) };
            let list_shape = Shape::List(inner);
            write_fields(
                out,
                [("Schema", schema, &Shape::Pointer(&SCHEMA_SHAPE)), (name, list, &list_shape)].into_iter(),
            );
        }
        (_, value) => out.push_str(&go_json(value)),
    }
}

fn write_fields<'v>(out: &mut String, fields: impl Iterator<Item = (&'v str, &'v Value, &'v Shape)>) {
    out.push('{');
    for (i, (name, value, shape)) in fields.enumerate() {
        out.push_str(if i == 0 { "" } else { "," });
        write!(out, "{}:", Value::from(name)).expect("writing to a String cannot fail");
        write(out, value, shape);
    }
    out.push('}');
}
