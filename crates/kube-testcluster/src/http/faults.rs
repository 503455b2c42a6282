//! Applies the injected faults that concern whole requests: delays and refusals. `handler.rs` calls [`apply`] before
//! the action of a request. Users inject faults to test a client; `faults/` defines them.

use super::status::ApiError;
use crate::faults::{Active, Effect, Verb};
use kube_machinery::kinds::Resource;

/// Delays the request if a fault says so, and then fails with the error of a fault that refuses the request.
pub(crate) async fn apply(faults: &Active, resource: &Resource, verb: Verb) -> Result<(), ApiError> {
    let delays = |effect: Effect| matches!(effect, Effect::Delay(_));
    if let Some(Effect::Delay(by)) = faults.take(resource, Some(verb), delays) {
        tokio::time::sleep(by).await;
    }
    let refuses = |effect| refusal(effect).is_some();
    faults.take(resource, Some(verb), refuses).and_then(refusal).map_or(Ok(()), Err)
}

fn refusal(effect: Effect) -> Option<ApiError> {
    match effect {
        Effect::InternalError => Some(ApiError::internal_error("a fault was asked for")),
        Effect::TooManyRequests { retry_after } => Some(ApiError::too_many_requests(retry_after)),
        Effect::Timeout => Some(ApiError::timeout("request did not complete within the allotted timeout")),
        _ => None,
    }
}
