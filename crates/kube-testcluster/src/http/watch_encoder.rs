//! Encodes the events of a watch while they are sent. Each event is encoded once for each form, by the first watch that
//! sends it; [`WatchEvent`] keeps the bytes for the other watches of the form. Upstream: `WatchServer` and
//! `watchEncoder` of `k8s.io/apiserver/pkg/endpoints/handlers`.

use std::convert::Infallible;
use std::sync::Arc;

use axum::body::Body;
use axum::response::Response;
use bytes::Bytes;
use futures::{StreamExt, stream};
use http::StatusCode;

use super::answer::Events;
use super::negotiation::Media;
use super::represent::Representation;
use super::response_budget::ResponseBudget;
use super::status::{self, ApiError};
use super::table::Columns;
use crate::store::watch_event::{EventObject, EventType, Identifier, WatchEvent};
use kube_machinery::codec::protobuf;

/// Returns the events as a response. Fails for an encoding without streams.
pub(super) fn response(
    form: &Representation,
    events: Events,
    budget: Option<Arc<ResponseBudget>>,
) -> Result<Response, ApiError> {
    let content_type = match form.form.media {
        Media::Json => Media::Json.name(),
        Media::Protobuf => "application/vnd.kubernetes.protobuf;stream=watch",
        Media::Yaml => return Err(ApiError::no_stream()),
    };
    let encoder = Encoder::new(form.clone());
    let lines = stream::unfold((events, encoder, budget), |(mut events, mut encoder, budget)| async move {
        let event = events.next().await?;
        // The room is taken before the event is encoded, because both are in memory then.
        let room = match &budget {
            Some(budget) => budget.room(event.length()).await,
            None => None,
        };
        let line = encoder.encode(&event)?;
        let line = room.map_or_else(|| line.clone(), |room| room.hold(line.clone()));
        Some((Ok::<_, Infallible>(line), (events, encoder, budget)))
    });
    Ok(status::answer(StatusCode::OK, content_type, Body::from_stream(lines)))
}

/// The encoder of one watch.
struct Encoder {
    form: Representation,
    /// Only the first event of a Table has the definitions of its columns.
    columns: Columns,
    /// The names of the form, with the definitions of columns and without.
    identifiers: [Identifier; 2],
}

impl Encoder {
    fn new(form: Representation) -> Self {
        let identifiers = [Columns::Shown, Columns::Omitted].map(|columns| {
            let (version, include) = (form.resource.api_version(), form.include.as_ref().ok());
            format!("{version} {:?} {:?} {include:?} {columns:?}", form.form.media, form.form.view).into()
        });
        Self { form, columns: Columns::Shown, identifiers }
    }

    /// Encodes an event. Returns `None` for an object that has no such view, such as one event's object as a metadata
    /// list: upstream ends the stream there.
    fn encode(&mut self, event: &WatchEvent) -> Option<Bytes> {
        let columns = std::mem::replace(&mut self.columns, Columns::Omitted);
        match &event.object {
            EventObject::Stored(object) if self.form.is_stored_so() && event.kind == EventType::Added => {
                Some(object.added())
            }
            _ => event
                .encoded(&self.identifiers[usize::from(columns == Columns::Omitted)], || self.fresh(event, columns)),
        }
    }

    fn fresh(&self, event: &WatchEvent, columns: Columns) -> Option<Bytes> {
        if let (EventObject::Stored(object), true) = (&event.object, self.form.is_stored_so()) {
            return Some(line(event.kind, &object.json()));
        }
        let object = event.value().ok()?;
        let is_status = event.kind == EventType::Error;
        let object = if is_status { object } else { self.form.view(object, columns).ok()? };
        Some(match self.form.form.media {
            Media::Protobuf => protobuf::event(event.kind.name(), &object).into(),
            _ => line(event.kind, &object.to_json()),
        })
    }
}

/// Returns the line of an event in a stream of JSON.
fn line(kind: EventType, object: &[u8]) -> Bytes {
    let mut line = Vec::with_capacity(object.len() + 40);
    line.extend_from_slice(br#"{"type":""#);
    line.extend_from_slice(kind.name().as_bytes());
    line.extend_from_slice(br#"","object":"#);
    line.extend_from_slice(object);
    line.extend_from_slice(b"}\n");
    line.into()
}
