//! What several tests need.

pub mod api;
