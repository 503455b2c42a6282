//! The handlers of subresources that are not a plain verb on the object.

pub(crate) mod binding;
mod container;
pub(crate) mod eviction;
pub(crate) mod log;
mod log_options;
pub(crate) mod scale;
pub(crate) mod stream;
pub(crate) mod token;
