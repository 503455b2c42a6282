//! The forms of objects: Go's types, protobuf, strategic merge patches.

pub(crate) mod protobuf;
pub(crate) mod schema;
pub(crate) mod strategic_merge;
