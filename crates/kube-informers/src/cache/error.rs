//! What can go wrong in a store, an index or a queue.

use std::error::Error as StdError;

/// The error of a user's function: a key function, a transformer.
pub type BoxError = Box<dyn StdError + Send + Sync>;

/// No key could be computed for an object (client-go's `KeyError`).
///
/// The object itself is not told: it may be a Secret. A key function that can fail says in its error which object it was.
#[derive(Debug, thiserror::Error)]
#[error("couldn't create key for object{}: {source}", of(.delta))]
#[non_exhaustive]
pub struct KeyError {
    /// The kind of the queued delta that has the object, as in [`Delta::kind`](super::Delta::kind), where a resync met it there.
    pub delta: Option<&'static str>,
    /// What the key function said.
    pub source: BoxError,
}

impl KeyError {
    pub(crate) fn new(source: BoxError) -> Self {
        Self { delta: None, source }
    }

    /// The same error, met in a queued delta of this kind.
    pub(crate) fn in_delta(self, kind: &'static str) -> Self {
        Self { delta: Some(kind), ..self }
    }
}

fn of(delta: &Option<&'static str>) -> String {
    delta.map(|kind| format!(" of queued {kind}")).unwrap_or_default()
}

/// A store, an indexer or a queue refused an operation. Unless a method says otherwise, nothing was changed.
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
    /// A queue could not take one of many objects; those before it are queued.
    #[error("couldn't enqueue object: {0}")]
    Enqueue(#[source] Box<Error>),
    /// Some operations of a transaction failed; the others were done.
    #[error(transparent)]
    Transaction(#[from] TransactionError),
    /// A delta of many objects was part of a batch; nothing was done.
    #[error("a delta of many objects cannot be part of a batch")]
    NotBatchable,
    /// No index has this name.
    #[error("Index with name {0} does not exist")]
    UnknownIndex(String),
    /// Indices of these names exist already, or two of those to add have one name; none was added.
    #[error("indexer conflict: map[{}]", .0.iter().map(|name| format!("{name}:{{}}")).collect::<Vec<_>>().join(" "))]
    IndexerConflict(Vec<String>),
}

/// Some operations of a transaction failed (client-go's `TransactionError`).
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[error("failed to execute ({}/{total}) transactions failed due to: [{}]", .errors.len(), joined(.errors))]
pub struct TransactionError {
    /// The places of the operations that were done.
    pub successful: Vec<usize>,
    /// How many operations there were.
    pub total: usize,
    /// What the others said, in order.
    pub errors: Vec<Error>,
}

fn joined(errors: &[Error]) -> String {
    errors.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
}

/// The queue was closed, and everything in it has been handed out (client-go's `ErrFIFOClosed`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("DeltaFIFO: manipulating with closed queue")]
pub struct Closed;
