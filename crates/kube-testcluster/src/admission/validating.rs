//! Validating webhooks: all of them are asked at once. Upstream: `admission/plugin/webhook/validating/dispatcher.go`.

use std::borrow::Cow;

use futures::future::join_all;
use serde_json::Value;

use super::refusal::NotAdmitted;
use super::review::{Phase, ask};
use super::{Asked, Attributes, matching};
use crate::http::status::ApiError;
use crate::kinds::admission::FailurePolicy;
use crate::machinery::admit::Operation;

pub(super) async fn dispatch(
    request: &Asked<'_>,
    operation: Operation,
    object: Option<&Value>,
    old: Option<&Value>,
) -> Result<(), ApiError> {
    let Some(configured) = &request.configured else { return Ok(()) };
    let attributes = Attributes { request, operation, object: object.map(Cow::Borrowed), old };
    let mut invocations = Vec::new();
    for hook in &configured.validating {
        invocations.extend(matching::invocation(hook, &attributes)?.map(|row| (hook, row)));
    }
    let asked =
        invocations.into_iter().map(async |(hook, row)| match ask(hook, &attributes, row, Phase::Validating).await {
            Err(NotAdmitted::Refused(error)) => Err(error),
            Err(NotAdmitted::Unanswered(why)) if hook.failure_policy == FailurePolicy::Ignore => {
                tracing::warn!(webhook = hook.name, why, "a webhook was not asked, and the request goes on");
                Ok(())
            }
            Err(NotAdmitted::Unanswered(why)) => Err(NotAdmitted::failed_calling(&hook.name, &why)),
            Ok(_) => Ok(()),
        });
    join_all(asked).await.into_iter().collect()
}
