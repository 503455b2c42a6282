//! Builds the schema of the built-in kinds for server-side apply, from the table of Go types. This schema tells for
//! each list and map if it is merged and owned item by item, or as a whole ("atomic"). It has the form of the schemas
//! of upstream's library structured-merge-diff. `custom.rs` builds the schemas of custom resources.
//!
//! An [`Atom`] is the definition of one type: which scalar, list and map it allows. A [`TypeRef`] is a use of a type.
//!
//! Upstream: `pkg/generated/openapi`, read by `schemaconv`.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, LazyLock};

use super::schema::{Atom, DEDUCED, List, MapType, Relationship, Scalar, Schema, StructField, TypeKind, TypeRef};
use super::typed::Type;
use crate::codec::schema::{Field, FieldType, Omit, Struct, Topology, structs};
use crate::value::{Value, json};

/// The name of the type of a value that has no schema and lies inside of an atomic list or map: lists and maps in it
/// are atomic too. Elsewhere, a value without a schema has the type [`DEDUCED`].
pub(super) const ATOMIC: &str = "__untyped_atomic_";

static SCHEMA: LazyLock<Arc<Schema>> = LazyLock::new(|| {
    let mut types: HashMap<String, Atom> =
        structs().map(|(name, of)| (name.to_owned(), struct_atom(name, of))).collect();
    types.insert(ATOMIC.to_owned(), untyped(ATOMIC, Relationship::Atomic));
    types.insert(DEDUCED.to_owned(), untyped(DEDUCED, Relationship::Separable));
    Arc::new(Schema { types })
});

/// Returns the type of a built-in kind, by the name of its Go type.
pub fn type_named(name: &str) -> Type {
    Type { schema: SCHEMA.clone(), reference: named_type(name) }
}

pub(super) fn named_type(name: &str) -> TypeRef {
    TypeRef { kind: TypeKind::Named(name.into()), relationship: None }
}

pub(super) fn inlined(atom: Atom) -> TypeRef {
    TypeRef { kind: TypeKind::Inlined(atom), relationship: None }
}

pub(super) fn scalar(scalar: Scalar) -> Atom {
    Atom { scalar: Some(scalar), ..Atom::default() }
}

fn list(element: TypeRef, relationship: Relationship, keys: Vec<String>) -> Atom {
    Atom { list: Some(Arc::new(List { element, relationship, keys })), ..Atom::default() }
}

fn map(element: TypeRef, relationship: Relationship) -> Atom {
    let map = MapType { fields: BTreeMap::new(), element, relationship };
    Atom { map: Some(Arc::new(map)), ..Atom::default() }
}

/// Returns the type of a value of any form: a scalar, an atomic list, or a map of values of the type that `fields`
/// names.
fn untyped(fields: &str, relationship: Relationship) -> Atom {
    Atom {
        scalar: Some(Scalar::Untyped),
        list: list(named_type(ATOMIC), Relationship::Atomic, Vec::new()).list,
        map: map(named_type(fields), relationship).map,
    }
}

/// The struct whose fields of raw JSON ([`FieldType::Raw`]) can hold any value, such as the default in a schema. In
/// other structs a manager owns the whole field, as the `data` of a ControllerRevision.
const OF_ANY_VALUES: &str = "JSONSchemaProps";

fn struct_atom(name: &str, of: &'static Struct) -> Atom {
    let raw_type = if name == OF_ANY_VALUES { any() } else { untyped(ATOMIC, Relationship::Atomic) };
    let mut fields: BTreeMap<String, StructField> = of
        .all_fields()
        .into_iter()
        .map(|field| {
            let described = StructField { of: type_of_field(field, &raw_type), default: default_of(field) };
            (field.name.to_owned(), described)
        })
        .collect();
    if of.has_kind {
        for name in ["apiVersion", "kind"] {
            fields.insert(name.to_owned(), StructField { of: inlined(scalar(Scalar::String)), default: None });
        }
    }
    let relationship = if of.is_atomic { Relationship::Atomic } else { Relationship::Separable };
    // A struct without declared fields may have any fields.
    let element = if fields.is_empty() { any_value() } else { TypeRef::default() };
    Atom { map: Some(Arc::new(MapType { fields, element, relationship })), ..Atom::default() }
}

/// Returns the value that a missing field counts as: its declared default, or the zero value if Go always writes the
/// field. It matters for the keys of list items: a port without `protocol` has the key `TCP`.
fn default_of(field: &Field) -> Option<Value> {
    match (field.omit, &field.kind) {
        _ if field.default.is_some() => field.default.map(Value::from),
        (Omit::Never, FieldType::Text) => Some(json!("")),
        (Omit::Never, FieldType::Integer(_)) => Some(json!(0)),
        (Omit::Never, FieldType::Bool) => Some(json!(false)),
        _ => None,
    }
}

/// Returns the type of a field. `raw_type` is the type of raw JSON in its struct.
fn type_of_field(field: &Field, raw_type: &Atom) -> TypeRef {
    let of = type_of(&field.kind, &field.topology, raw_type);
    // A named type declares its own relationship; the field may override it.
    let relationship = match (&of.kind, &field.topology) {
        (TypeKind::Named(_), Topology::Atomic) => Some(Relationship::Atomic),
        (TypeKind::Named(_), Topology::Separable) => Some(Relationship::Separable),
        _ => None,
    };
    TypeRef { relationship, ..of }
}

/// Returns the type of a value of any form. Upstream: `__untyped_deduced_`.
fn any() -> Atom {
    untyped(DEDUCED, Relationship::Separable)
}

fn any_value() -> TypeRef {
    inlined(any())
}

fn type_of(kind: &FieldType, topology: &Topology, raw_type: &Atom) -> TypeRef {
    match kind {
        FieldType::Text | FieldType::Bytes => inlined(scalar(Scalar::String)),
        FieldType::Bool => inlined(scalar(Scalar::Boolean)),
        FieldType::Integer(_) | FieldType::Float => inlined(scalar(Scalar::Numeric)),
        FieldType::SchemaOr(_) => any_value(),
        FieldType::Time | FieldType::MicroTime | FieldType::Quantity | FieldType::IntOrString => {
            inlined(scalar(Scalar::Untyped))
        }
        FieldType::Raw => inlined(raw_type.clone()),
        FieldType::Struct(name) => named_type(name),
        FieldType::Pointer(inner) => type_of(inner, topology, raw_type),
        FieldType::List(inner) => {
            let (relationship, keys) = match topology {
                Topology::Set => (Relationship::Associative, Vec::new()),
                Topology::Map(keys) => (Relationship::Associative, keys.iter().map(|key| (*key).to_owned()).collect()),
                _ => (Relationship::Atomic, Vec::new()),
            };
            inlined(list(type_of(inner, &Topology::Declared, raw_type), relationship, keys))
        }
        FieldType::Map(inner) => {
            let atomic = *topology == Topology::Atomic;
            let relationship = if atomic { Relationship::Atomic } else { Relationship::Separable };
            inlined(map(type_of(inner, &Topology::Declared, raw_type), relationship))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::typed::{Duplicates, TypedValue};
    use super::*;

    fn fields(kind: &str, value: Value) -> String {
        let value = TypedValue::new(value, type_named(kind), Duplicates::Allowed).unwrap();
        value.to_field_set().unwrap().to_fields_v1().to_string()
    }

    #[test]
    fn list_items_are_owned_as_the_list_type_allows() {
        let pod = json!({"apiVersion": "v1", "spec": {"containers": [{"name": "a", "ports": [{"containerPort": 80}],
            "args": ["x"]}]}});
        let ports = r#""f:ports":{"k:{\"containerPort\":80,\"protocol\":\"TCP\"}":{".":{},"f:containerPort":{}}}"#;
        let container = format!(r#""k:{{\"name\":\"a\"}}":{{".":{{}},"f:args":{{}},"f:name":{{}},{ports}}}"#);
        let expected = format!(r#"{{"f:apiVersion":{{}},"f:spec":{{"f:containers":{{{container}}}}}}}"#);
        assert_eq!(fields("Pod", pod), expected);
        let service = json!({"spec": {"ports": [{"port": 80}], "selector": {"a": "b"}, "clusterIPs": ["x"]}});
        let port = r#""k:{\"port\":80,\"protocol\":\"TCP\"}":{".":{},"f:port":{}}"#;
        let expected = format!(r#"{{"f:spec":{{"f:clusterIPs":{{}},"f:ports":{{{port}}},"f:selector":{{}}}}}}"#);
        assert_eq!(fields("Service", service), expected);
        assert_eq!(
            fields("Deployment", json!({"spec": {"selector": {"matchLabels": {"a": "b"}}}})),
            r#"{"f:spec":{"f:selector":{}}}"#
        );
        let claim = json!({"spec": {"claimRef": {"name": "a"}}});
        assert_eq!(fields("PersistentVolume", claim), r#"{"f:spec":{"f:claimRef":{"f:name":{}}}}"#);
    }

    #[test]
    fn a_missing_list_key_has_its_default() {
        let secrets = json!({"spec": {"imagePullSecrets": [{}]}});
        let expected = r#"{"f:spec":{"f:imagePullSecrets":{"k:{\"name\":\"\"}":{}}}}"#;
        assert_eq!(fields("Pod", secrets), expected);
    }

    #[test]
    fn a_field_that_the_type_does_not_declare_is_refused() {
        let wrong = TypedValue::new(json!({"spec": {"x": 1}}), type_named("Pod"), Duplicates::Refused);
        assert_eq!(wrong.unwrap_err().to_string(), ".spec.x: field not declared in schema");
    }
}
