//! HTTP: the socket, and the forms of requests and responses.

pub(crate) mod body;
pub(crate) mod compression;
pub(crate) mod field_validation;
#[cfg(feature = "serve")]
mod guard;
pub(crate) mod negotiation;
pub(crate) mod query;
#[cfg(feature = "serve")]
mod refusals;
pub(crate) mod represent;
pub(crate) mod request_info;
#[cfg(feature = "serve")]
pub(crate) mod serve;
pub(crate) mod served_from;
pub(crate) mod status;
pub(crate) mod table;
