//! InformerFailed: the error of a factory's run. It names the informer, because a factory runs many.

use std::sync::Arc;

use super::member::InformerId;
use crate::cache::processor::RunError;

/// The failure of one of a factory's informers: it ended before its `stop` was cancelled.
#[derive(Clone, Debug, thiserror::Error)]
#[error("the informer of {informer} ended")]
#[non_exhaustive]
pub struct InformerFailed {
    /// The informer that failed.
    pub informer: InformerId,
    /// The reason.
    pub source: Arc<RunError>,
}
