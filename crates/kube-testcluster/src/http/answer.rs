//! The answer of a verb, as a value. The verbs know nothing of encodings: `represent.rs` encodes the answer, in the
//! form that the client asked for.

use std::pin::Pin;
use std::sync::Arc;

use axum::body::Body;
use futures::Stream;
use http::StatusCode;

use super::status::ApiError;
use crate::store::ServedFrom;
use crate::store::object::Object;
use crate::store::watch_event::WatchEvent;
use kube_machinery::kinds::Resource;
use kube_machinery::value::Value;

pub(crate) struct Answer {
    pub(crate) code: StatusCode,
    pub(crate) content: Content,
    /// The texts of the `Warning` headers.
    pub(crate) warnings: Vec<String>,
    /// The source of a read, which clients see in a header.
    pub(crate) served_from: Option<ServedFrom>,
}

pub(crate) enum Content {
    /// A stored object.
    Object(Arc<Object>),
    /// A value with kind and apiVersion that is not stored: a Scale, a review, a Status, or the result of a conversion.
    Value(Value),
    List(List),
    Events(Events),
    /// Text that is no object and is sent unchanged.
    Log(Body),
    Error(ApiError),
}

/// The events of a watch, until it ends.
pub(crate) type Events = Pin<Box<dyn Stream<Item = Arc<WatchEvent>> + Send>>;

/// A list of stored objects.
pub(crate) struct List {
    pub(crate) resource: Resource,
    pub(crate) metadata: Value,
    pub(crate) objects: Vec<Arc<Object>>,
}

impl Answer {
    fn new(code: StatusCode, content: Content) -> Self {
        Self { code, content, warnings: Vec::new(), served_from: None }
    }

    pub(crate) fn object(code: StatusCode, object: Arc<Object>) -> Self {
        Self::new(code, Content::Object(object))
    }

    pub(crate) fn value(code: StatusCode, value: Value) -> Self {
        Self::new(code, Content::Value(value))
    }

    pub(crate) fn list(list: List) -> Self {
        Self::new(StatusCode::OK, Content::List(list))
    }

    pub(crate) fn events(events: Events) -> Self {
        Self::new(StatusCode::OK, Content::Events(events))
    }

    pub(crate) fn log(code: StatusCode, text: Body) -> Self {
        Self::new(code, Content::Log(text))
    }

    /// Adds warnings, which clients get beside the content, also beside an error.
    pub(crate) fn with_warnings(mut self, warnings: impl IntoIterator<Item = String>) -> Self {
        self.warnings.extend(warnings);
        self
    }

    pub(crate) fn served_from(self, from: ServedFrom) -> Self {
        Self { served_from: Some(from), ..self }
    }

    pub(crate) fn is_success(&self) -> bool {
        self.code.is_success()
    }

    pub(crate) fn is_watch(&self) -> bool {
        matches!(self.content, Content::Events(_))
    }

    /// Returns about how many bytes the stored objects of the answer take as JSON; 0 for other content, which is small,
    /// or has no length before its end.
    pub(crate) fn length(&self) -> u64 {
        match &self.content {
            Content::Object(object) => object.length() as u64,
            Content::List(list) => list.objects.iter().map(|object| object.length() as u64).sum(),
            _ => 0,
        }
    }
}

impl From<ApiError> for Answer {
    fn from(error: ApiError) -> Self {
        Self::new(error.code(), Content::Error(error))
    }
}

impl From<Result<Self, ApiError>> for Answer {
    fn from(result: Result<Self, ApiError>) -> Self {
        result.unwrap_or_else(Self::from)
    }
}
