//! The encodings of objects (JSON, YAML, protobuf), the schemas of their types and the rules in them, patches, and CEL
//! expressions.

pub(crate) mod declarative;
pub mod depth;
#[cfg(feature = "cel")]
pub mod expression;
pub(crate) mod go_json;
pub(crate) mod go_struct_json;
pub mod go_syntax;
pub mod go_text;
pub mod json;
pub mod merge_patch;
pub mod protobuf;
pub mod schema;
pub mod strategic_merge;
pub(crate) mod structural;
pub mod yaml;
