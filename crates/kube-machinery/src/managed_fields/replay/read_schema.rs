//! Reads a schema of server-side apply in the format of upstream's recorded tests, which declare types of their own.

use super::super::schema::{Atom, List, MapType, Relationship, Scalar, Schema, StructField, TypeKind, TypeRef};
use crate::value::Value;

pub(super) fn read_schema(schema: &Value) -> Schema {
    let types = schema["types"].as_array().into_iter().flatten();
    Schema { types: types.map(|of| (of["name"].as_str().unwrap().to_owned(), read_atom(of))).collect() }
}

fn read_atom(of: &Value) -> Atom {
    Atom {
        scalar: of["scalar"].as_str().map(|scalar| match scalar {
            "numeric" => Scalar::Numeric,
            "string" => Scalar::String,
            "boolean" => Scalar::Boolean,
            _ => Scalar::Untyped,
        }),
        list: of.get("list").map(|list| read_list(list).into()),
        map: of.get("map").map(|map| read_map(map).into()),
    }
}

fn read_list(list: &Value) -> List {
    let keys = list["keys"].as_array().into_iter().flatten();
    List {
        element: read_type(&list["elementType"]),
        relationship: relationship(list).unwrap_or(Relationship::Separable),
        keys: keys.map(|key| key.as_str().unwrap().to_owned()).collect(),
    }
}

fn read_map(map: &Value) -> MapType {
    let fields = map["fields"].as_array().into_iter().flatten();
    let field = |field: &Value| {
        let of = StructField { of: read_type(&field["type"]), default: field.get("default").cloned() };
        (field["name"].as_str().unwrap().to_owned(), of)
    };
    MapType {
        fields: fields.map(field).collect(),
        element: read_type(&map["elementType"]),
        relationship: relationship(map).unwrap_or(Relationship::Separable),
    }
}

pub(super) fn read_type(of: &Value) -> TypeRef {
    let kind = match of["namedType"].as_str() {
        Some(name) => TypeKind::Named(name.into()),
        None => TypeKind::Inlined(read_atom(of)),
    };
    TypeRef { kind, relationship: relationship(of) }
}

fn relationship(of: &Value) -> Option<Relationship> {
    match of["elementRelationship"].as_str()? {
        "atomic" => Some(Relationship::Atomic),
        "associative" => Some(Relationship::Associative),
        _ => Some(Relationship::Separable),
    }
}
