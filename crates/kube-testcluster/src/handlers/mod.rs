//! The handlers, one for each verb or subresource. Each takes a [`Call`] and returns a response, or an error that
//! becomes a Status.

use axum::response::Response;
use http::StatusCode;

use super::call::Call;
use super::object::{Key, Object};
use super::request_info::Target;
use super::status;

pub(crate) mod binding;
mod container;
pub(crate) mod create;
pub(crate) mod delete;
pub(crate) mod eviction;
pub(crate) mod get;
pub(crate) mod list;
pub(crate) mod log;
pub(crate) mod patch;
pub(crate) mod review;
pub(crate) mod scale;
pub(crate) mod stream;
pub(crate) mod update;
pub(crate) mod watch;

/// The key of the object in the path.
fn key(target: &Target) -> Key {
    let name = target.name.as_deref().expect("the router sends only paths with a name here");
    Key::new(target.namespace.as_deref(), name)
}

/// A response with the object.
fn answer(code: StatusCode, object: &Object) -> Response {
    let mut body = Vec::with_capacity(object.json().len() + 1); // a new line comes behind it
    body.extend_from_slice(object.json());
    status::json(code, body)
}
