//! The answer to a LIST, decoded while it comes in: no more of its text is held than what is being decoded.

use std::io;
use std::num::NonZero;
use std::panic::resume_unwind;
use std::pin::pin;
use std::sync::Arc;
use std::thread::available_parallelism;

use futures::io::{AsyncBufRead, AsyncBufReadExt};
use futures::stream::{FuturesOrdered, StreamExt};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use tokio::task::{JoinError, spawn_blocking};

use super::kind::Kind;
use super::splitter::{Batch, FULL, Splitter};
use crate::cache::api_error::ApiError;
use crate::cache::lister_watcher::ListPage;

/// A list, but for the items that the splitter found.
#[derive(Deserialize)]
struct Envelope {
    /// `PodList`, or `List`; a Table, say, is not what was asked for.
    kind: String,
    metadata: Metadata,
    /// An array that was not found to be that of the items is refused, rather than lost.
    #[allow(dead_code, reason = "decoded to be checked")]
    items: Option<[(); 0]>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Metadata {
    #[serde(default)]
    resource_version: String,
    r#continue: Option<String>,
}

/// Reads a list. Batches of items are decoded on the runtime's blocking threads, one for each processor, while more comes
/// in; a list that makes no full batch is decoded in place.
pub(super) async fn read<T: DeserializeOwned + Send + Sync + 'static>(
    body: impl AsyncBufRead,
    kind: &Arc<Kind>,
) -> Result<ListPage<T>, ApiError> {
    let at_once = available_parallelism().map_or(1, NonZero::get);
    let mut body = pin!(body);
    let mut splitter = Splitter::default();
    let mut decoding = FuturesOrdered::new();
    let mut items = Vec::new();
    loop {
        let piece = body.fill_buf().await.map_err(broken_off)?;
        if piece.is_empty() {
            break;
        }
        let piece = &piece[..piece.len().min(FULL)]; // an answer in one piece is not to be held twice either
        let (length, full) = (piece.len(), splitter.push(piece));
        body.consume_unpin(length);
        for batch in full {
            if decoding.len() == at_once
                && let Some(decoded) = decoding.next().await
            {
                items.extend(finished(decoded)?);
            }
            let kind = kind.clone();
            decoding.push_back(spawn_blocking(move || decode(batch, &kind)));
        }
    }
    while let Some(decoded) = decoding.next().await {
        items.extend(finished(decoded)?);
    }
    let (last, envelope) = splitter.finish();
    items.extend(decode(last, kind)?);

    let list: Envelope = serde_json::from_slice(&envelope).map_err(ApiError::Decode)?;
    if !list.kind.ends_with("List") {
        return Err(ApiError::NotAList(list.kind));
    }
    Ok(ListPage {
        items,
        resource_version: list.metadata.resource_version,
        continue_token: list.metadata.r#continue.filter(|token| !token.is_empty()),
    })
}

fn decode<T: DeserializeOwned>(batch: Batch, kind: &Kind) -> Result<Vec<Arc<T>>, ApiError> {
    let items = batch.into_items().map_err(|error| ApiError::Client(error.into()))?;
    items.iter().map(|item| kind.decode_item(item).map(Arc::new)).collect::<Result<_, _>>().map_err(ApiError::Decode)
}

fn finished<T>(batch: Result<Result<Vec<Arc<T>>, ApiError>, JoinError>) -> Result<Vec<Arc<T>>, ApiError> {
    batch.unwrap_or_else(|error| match error.try_into_panic() {
        Ok(panic) => resume_unwind(panic),
        Err(stopped) => Err(ApiError::Client(stopped.into())),
    })
}

/// The stream of an answer wraps the client's errors.
fn broken_off(error: io::Error) -> ApiError {
    ApiError::Client(error.downcast::<kube_client::Error>().map_or_else(Into::into, Into::into))
}
