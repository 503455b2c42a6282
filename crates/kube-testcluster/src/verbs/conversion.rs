//! Converts custom resources between the version of a request and the stored version: objects before they are handled,
//! new states before they are stored, and responses. An object stays in the version in which it was written until it is
//! written again. Upstream: the codecs of `customresource_handler.go` in `k8s.io/apiextensions-apiserver`.

use std::sync::Arc;

use futures::{StreamExt, stream};

use super::selection::Selection;
use crate::http::answer::{Answer, Content, Events};
use crate::http::represent::whole_list;
use crate::http::request_info::Target;
use crate::http::status::ApiError;
use crate::store::filter::Filter;
use crate::store::object::{Key, Opened};
use crate::store::watch_event::{EventType, WatchEvent};
use crate::store::{Next, Store};
use crate::webhook::conversion::{converted, in_version};
use kube_machinery::kinds::Resource;
use kube_machinery::value::Value;

/// Converts a new object from the version of the request to the stored version.
pub(super) async fn to_stored(store: &Store, versions: &Conversion, value: Value) -> Result<Value, ApiError> {
    converted(store, (&versions.served, &versions.stored), value).await
}

/// Converts a stored object to the version of the request.
pub(super) async fn to_served(
    store: &Store,
    versions: &Conversion,
    stored: Arc<Opened>,
) -> Result<Arc<Opened>, ApiError> {
    if !versions.served.is_unstructured() || stored.resource == versions.served {
        return Ok(stored);
    }
    let value = converted(store, (&stored.resource, &versions.served), stored.value.clone()).await;
    let value = value.map_err(|why| ApiError::internal(undecodable(&stored.revision.to_string(), &why)))?;
    Ok(Arc::new(stored.in_version(&versions.served, value)))
}

/// Returns the message for an object that cannot be converted. Upstream: `corruptObjectError`.
fn undecodable(revision: &str, why: &ApiError) -> String {
    format!("object not decodable revision={revision}: {}", why.message())
}

/// Computes a change in the version of the request: converts the stored object for `change`, and the new state to the
/// current storage version, even if the object was stored in an older version before.
pub(crate) async fn changed<F: Future<Output = Result<Next, ApiError>>>(
    store: &Store,
    versions: Conversion,
    current: Arc<Opened>,
    change: impl FnOnce(Arc<Opened>) -> F,
) -> Result<(Resource, Next), ApiError> {
    let (written, Conversion { stored, served }) = (current.resource.clone(), versions.clone());
    if !served.is_unstructured() || (written == served && served == stored) {
        return Ok((written, change(current).await?));
    }
    let shown = to_served(store, &versions, current).await?;
    Ok(match change(shown.clone()).await? {
        Next::Put(mut new) => {
            new["metadata"]["resourceVersion"] = shown.value["metadata"]["resourceVersion"].clone();
            let new = converted(store, (&served, &stored), new).await?;
            (stored, Next::Put(new))
        }
        Next::Release(last) => (served, Next::Release(last)), // only the response shows it
        next => (written, next),
    })
}

/// Converts the objects of an answer to the version of the request. A watch is converted event by event
/// ([`of_events`]).
pub(crate) async fn answer(store: &Store, versions: &Conversion, answer: Answer) -> Answer {
    if !versions.is_needed() {
        return answer;
    }
    let Answer { code, content, warnings, served_from } = answer;
    let (code, content) = match versions.content(store, content).await {
        Ok(content) => (code, content),
        Err(error) => (error.code(), Content::Error(error)),
    };
    Answer { code, content, warnings, served_from }
}

/// The two versions of a kind that a request needs: the stored one and the served one.
#[derive(Clone)]
pub(crate) struct Conversion {
    pub(crate) stored: Resource,
    pub(crate) served: Resource,
}

impl From<&Target> for Conversion {
    fn from(target: &Target) -> Self {
        Self { stored: target.resource.clone(), served: target.served.clone() }
    }
}

impl From<&Resource> for Conversion {
    /// Returns the conversion for a request to the stored version. It changes only objects that are still stored in an
    /// older version.
    fn from(resource: &Resource) -> Self {
        Self { stored: resource.stored().clone(), served: resource.stored().clone() }
    }
}

impl Conversion {
    /// Removes the field selectors that must be matched against objects in the version of the request, if objects may
    /// be stored in another version. The caller matches the returned selectors after the conversion.
    pub(super) fn take_selection(&self, filter: &mut Filter) -> Option<Selection> {
        let fields = self.is_needed().then(|| filter.fields.take_own()).filter(|fields| !fields.is_empty())?;
        filter.needs_previous = true;
        Some(Selection { fields, version: self.served.clone() })
    }

    /// Returns true if objects may be stored in another version than the request's.
    fn is_needed(&self) -> bool {
        self.served.has_other_versions()
    }

    async fn content(&self, store: &Store, content: Content) -> Result<Content, ApiError> {
        let value = match content {
            Content::Object(object) => object.value()?,
            Content::List(list) => whole_list(list)?,
            Content::Value(value) => value,
            other => return Ok(other),
        };
        self.of(store, value).await.map(Content::Value)
    }

    /// Converts an object or a list to the version of the request. Other values stay unchanged.
    async fn of(&self, store: &Store, mut value: Value) -> Result<Value, ApiError> {
        if value["kind"] == self.stored.list_kind()
            && let Some(Value::Array(items)) = value.get_mut("items")
        {
            let items = std::mem::take(items);
            value["items"] = in_version(store, &self.served, items.into_iter().collect()).await?.into();
            value["apiVersion"] = self.served.api_version().into();
            return Ok(value);
        }
        if value["kind"] != self.stored.kind() {
            return Ok(value); // a Status or a Scale
        }
        let (key, revision) = (self.key(&value["metadata"]), text(&value["metadata"]["resourceVersion"]).to_owned());
        let converted = in_version(store, &self.served, vec![value]).await;
        let converted = converted.map_err(|why| {
            let why = undecodable(&revision, &why);
            let error = format!("corrupt object, Code: 7, Key: {key}, ResourceVersion: 0, AdditionalErrorMsg: {why}");
            ApiError::internal_error(&format!("StorageError: {error}"))
        });
        Ok(converted?.pop().unwrap_or_default())
    }

    /// Converts an event. Returns `None` if the watch's selector does not match it.
    async fn event(
        &self,
        store: &Store,
        event: Arc<WatchEvent>,
        selection: Option<&Selection>,
    ) -> Result<Option<Arc<WatchEvent>>, ApiError> {
        if event.kind == EventType::Error {
            return Ok(Some(event));
        }
        let mut object = event.value()?;
        if event.kind == EventType::Bookmark {
            object["apiVersion"] = self.served.api_version().into();
            return Ok(Some(Arc::new(WatchEvent::made(EventType::Bookmark, object))));
        }
        let object = self.of(store, object).await?;
        let Some(selection) = selection else { return Ok(Some(Arc::new(WatchEvent::made(event.kind, object)))) };
        let before = match &event.previous {
            Some(before) => Some(self.of(store, before.value()?).await?),
            None => None,
        };
        Ok(selection.event(event.kind, before, object).map(Arc::new))
    }

    /// Returns the key of an object in upstream's storage, for an error message.
    fn key(&self, metadata: &Value) -> String {
        let key = Key::new(metadata["namespace"].as_str(), text(&metadata["name"]));
        format!("/{}/{}/{key}", self.stored.group(), self.stored.plural())
    }
}

/// Converts the events of a watch to the version of the request, one by one, and drops those that the selection does
/// not match.
pub(super) fn of_events(
    store: &Arc<Store>,
    versions: &Conversion,
    selection: Option<Selection>,
    events: Events,
) -> Events {
    if !versions.is_needed() {
        return events;
    }
    let state = (Some(events), store.clone(), versions.clone(), selection);
    Box::pin(stream::unfold(state, |(events, store, versions, selection)| async move {
        let mut events = events?;
        loop {
            let event = events.next().await?;
            match versions.event(&store, event, selection.as_ref()).await {
                Ok(Some(event)) => return Some((event, (Some(events), store, versions, selection))),
                Ok(None) => tokio::task::consume_budget().await,
                // As upstream, the stream ends after the error.
                Err(error) => return Some((Arc::new(error.event()), (None, store, versions, selection))),
            }
        }
    }))
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}
