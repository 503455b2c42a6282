//! Builds the schema of a custom resource for server-side apply, from the schema in its CustomResourceDefinition. The
//! new schema, in the form of upstream's library structured-merge-diff, tells for each list and map if it is merged and
//! owned item by item, or as a whole ("atomic"). `builtin.rs` does the same for built-in kinds.
//!
//! Upstream: `schemaconv/openapi.go` of `k8s.io/kube-openapi/pkg/schemaconv`.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::builtin::{ATOMIC, inlined, named_type, scalar, type_named};
use super::schema::{Atom, DEDUCED, List, MapType, Relationship, Scalar, StructField, TypeRef};
use super::typed::Type;
use crate::codec::structural::Structural;

/// Returns the type of a custom resource. It refers to the schema of the built-in kinds, which defines the types that
/// it names: `ObjectMeta`, and those of values without a schema.
pub fn type_of_custom(schema: &Structural) -> Type {
    let (is_resource, keeps_unknown) = (true, schema.preserves_unknown_fields);
    let map = object(schema, is_resource, keeps_unknown);
    Type { reference: inlined(Atom { map: Some(map), ..Atom::default() }), ..type_named(DEDUCED) }
}

/// Returns the type of a value under a schema. If a schema keeps unknown fields, all schemas below it do.
fn type_of(schema: &Structural, keeps_unknown: bool) -> TypeRef {
    let keeps_unknown = keeps_unknown || schema.preserves_unknown_fields;
    let map = || Some(object(schema, schema.is_embedded_resource, keeps_unknown));
    let list = || Some(array(schema, keeps_unknown));
    inlined(match schema.kind.as_str() {
        "object" => Atom { map: map(), ..Atom::default() },
        "array" => Atom { list: list(), ..Atom::default() },
        "integer" | "number" => scalar(Scalar::Numeric),
        "boolean" => scalar(Scalar::Boolean),
        "string" if matches!(schema.format.as_str(), "" | "byte") => scalar(Scalar::String),
        "string" => scalar(Scalar::Untyped), // as upstream, which gives other formats no type
        _ => Atom { scalar: Some(Scalar::Untyped), list: list(), map: map() }, // a value of any form
    })
}

fn object(schema: &Structural, is_resource: bool, keeps_unknown: bool) -> Arc<MapType> {
    let field = |of, default| StructField { of, default };
    let named_in_schema = schema.properties.iter();
    let mut fields: BTreeMap<_, _> = named_in_schema
        .map(|(name, schema)| (name.clone(), field(type_of(schema, keeps_unknown), schema.default.clone())))
        .collect();
    if is_resource {
        fields.insert("metadata".to_owned(), field(named_type("ObjectMeta"), None));
        for name in ["apiVersion", "kind"] {
            fields.insert(name.to_owned(), field(inlined(scalar(Scalar::String)), None));
        }
    }
    let element = match schema.additional() {
        Some(additional) => type_of(additional, keeps_unknown),
        None if keeps_unknown || fields.is_empty() => named_type(DEDUCED),
        None => TypeRef::default(),
    };
    let is_atomic = schema.map_type.as_deref() == Some("atomic");
    let relationship = if is_atomic { Relationship::Atomic } else { Relationship::Separable };
    Arc::new(MapType { fields, element, relationship })
}

fn array(schema: &Structural, keeps_unknown: bool) -> Arc<List> {
    let (relationship, keys) = match schema.list_type.as_deref() {
        Some("set") => (Relationship::Associative, Vec::new()),
        Some("map") => (Relationship::Associative, schema.list_map_keys.clone()),
        _ => (Relationship::Atomic, Vec::new()),
    };
    let element = schema.items.as_deref().map_or_else(|| named_type(ATOMIC), |items| type_of(items, keeps_unknown));
    Arc::new(List { element, relationship, keys })
}
