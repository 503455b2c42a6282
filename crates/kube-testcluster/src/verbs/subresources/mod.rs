//! The handlers of subresources with a kind or a behavior of their own, such as `scale` and `log`. Subresources that
//! are only another way to update the object, such as `status`, are handled by the verbs themselves.

pub(crate) mod binding;
mod container;
pub(crate) mod eviction;
pub(crate) mod log;
mod log_options;
pub(crate) mod scale;
pub(crate) mod stream;
pub(crate) mod token;
