//! Validating webhooks: all of them are asked at once. Upstream: `admission/plugin/webhook/validating/dispatcher.go`.

use std::borrow::Cow;

use futures::future::join_all;
use serde_json::Value;

use super::review::{Phase, ask};
use super::{Asked, Attributes, matching};
use crate::http::status::ApiError;
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
    let asked = invocations.into_iter().map(async |(hook, row)| {
        let answer = ask(hook, &attributes, row, Phase::Validating).await;
        answer.map(drop).or_else(|why| why.ignored_by(hook))
    });
    join_all(asked).await.into_iter().collect()
}
