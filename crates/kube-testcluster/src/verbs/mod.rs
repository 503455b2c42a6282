//! The handlers of requests for resources, one for each verb or subresource, and the steps that they share. The router
//! chooses the handler. Each takes a [`Call`] and returns an [`Answer`](crate::http::answer::Answer), or an
//! error that becomes a `Status`.

use std::sync::Arc;

use axum::extract::Request;

use crate::http::query::Query;
use crate::http::request_info::Target;
use crate::http::status::ApiError;
use crate::store::Store;
use crate::store::object::Key;

pub(crate) mod apply;
mod charged;
pub(crate) mod component_status;
mod continue_token;
pub(crate) mod conversion;
pub(crate) mod cost;
pub(crate) mod create;
pub(crate) mod delete;
pub(crate) mod delete_options;
pub(crate) mod get;
pub(crate) mod in_process;
pub(crate) mod list;
mod list_options;
mod list_plan;
pub(crate) mod next_state;
mod owners;
pub(crate) mod ownership;
pub(crate) mod page;
pub(crate) mod patch;
mod pod_status;
mod preconditions;
pub(crate) mod review;
mod selection;
pub(crate) mod subresources;
pub(crate) mod update;
pub(crate) mod watch;
mod watcher;

/// A parsed request to the API.
pub(crate) struct Call {
    pub(crate) store: Arc<Store>,
    pub(crate) target: Target,
    pub(crate) query: Query,
    pub(crate) request: Request,
}

/// Returns the key of the object in the path. Fails if no object can have this name.
fn key(target: &Target) -> Result<Key, ApiError> {
    if let Some(why) = target.name_problem() {
        return Err(ApiError::bad_request(why));
    }
    let name = target.name.as_deref().expect("the router sends only paths with a name here");
    Ok(Key::new(target.namespace.as_deref(), name))
}
