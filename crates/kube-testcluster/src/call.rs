//! The input of a handler.

use std::sync::Arc;

use axum::extract::Request;

use super::options::Query;
use super::request_info::Target;
use super::store::Store;

/// A parsed request to the API.
pub(crate) struct Call {
    pub(crate) store: Arc<Store>,
    pub(crate) target: Target,
    pub(crate) query: Query,
    pub(crate) request: Request,
}
