//! The types that the checker of CEL expressions knows, and those that an OpenAPI schema gives to the values of an
//! object.
//!
//! Upstream: apiserver's `SchemaDeclType` in `pkg/cel/common/schemas.go`.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use cel::common::ast::LiteralValue;

use super::admission::{self, AUTHORIZER, Declared};
use crate::value::Value;

#[derive(Clone, Debug)]
pub enum Type<'s> {
    /// A type that this checker cannot infer, although cel-go can. The checker accepts every use of it.
    Unknown,
    /// CEL's `dyn`: the schema allows any type, so the type is known only when the expression runs.
    Dyn,
    Null,
    Bool,
    Int,
    Uint,
    Double,
    String,
    Bytes,
    Timestamp,
    Duration,
    List(Box<Type<'s>>),
    /// A map, by the type of its keys and the type of its values.
    Map(Box<Type<'s>>, Box<Type<'s>>),
    Optional(Box<Type<'s>>),
    /// The type of a type, as `type(x)` returns it.
    Metatype,
    Object {
        schema: &'s Value,
        /// True if the object has `apiVersion`, `kind` and `metadata`, whatever its schema declares.
        is_resource: bool,
    },
    /// The metadata of a resource, of which expressions see only `name` and `generateName`.
    Metadata,
    /// An object whose fields are declared in this crate and not in a schema.
    Declared(&'static Declared),
    /// An opaque type of [`OPAQUE`], which has methods but no fields.
    Opaque(&'static str),
    /// The variables of a policy that were declared before the current one.
    Variables(Arc<HashMap<String, Type<'s>>>),
}

/// The types whose contents only their functions can read.
pub(super) const OPAQUE: [&str; 11] = [
    AUTHORIZER,
    "kubernetes.authorization.PathCheck",
    "kubernetes.authorization.GroupCheck",
    "kubernetes.authorization.ResourceCheck",
    "kubernetes.authorization.Decision",
    "kubernetes.Quantity",
    "kubernetes.URL",
    "kubernetes.NamedFormat",
    "kubernetes.Semver",
    "net.IP",
    "net.CIDR",
];

impl<'s> Type<'s> {
    /// Returns the type of a value with this schema, or `None` if the value is hidden from CEL, because its schema, or
    /// that of its items, has no type.
    pub(crate) fn of(schema: &'s Value, is_resource: bool) -> Option<Self> {
        if schema["x-kubernetes-int-or-string"] == true {
            return Some(Self::Dyn);
        }
        let text = |field: &str| schema[field].as_str().unwrap_or_default();
        let inner = |schema: &'s Value| Self::of(schema, is_embedded(schema)).map(Box::new);
        Some(match text("type") {
            "array" => Self::List(inner(&schema["items"])?),
            "object" if schema["additionalProperties"].is_object() => {
                Self::Map(Box::new(Self::String), inner(&schema["additionalProperties"])?)
            }
            "object" => Self::Object { schema, is_resource },
            "string" => match text("format") {
                "byte" => Self::Bytes,
                "duration" => Self::Duration,
                "date" | "date-time" => Self::Timestamp,
                _ => Self::String,
            },
            "boolean" => Self::Bool,
            "number" => Self::Double,
            "integer" => Self::Int,
            _ => return None,
        })
    }

    pub(in crate::codec::expression) fn of_literal(literal: &LiteralValue) -> Self {
        match literal {
            LiteralValue::Boolean(_) => Self::Bool,
            LiteralValue::Bytes(_) => Self::Bytes,
            LiteralValue::Double(_) => Self::Double,
            LiteralValue::Int(_) => Self::Int,
            LiteralValue::Null => Self::Null,
            LiteralValue::String(_) => Self::String,
            LiteralValue::UInt(_) => Self::Uint,
        }
    }

    /// Returns the type of a field, or `None` if the type has no such field.
    pub(crate) fn field(&self, name: &str) -> Option<Self> {
        match self {
            Self::Object { is_resource: true, .. } if matches!(name, "apiVersion" | "kind") => Some(Self::String),
            Self::Object { is_resource: true, .. } if name == "metadata" => Some(Self::Metadata),
            Self::Object { schema, .. } => {
                let field = schema["properties"].get(&*unescaped(name))?;
                Self::of(field, is_embedded(field))
            }
            Self::Metadata => matches!(name, "name" | "generateName").then_some(Self::String),
            Self::Map(_, value) => Some(Self::clone(value)),
            Self::Optional(held) => held.field(name).map(|kind| Self::Optional(Box::new(kind))),
            Self::Dyn => Some(Self::Dyn),
            Self::Declared(of) => of.field(name),
            Self::Opaque(of) => admission::request_resource(of, name),
            Self::Variables(known) => known.get(name).cloned(),
            _ => Some(Self::Unknown),
        }
    }

    /// Returns the type itself, or [`Type::Unknown`] if it nests deeper than 64 levels or contains
    /// [`Type::Variables`]. A variable of such a type would contain the types of all earlier variables again, so the
    /// types would grow exponentially.
    pub(crate) fn if_shallow(self) -> Self {
        const MOST_LEVELS: usize = 64;
        let mut inner = &self;
        for _ in 0..MOST_LEVELS {
            match inner {
                Self::List(below) | Self::Map(_, below) | Self::Optional(below) => inner = below,
                Self::Variables(_) => return Self::Unknown,
                _ => return self,
            }
        }
        Self::Unknown
    }

    /// Returns the type's name for messages. It differs from the name in signatures for null only: `null_type`.
    pub(crate) fn name(&self) -> String {
        if matches!(self, Self::Null) { "null_type".to_owned() } else { self.to_string() }
    }

    /// Returns true if selecting a field of this type is an error.
    pub(super) fn has_no_fields(&self) -> bool {
        use Type::{Bool, Bytes, Double, Duration, Int, List, Null, String, Timestamp, Uint};
        matches!(self, Null | Bool | Int | Uint | Double | String | Bytes | Timestamp | Duration | List(_))
    }

    /// Returns true if all values of this type have the same size. Upstream: `isScalar` of `checker/cost.go`.
    pub(in crate::codec::expression) fn is_scalar(&self) -> bool {
        match self {
            Self::Optional(held) => held.is_scalar(),
            other => {
                use Type::{Bool, Double, Duration, Int, Timestamp, Uint};
                matches!(other, Bool | Double | Duration | Int | Timestamp | Uint)
            }
        }
    }

    /// Returns true if a value of any type may turn up when the expression runs.
    pub(super) fn is_open(&self) -> bool {
        matches!(self, Self::Unknown | Self::Dyn)
    }

    /// Returns the held type of an optional that stands at an optional position, as in `[?a]`; otherwise the type
    /// itself.
    pub(in crate::codec::expression) fn without_optional(self, is_optional: bool) -> Self {
        match self {
            Self::Optional(held) if is_optional => *held,
            other => other,
        }
    }

    pub(super) fn is_unknown(&self) -> bool {
        matches!(self, Self::Unknown)
    }

    pub(in crate::codec::expression) fn is_object(&self) -> bool {
        matches!(self, Self::Object { .. } | Self::Metadata | Self::Declared(_) | Self::Variables(_))
    }

    /// Compares the kinds of the types, not what they contain.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        std::mem::discriminant(self) == std::mem::discriminant(other)
    }

    /// Compares the contained types too. An unknown type is like every type.
    pub(super) fn is_like(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Unknown, _) | (_, Self::Unknown) => true,
            (Self::List(one), Self::List(other)) | (Self::Optional(one), Self::Optional(other)) => one.is_like(other),
            (Self::Map(key, value), Self::Map(of, to)) => key.is_like(of) && value.is_like(to),
            (Self::Opaque(one), Self::Opaque(other)) => one == other,
            (one, other) => one.is_same(other),
        }
    }

    /// Returns the common type of the parts of a list or a map, or [`Type::Dyn`] if their types differ.
    pub(in crate::codec::expression) fn joined(kinds: &[Self]) -> Self {
        match kinds.split_first() {
            None => Self::Unknown,
            _ if kinds.iter().any(|kind| matches!(kind, Self::Unknown)) => Self::Unknown,
            Some((first, rest)) if rest.iter().all(|kind| first.is_like(kind)) => first.clone(),
            Some(_) => Self::Dyn,
        }
    }

    /// Returns the types of the two variables of a two-variable loop over this type.
    pub(in crate::codec::expression) fn pair(&self) -> (Self, Self) {
        match self {
            Self::List(item) => (Self::Int, Self::clone(item)),
            Self::Map(key, value) => (Self::clone(key), Self::clone(value)),
            _ => (Self::Unknown, Self::Unknown),
        }
    }

    /// Returns the name without parameters, as values report their type.
    pub(super) fn plain_name(&self) -> String {
        match self {
            Self::List(_) => "list".to_owned(),
            Self::Map(..) => "map".to_owned(),
            Self::Optional(_) => "optional_type".to_owned(),
            Self::Timestamp => "google.protobuf.Timestamp".to_owned(),
            Self::Duration => "google.protobuf.Duration".to_owned(),
            other => other.name(),
        }
    }

    /// Returns the type that the variable has in a loop over a value of this type.
    pub(crate) fn element(&self) -> Self {
        match self {
            Self::List(item) => Self::clone(item),
            Self::Map(key, _) => Self::clone(key),
            Self::Dyn => Self::Dyn,
            _ => Self::Unknown,
        }
    }

    /// Returns true if the type is known and differs from `other`.
    pub(crate) fn is_other_than(&self, other: &Self) -> bool {
        !matches!(self, Self::Unknown) && !self.is_same(other)
    }

    /// Returns true if cel-go's checker rejects comparing the two types. Objects of a schema are never rejected,
    /// because their types have no names here.
    pub(crate) fn cannot_equal(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::List(one), Self::List(other)) | (Self::Optional(one), Self::Optional(other)) => {
                one.cannot_equal(other)
            }
            (Self::Map(key, value), Self::Map(of, to)) => key.cannot_equal(of) || value.cannot_equal(to),
            (Self::Opaque(one), Self::Opaque(other)) => one != other,
            (one, other) => {
                one.is_nameable() && other.is_nameable() && one.is_other_than(other) && !one.takes_null(other)
            }
        }
    }

    /// Returns true if one of the types is null and the other may be null.
    pub(super) fn takes_null(&self, other: &Self) -> bool {
        let is_nullable = |kind: &Self| {
            matches!(
                kind,
                Self::Timestamp | Self::Duration | Self::Null | Self::Declared(_) | Self::Opaque(_) | Self::Optional(_)
            )
        };
        matches!(self, Self::Null) && is_nullable(other) || matches!(other, Self::Null) && is_nullable(self)
    }

    /// Returns true if the type has a name here by which it can be compared with others.
    fn is_nameable(&self) -> bool {
        match self {
            Self::Unknown | Self::Dyn | Self::Object { .. } | Self::Metadata => false,
            Self::List(inner) | Self::Map(_, inner) | Self::Optional(inner) => inner.is_nameable(),
            _ => true,
        }
    }
}

impl fmt::Display for Type<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = match self {
            Self::Unknown | Self::Dyn => "dyn",
            Self::Null => "null",
            Self::Bool => "bool",
            Self::Int => "int",
            Self::Uint => "uint",
            Self::Double => "double",
            Self::String => "string",
            Self::Bytes => "bytes",
            Self::Timestamp => "timestamp",
            Self::Duration => "duration",
            Self::List(item) => return write!(f, "list({item})"),
            Self::Map(key, value) => return write!(f, "map({key}, {value})"),
            Self::Optional(held) => return write!(f, "optional_type({held})"),
            Self::Metatype => "type",
            Self::Object { .. } | Self::Metadata => "object",
            Self::Declared(of) => of.name,
            Self::Opaque(name) => name,
            Self::Variables(_) => "kubernetes.variables",
        };
        f.write_str(name)
    }
}

fn is_embedded(schema: &Value) -> bool {
    schema["x-kubernetes-embedded-resource"] == true
}

/// The names of the characters that have an escape, such as `__dot__`. A reserved word is escaped as `__word__` too.
const SIGNS: [&str; 4] = ["underscores", "dot", "dash", "slash"];

/// Undoes the escapes in the name of a field. Upstream: `Unescape` of `pkg/cel/escaping.go`.
pub(in crate::codec::expression) fn unescaped(name: &str) -> Cow<'_, str> {
    if !name.contains("__") {
        return name.into();
    }
    let word = name.strip_prefix("__").and_then(|rest| rest.strip_suffix("__"));
    if let Some(word) = word.filter(|word| !word.contains("__") && !SIGNS.contains(word)) {
        return word.into();
    }
    let (mut to, mut rest) = (String::new(), name);
    while let Some(at) = rest.find("__") {
        let known = [("__underscores__", "__"), ("__dot__", "."), ("__dash__", "-"), ("__slash__", "/")];
        let (from, sign) = known.into_iter().find(|(from, _)| rest[at..].starts_with(from)).unwrap_or(("__", "__"));
        to.push_str(&rest[..at]);
        to.push_str(sign);
        rest = &rest[at + from.len()..];
    }
    to.push_str(rest);
    to.into()
}
