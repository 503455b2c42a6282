//! The errors of stores, indexers and queues, with client-go's texts. Most of them come from the user's own functions.

use std::error::Error as StdError;

/// The error of a user's function, such as a key function or a transformer.
pub type BoxError = Box<dyn StdError + Send + Sync>;

/// No key could be computed for an object (client-go's `KeyError`).
///
/// The message does not contain the object, because it may be a Secret.
#[derive(Debug, thiserror::Error)]
#[error("couldn't create key for object{}: {source}", of(.delta))]
#[non_exhaustive]
pub struct KeyError {
    /// The kind of the queued delta with the object ([`Delta::kind`](super::Delta::kind)), if a resync found it in the
    /// queue.
    pub delta: Option<&'static str>,
    /// The key function's error.
    pub source: BoxError,
}

impl KeyError {
    pub(crate) fn new(source: BoxError) -> Self {
        Self { delta: None, source }
    }

    /// Adds the kind of the queued delta that has the object.
    pub(crate) fn in_delta(self, kind: &'static str) -> Self {
        Self { delta: Some(kind), ..self }
    }
}

/// Returns the part of the message that names the delta, if there is one.
fn of(delta: &Option<&'static str>) -> String {
    delta.map(|kind| format!(" of queued {kind}")).unwrap_or_default()
}

/// The error of an operation on a store, an indexer or a queue. Unless a method says otherwise, nothing was changed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The key function failed.
    #[error(transparent)]
    Key(#[from] KeyError),
    /// A queue's transformer failed; the object was not queued.
    #[error(transparent)]
    Transform(BoxError),
    /// A store's transformer failed; the object was not stored.
    #[error("transforming: {0}")]
    TransformStored(#[source] BoxError),
    /// A queue could not take one of many objects. The objects before it are queued.
    #[error("couldn't enqueue object: {0}")]
    Enqueue(#[source] Box<Error>),
    /// Some operations of a transaction failed; the rest succeeded.
    #[error(transparent)]
    Transaction(#[from] TransactionError),
    /// A batch contained a delta that is not about one object, such as `ReplacedAll`. Nothing was done.
    #[error("a delta of many objects cannot be part of a batch")]
    NotBatchable,
    /// No index has this name.
    #[error("Index with name {0} does not exist")]
    UnknownIndex(String),
    /// Indices with these names exist already, or two of the new indices have the same name. None was added.
    #[error("indexer conflict: map[{}]", .0.iter().map(|name| format!("{name}:{{}}")).collect::<Vec<_>>().join(" "))]
    IndexerConflict(Vec<String>),
}

/// The error of a transaction of which some operations failed (client-go's `TransactionError`).
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[error("failed to execute ({}/{total}) transactions failed due to: [{}]", .errors.len(), joined(.errors))]
pub struct TransactionError {
    /// The indices of the operations that succeeded, counted from 0.
    pub successful: Vec<usize>,
    /// The number of operations in the transaction.
    pub total: usize,
    /// The errors of the failed operations, in order.
    pub errors: Vec<Error>,
}

fn joined(errors: &[Error]) -> String {
    errors.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
}

/// The error of a pop from a queue that is closed and empty (client-go's `ErrFIFOClosed`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("DeltaFIFO: manipulating with closed queue")]
pub struct Closed;
