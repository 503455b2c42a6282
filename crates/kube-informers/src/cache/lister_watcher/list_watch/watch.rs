//! Decodes the answer to a WATCH, which has one event in each line.

use std::error::Error;
use std::future::ready;
use std::sync::Arc;

use futures::io::{AsyncBufRead, AsyncBufReadExt, AsyncReadExt};
use futures::stream::{self, StreamExt};
use kube_core::Status;
use kube_core::watch::Bookmark;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use tracing::{debug, warn};

use super::super::api_error::ApiError;
use super::super::decode_error::DecodeError;
use super::super::{WatchEvent, WatchStream};
use super::kind::Kind;
use crate::answer::LONGEST_OBJECT;
use crate::cache::causes::with_causes;

/// Returns the events of a watch's body, up to the first error event. A line longer than [`LONGEST_OBJECT`] becomes an
/// error event, and the rest of the line is not read.
pub(super) fn events<T: DeserializeOwned + Send + Sync + 'static>(
    body: impl AsyncBufRead + Send + 'static,
    kind: Arc<Kind>,
) -> WatchStream<T> {
    // A broken connection ends the stream without an error event, as the watch's timeout does, because a Reflector then
    // opens the next watch at once.
    let lines = stream::unfold(Some(Box::pin(body)), async |body| {
        let mut body = body?;
        let mut line = Vec::new();
        let read = (&mut body).take(LONGEST_OBJECT as u64 + 1).read_until(b'\n', &mut line).await;
        match read {
            Ok(0) => None,
            Ok(_) if is_too_long(&line) => Some((line, None)),
            Ok(_) => Some((line, Some(body))),
            Err(error) => {
                debug!("the watch ended: {}", with_causes(&error));
                None
            }
        }
    });
    let events = lines.filter_map(move |line| ready(decode(&line, &kind)));
    stop_after_error(events).boxed()
}

/// Returns true if a line of a watch has reached the limit before its end.
fn is_too_long(line: &[u8]) -> bool {
    line.len() > LONGEST_OBJECT && !line.ends_with(b"\n")
}

/// One line of a watch.
#[derive(Deserialize)]
struct Line<'a> {
    r#type: &'a str,
    #[serde(borrow)]
    object: &'a RawValue,
}

/// Decodes one line of a watch. Objects of another kind, events of an unknown type and empty lines are skipped. A line
/// that cannot be decoded becomes an error event, unless the end of the stream cut it off, which is an ordinary end.
fn decode<T: DeserializeOwned>(line: &[u8], kind: &Kind) -> Option<WatchEvent<T>> {
    if is_too_long(line) {
        return Some(undecodable(&ApiError::TooLarge { what: "an event", limit: LONGEST_OBJECT }));
    }
    if line.trim_ascii().is_empty() {
        return None;
    }
    // `breaks_off` is true if the text ends too early.
    let (breaks_off, error) = match str::from_utf8(line) {
        Ok(text) => match try_decode(text, kind) {
            Ok(event) => return event,
            Err(error) => (error.is_eof(), error.into()),
        },
        // `error_len` is `None` if the text ends within a character.
        Err(error) => (error.error_len().is_none(), DecodeError::not_utf_8()),
    };
    if breaks_off && !line.ends_with(b"\n") {
        return None;
    }
    Some(undecodable(&error))
}

/// Returns the event that upstream makes of an event that cannot be decoded.
fn undecodable<T>(error: &dyn Error) -> WatchEvent<T> {
    let message = format!("unable to decode an event from the watch stream: {error}");
    WatchEvent::Error(Box::new(Status::failure(&message, "InternalError").with_code(500)))
}

/// Decodes one line of text; `None` for an event that is skipped.
fn try_decode<T: DeserializeOwned>(line: &str, kind: &Kind) -> serde_json::Result<Option<WatchEvent<T>>> {
    let Line { r#type, object } = serde_json::from_str(line)?;
    let text = object.get();
    let event: fn(Arc<T>) -> WatchEvent<T> = match r#type {
        "ADDED" => WatchEvent::Added,
        "MODIFIED" => WatchEvent::Modified,
        "DELETED" => WatchEvent::Deleted,
        "BOOKMARK" => return serde_json::from_str(text).map(|bookmark: Bookmark| Some(bookmark.into())),
        "ERROR" => return serde_json::from_str(text).map(|status| Some(WatchEvent::Error(status))),
        unknown => {
            warn!("a watch event of the unknown type {unknown} was skipped");
            return Ok(None);
        }
    };
    let decoded = kind.decode_watched(text)?;
    if decoded.is_none() {
        warn!("a watch event was skipped: its object is no {}", kind.kind);
    }
    Ok(decoded.map(|object| event(Arc::new(object))))
}

impl<T> From<Bookmark> for WatchEvent<T> {
    fn from(Bookmark { metadata, .. }: Bookmark) -> Self {
        let end = metadata.annotations.get("k8s.io/initial-events-end");
        Self::Bookmark {
            initial_events_end: end.is_some_and(|value| value == "true"),
            resource_version: metadata.resource_version,
        }
    }
}

fn stop_after_error<T>(events: impl stream::Stream<Item = WatchEvent<T>>) -> impl stream::Stream<Item = WatchEvent<T>> {
    events.scan(false, |failed, event| {
        let had_failed = std::mem::replace(failed, matches!(event, WatchEvent::Error(_)));
        ready((!had_failed).then_some(event))
    })
}

#[cfg(test)]
mod tests {
    use k8s_openapi::api::core::v1::Pod;
    use kube_core::DynamicObject;

    use super::super::kind::ItemTypeMeta;
    use super::super::managed_fields::ManagedFields;
    use super::*;

    fn pods() -> Kind {
        Kind {
            api_version: "v1".into(),
            kind: "Pod".into(),
            item_type_meta: ItemTypeMeta::AsSent,
            managed_fields: ManagedFields::Kept,
        }
    }

    #[test]
    fn an_object_of_another_kind_is_skipped_even_if_the_type_can_hold_it() {
        let line = r#"{"type":"ADDED","object":{"kind":"Service","apiVersion":"v1","metadata":{"name":"a"}}}"#;
        assert!(decode::<DynamicObject>(line.as_bytes(), &pods()).is_none());
    }

    #[test]
    fn a_bookmark_without_containers_can_be_read() {
        let line = r#"{"type":"BOOKMARK","object":{"kind":"Pod","apiVersion":"v1","metadata":{"resourceVersion":"7",
            "annotations":{"k8s.io/initial-events-end":"true"}},"spec":{"containers":null},"status":{}}}"#;
        let event = decode::<Pod>(line.as_bytes(), &pods());
        assert!(matches!(event, Some(WatchEvent::Bookmark { resource_version, initial_events_end: true })
            if resource_version == "7"));
    }

    #[test]
    fn an_object_of_another_kind_is_skipped() {
        let line = r#"{"type":"ADDED","object":{"kind":"Service","apiVersion":"v1","metadata":{"name":"a"}}}"#;
        assert!(decode::<Pod>(line.as_bytes(), &pods()).is_none());
    }

    #[test]
    fn a_line_that_was_cut_off_is_the_end_of_the_stream() {
        assert!(decode::<Pod>(br#"{"type":"ADDED","obj"#, &pods()).is_none());
        assert!(decode::<Pod>(b"{\"type\":\"ADDED\",\"object\":{\"a\":\"\xc3", &pods()).is_none());
    }

    #[test]
    fn a_complete_line_with_incomplete_json_or_invalid_utf_8_is_an_error_event_and_an_empty_line_is_skipped() {
        for line in [b"{\"type\":\"ADDED\",\"obj\n".as_slice(), b"{\"type\":\"\xc3\n", b"{\"type\":\"\xe9\"}", b"{\n"] {
            assert!(matches!(decode::<Pod>(line, &pods()), Some(WatchEvent::Error(status)) if status.code == 500));
        }
        assert!(decode::<Pod>(b"\r\n", &pods()).is_none() && decode::<Pod>(b"\n", &pods()).is_none());
    }

    #[test]
    fn a_line_that_is_not_json_is_an_error_event() {
        assert!(matches!(decode::<Pod>(b"<html>", &pods()), Some(WatchEvent::Error(status)) if status.code == 500));
    }
}
