//! The encodings of objects (JSON, YAML, protobuf), the schemas of their types, patches, and CEL expressions.

pub(crate) mod depth;
#[cfg(feature = "cel")]
pub(crate) mod expression;
pub(crate) mod go_json;
pub(crate) mod go_syntax;
pub(crate) mod go_text;
pub(crate) mod json;
pub(crate) mod merge_patch;
pub(crate) mod protobuf;
pub(crate) mod schema;
pub(crate) mod strategic_merge;
pub(crate) mod structural;
pub(crate) mod yaml;
