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
use super::response;
use super::response_budget::{EventReservation, ResponseBudget};
use super::status::ApiError;
use super::table::Definitions;
use crate::store::watch_event::{EventObject, EventType, Identifier, WatchEvent};
use kube_machinery::codec::protobuf;

/// Returns the events as a response. Fails for YAML, because the API has no stream of YAML.
pub(super) fn response(
    representation: &Representation,
    events: Events,
    budget: Option<Arc<ResponseBudget>>,
) -> Result<Response, ApiError> {
    let content_type = match representation.form.media {
        Media::Json => Media::Json.name(),
        Media::Protobuf => "application/vnd.kubernetes.protobuf;stream=watch",
        Media::Yaml => return Err(ApiError::no_stream()),
    };
    let encoder = Encoder::new(representation.clone());
    let lines = stream::unfold((events, encoder, budget), |(mut events, mut encoder, budget)| async move {
        let event = events.next().await?;
        // A large object is counted before it is encoded, because both forms are in memory then.
        let mut reservation = reserve(budget.as_deref(), event.length()).await;
        let mut bytes = encoder.encode(&event)?;
        if reservation.is_none() {
            reservation = reserve(budget.as_deref(), bytes.len() as u64).await;
        }
        if let Some(reservation) = reservation {
            bytes = reservation.hold(bytes);
        }
        Some((Ok::<_, Infallible>(bytes), (events, encoder, budget)))
    });
    Ok(response::answer(StatusCode::OK, content_type, Body::from_stream(lines)))
}

async fn reserve(budget: Option<&ResponseBudget>, bytes: u64) -> Option<EventReservation> {
    budget?.reserve_event(bytes).await
}

/// The encoder of one watch.
struct Encoder {
    representation: Representation,
    /// Only the first event of a Table has the definitions of its columns.
    definitions: Definitions,
    /// The names of the two forms that this watch sends: with the definitions of columns, and without.
    identifiers: [Identifier; 2],
}

impl Encoder {
    fn new(representation: Representation) -> Self {
        let identifiers = [Definitions::Shown, Definitions::Omitted].map(|definitions| {
            let (version, include) = (representation.resource.api_version(), representation.include.as_ref().ok());
            format!(
                "{version} {:?} {:?} {include:?} {definitions:?}",
                representation.form.media, representation.form.view
            )
            .into()
        });
        Self { representation, definitions: Definitions::Shown, identifiers }
    }

    /// Encodes an event. Returns `None` if its object cannot be shown in the form that the client asked for, for
    /// example as a metadata list. As upstream, that ends the stream.
    fn encode(&mut self, event: &WatchEvent) -> Option<Bytes> {
        let definitions = std::mem::replace(&mut self.definitions, Definitions::Omitted);
        match &event.object {
            EventObject::Stored(object) if self.representation.is_stored_form() && event.kind == EventType::Added => {
                Some(object.added()) // the object is stored as this line
            }
            _ => event.encoded(&self.identifiers[usize::from(definitions == Definitions::Omitted)], || {
                self.encode_anew(event, definitions)
            }),
        }
    }

    /// Encodes an event that no watch has encoded in this form yet.
    fn encode_anew(&self, event: &WatchEvent, definitions: Definitions) -> Option<Bytes> {
        if let (EventObject::Stored(object), true) = (&event.object, self.representation.is_stored_form()) {
            return Some(line(event.kind, &object.json()));
        }
        let object = event.value().ok()?;
        let is_status = event.kind == EventType::Error;
        let object = if is_status { object } else { self.representation.view(object, definitions).ok()? };
        Some(match self.representation.form.media {
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
