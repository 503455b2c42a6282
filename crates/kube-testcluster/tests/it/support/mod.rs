//! What several tests need.

pub mod api;
pub mod protobuf;
