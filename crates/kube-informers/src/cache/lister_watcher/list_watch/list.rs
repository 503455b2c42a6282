//! Decodes the answer to a LIST while it arrives: a splitter cuts the text into batches of items, and blocking threads
//! decode the batches. So only the text that is being decoded is held in memory, and no other task is delayed.

use std::io;
use std::num::NonZero;
use std::panic::resume_unwind;
use std::pin::pin;
use std::sync::{Arc, OnceLock};
use std::thread::available_parallelism;
use std::time::Duration;

use futures::io::{AsyncBufRead, AsyncBufReadExt};
use futures::stream::{FuturesOrdered, StreamExt};
use serde::Deserialize;
use serde::de::{DeserializeOwned, Deserializer};
use tokio::task::JoinError;
use tokio::task::coop::consume_budget;
use tokio::time::timeout;

use super::super::ListPage;
use super::super::api_error::ApiError;
use super::super::decode_error::DecodeError;
use super::kind::Kind;
use super::splitter::{Batch, FULL, Splitter};
use crate::answer::LONGEST_OBJECT;
use crate::blocking::spawn_blocking;

/// A list object without its items, which the splitter has taken out.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Envelope {
    /// `PodList`, `List`, empty, or the list kind of a custom resource. Anything else, such as `Table`, is refused.
    #[serde(default)]
    kind: String,
    #[serde(default)]
    api_version: String,
    metadata: Metadata,
    #[serde(default, rename = "items", deserialize_with = "no_more_items")]
    has_items: bool,
}

/// Refuses an `items` array that still has elements. The splitter did not recognise it, and ignoring it would lose
/// objects.
fn no_more_items<'de, D: Deserializer<'de>>(items: D) -> Result<bool, D::Error> {
    Option::<[(); 0]>::deserialize(items).map(|_| true)
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Metadata {
    #[serde(default)]
    resource_version: String,
    r#continue: Option<String>,
}

/// Some items of a list.
struct Decoded<T> {
    objects: Vec<Arc<T>>,
    /// True if each item has the requested `kind`, or if that does not matter because the list cannot have a `kind` of
    /// its own.
    all_of_kind: bool,
}

/// Reads and decodes a list. Batches of items are decoded on the runtime's blocking threads, at most one for each
/// processor, while the rest of the answer arrives.
///
/// # Errors
/// [`ApiError::Silent`] if nothing arrives for `idle`, and other [`ApiError`]s if the answer breaks off, cannot be
/// decoded, or is not a list of this kind.
pub(super) async fn read<T: DeserializeOwned + Send + Sync + 'static>(
    body: impl AsyncBufRead,
    kind: &Arc<Kind>,
    idle: Duration,
) -> Result<ListPage<T>, ApiError> {
    let most_at_once = processors();
    let mut body = pin!(body);
    let mut splitter = Splitter::default();
    let mut decoding = FuturesOrdered::new();
    let mut all = Decoded { objects: Vec::new(), all_of_kind: true };
    loop {
        consume_budget().await; // if the whole answer is buffered already, other tasks must run in between
        let piece = within(idle, body.fill_buf()).await?.map_err(broken_off)?;
        if piece.is_empty() {
            break;
        }
        let piece = &piece[..piece.len().min(FULL)]; // a large piece is copied in parts, so that it is not held twice
        let (length, full) = (piece.len(), splitter.push(piece));
        body.consume_unpin(length);
        if splitter.unfinished() > LONGEST_OBJECT {
            return Err(ApiError::TooLarge { what: "an object", limit: LONGEST_OBJECT });
        }
        for batch in full {
            // All processors are busy: wait for the oldest batch.
            if decoding.len() == most_at_once
                && let Some(decoded) = decoding.next().await
            {
                all.extend(finished(decoded)?);
            }
            let kind = kind.clone();
            decoding.push_back(spawn_blocking(move || decode(batch, &kind)));
        }
    }
    while let Some(decoded) = decoding.next().await {
        all.extend(finished(decoded)?);
    }
    let (last, envelope) = splitter.finish();
    all.extend(decode(last, kind)?);

    let list: Envelope = serde_json::from_slice(&envelope).map_err(unreadable)?;
    list.check(kind, all.all_of_kind)?;
    Ok(ListPage {
        items: all.objects,
        resource_version: list.metadata.resource_version,
        continue_token: list.metadata.r#continue.filter(|token| !token.is_empty()),
    })
}

/// Waits for the API server's next answer or part of an answer. [`ApiError::Silent`] if it does not arrive within
/// `idle`.
pub(super) async fn within<F: Future>(idle: Duration, sent: F) -> Result<F::Output, ApiError> {
    timeout(idle, sent).await.map_err(|_| ApiError::Silent(idle))
}

/// Returns the number of batches that are decoded at once.
fn processors() -> usize {
    static PROCESSORS: OnceLock<usize> = OnceLock::new();
    *PROCESSORS.get_or_init(|| available_parallelism().map_or(1, NonZero::get))
}

impl Envelope {
    /// Checks that the answer is a list of the requested kind. A list without a kind is accepted if it has `items`. The
    /// list of a custom resource may have any kind, if it has the requested `apiVersion` and each of its items has the
    /// requested kind.
    fn check(&self, kind: &Kind, items_of_kind: bool) -> Result<(), ApiError> {
        let asked = kind.list_kind();
        let is_own_list = kind.may_have_own_list_kind() && self.api_version == kind.api_version && items_of_kind;
        match self.kind.as_str() {
            "" if self.has_items => Ok(()),
            "" => Err(ApiError::NotAList("JSON object without a kind and without items".to_owned())),
            "List" => Ok(()),
            answered if answered == asked || is_own_list => Ok(()),
            answered if answered.ends_with("List") => Err(ApiError::OtherList { asked, answered: answered.to_owned() }),
            answered => Err(ApiError::NotAList(answered.to_owned())),
        }
    }
}

impl<T> Decoded<T> {
    fn extend(&mut self, more: Self) {
        self.objects.extend(more.objects);
        self.all_of_kind &= more.all_of_kind;
    }
}

fn decode<T: DeserializeOwned>(batch: Batch, kind: &Kind) -> Result<Decoded<T>, ApiError> {
    let items = batch.into_items().map_err(|_| ApiError::Decode(DecodeError::not_utf_8()))?;
    let objects = items.iter().map(|item| kind.decode_item(item).map(Arc::new)).collect::<Result<_, _>>();
    let all_of_kind = !kind.may_have_own_list_kind() || items.iter().all(|item| kind.is_kind_of(item));
    Ok(Decoded { objects: objects.map_err(unreadable)?, all_of_kind })
}

fn unreadable(error: serde_json::Error) -> ApiError {
    ApiError::Decode(error.into())
}

/// Returns the result of a decoding thread, and continues its panic.
fn finished<T>(batch: Result<Result<Decoded<T>, ApiError>, JoinError>) -> Result<Decoded<T>, ApiError> {
    batch.unwrap_or_else(|error| match error.try_into_panic() {
        Ok(panic) => resume_unwind(panic),
        Err(stopped) => Err(ApiError::Client(stopped.into())),
    })
}

/// Unwraps the client's error, which the body's stream has wrapped in an I/O error.
fn broken_off(error: io::Error) -> ApiError {
    ApiError::Client(error.downcast::<kube_client::Error>().map_or_else(Into::into, Into::into))
}
