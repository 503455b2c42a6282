//! Calls the validating webhooks: the last step of admission, which may only allow or refuse. They cannot change the
//! object, so all that match are called at the same time. Upstream:
//! `admission/plugin/webhook/validating/dispatcher.go`.

use futures::future::join_all;

use super::review::{Phase, ask};
use super::{Attributes, matching};
use crate::http::status::ApiError;

/// Calls all webhooks that match. The error is that of the first webhook, in the order of configuration, that does not
/// admit the request.
pub(super) async fn dispatch(attributes: &Attributes<'_>) -> Result<(), ApiError> {
    let Some(configuration) = &attributes.request.configuration else { return Ok(()) };
    let mut invocations = Vec::new();
    for hook in &configuration.validating {
        invocations.extend(matching::invocation(hook, attributes)?.map(|row| (hook, row)));
    }
    let calls = invocations.into_iter().map(async |(hook, row)| {
        let answer = ask(hook, attributes, &row, Phase::Validating).await;
        answer.map(drop).or_else(|why| why.ignored_by(hook))
    });
    join_all(calls).await.into_iter().collect()
}
