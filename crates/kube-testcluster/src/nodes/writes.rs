//! The writes of the scheduler and the kubelet. They are clients of the API, which decides and answers as it does for any
//! other. Only the text is left out: it would be written to be read again in the same process, and was most of their work.

use std::fmt;

use futures::future::BoxFuture;
use kube_client::Error;
use serde_json::{Map, Value};

use crate::kinds::{Resource, Subresource};

/// An object that is there.
#[derive(Clone, Debug)]
pub(crate) struct ObjectRef {
    pub(crate) resource: &'static Resource,
    pub(crate) namespace: String,
    pub(crate) name: String,
}

/// A patch, by its media type.
#[derive(Clone, Debug)]
pub(crate) enum Patch {
    Merge(Value),
    Strategic(Map<String, Value>),
}

/// What an answer is, or becomes.
pub(crate) type Answer<'a, T> = BoxFuture<'a, Result<T, Error>>;

/// Requests to the API. Each has the answer of the request over HTTP: the errors are [`Error::Api`] with the server's Status.
pub(crate) trait Writes: fmt::Debug + Send + Sync {
    /// `POST` to a collection.
    fn create(&self, resource: &'static Resource, namespace: String, object: Value) -> Answer<'_, ()>;

    /// `POST` to a pod's `binding`.
    fn bind(&self, pod: ObjectRef, binding: Value) -> Answer<'_, ()>;

    /// `PATCH` of an object or a part of it. The answer is the object.
    fn patch(&self, object: ObjectRef, part: Option<Subresource>, patch: Patch) -> Answer<'_, Value>;
}
