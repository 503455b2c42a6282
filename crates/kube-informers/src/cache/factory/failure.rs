//! How the run of a factory can fail.

use std::sync::Arc;

use super::member::InformerId;
use crate::cache::processor::RunError;

/// An informer of a factory ended other than by its `stop`.
#[derive(Clone, Debug, thiserror::Error)]
#[error("the informer of {informer} ended")]
#[non_exhaustive]
pub struct InformerFailed {
    /// Which one.
    pub informer: InformerId,
    /// Why.
    pub source: Arc<RunError>,
}
