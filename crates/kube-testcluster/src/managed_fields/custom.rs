//! The schema of a custom resource, from that of its definition. Upstream: `schemaconv/openapi.go` of
//! `k8s.io/kube-openapi/pkg/schemaconv`.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::builtin::{inlined, list, map, named, scalar, type_named};
use super::schema::{Atom, DEDUCED, MapType, Relationship, Scalar, StructField, TypeRef};
use super::typed::Type;
use crate::codec::structural::Structural;

/// The type of a whole object.
pub(crate) fn type_of_custom(schema: &Structural) -> Type {
    let mut fields = fields(schema);
    let text = || StructField { of: inlined(scalar(Scalar::String)), default: None };
    fields.insert("apiVersion".to_owned(), text());
    fields.insert("kind".to_owned(), text());
    fields.insert("metadata".to_owned(), StructField { of: named("ObjectMeta"), default: None });
    Type { of: inlined(object(schema, fields)), ..type_named(DEDUCED) }
}

fn fields(schema: &Structural) -> BTreeMap<String, StructField> {
    let field = |(name, schema): (&String, &Structural)| {
        (name.clone(), StructField { of: type_of(schema), default: schema.default.clone() })
    };
    schema.properties.iter().map(field).collect()
}

fn object(schema: &Structural, fields: BTreeMap<String, StructField>) -> Atom {
    let element = match schema.additional() {
        Some(additional) => type_of(additional),
        None if schema.preserves_unknown_fields || fields.is_empty() => named(DEDUCED),
        None => TypeRef::default(),
    };
    let is_atomic = schema.map_type.as_deref() == Some("atomic");
    let relationship = if is_atomic { Relationship::Atomic } else { Relationship::Separable };
    Atom { map: Some(Arc::new(MapType { fields, element, relationship })), ..Atom::default() }
}

fn type_of(schema: &Structural) -> TypeRef {
    if schema.is_int_or_string {
        return inlined(scalar(Scalar::Untyped));
    }
    match schema.kind.as_str() {
        "object" if schema.is_embedded_resource || !schema.properties.is_empty() => {
            let mut fields = fields(schema);
            if schema.is_embedded_resource {
                fields.insert("metadata".to_owned(), StructField { of: named("ObjectMeta"), default: None });
                for name in ["apiVersion", "kind"] {
                    fields.insert(name.to_owned(), StructField { of: inlined(scalar(Scalar::String)), default: None });
                }
            }
            inlined(object(schema, fields))
        }
        "object" => match schema.additional() {
            Some(additional) if schema.map_type.as_deref() == Some("atomic") => {
                inlined(map(type_of(additional), Relationship::Atomic))
            }
            Some(additional) => inlined(map(type_of(additional), Relationship::Separable)),
            None => inlined(object(schema, BTreeMap::new())),
        },
        "array" => {
            let element = schema.items.as_deref().map_or_else(|| named(DEDUCED), type_of);
            match schema.list_type.as_deref() {
                Some("set") => inlined(list(element, Relationship::Associative, Vec::new())),
                Some("map") => inlined(list(element, Relationship::Associative, schema.list_map_keys.clone())),
                _ => inlined(list(element, Relationship::Atomic, Vec::new())),
            }
        }
        "string" => inlined(scalar(Scalar::String)),
        "integer" | "number" => inlined(scalar(Scalar::Numeric)),
        "boolean" => inlined(scalar(Scalar::Boolean)),
        _ => named(DEDUCED),
    }
}
