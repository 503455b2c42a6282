//! The errors of webhooks and plugins, and their form for the client. A refusal always fails the request; a webhook
//! that cannot be called fails it only if its `failurePolicy` is `Fail`. Upstream: `admission/plugin/webhook/errors`,
//! `util/webhook/error.go`.

use kube_core::Status;

use crate::http::status::ApiError;
use kube_machinery::kinds::admission::{FailurePolicy, Webhook};
use kube_machinery::value::{Value, json};

/// The reason why a webhook has not admitted a request.
#[derive(Debug)]
pub(super) enum NotAdmitted {
    /// The webhook could not be called, or its response is invalid. Its failure policy decides then. Upstream:
    /// `ErrCallingWebhook`.
    Unanswered(String),
    /// The request fails with this error, whatever the failure policy is.
    Refused(ApiError),
}

impl NotAdmitted {
    /// Lets the request continue if the webhook could not be called and its failure policy is `Ignore`. Otherwise
    /// returns the error for the client.
    pub(super) fn ignored_by(self, hook: &Webhook) -> Result<(), ApiError> {
        match self {
            Self::Refused(error) => Err(error),
            Self::Unanswered(why) if hook.failure_policy == FailurePolicy::Ignore => {
                tracing::warn!(
                    webhook = hook.name,
                    why,
                    "a webhook could not be called; the request continues without it"
                );
                Ok(())
            }
            Self::Unanswered(why) => {
                Err(ApiError::internal_error(&format!("failed calling webhook {:?}: {why}", hook.name)))
            }
        }
    }
}

impl From<ApiError> for NotAdmitted {
    fn from(error: ApiError) -> Self {
        Self::Refused(error)
    }
}

/// Returns the error for a request that a webhook has denied: the Status in its response, with the webhook's name in
/// the message. Upstream: `ToStatusErr`.
pub(super) fn of_webhook(webhook: &str, result: &Value) -> ApiError {
    let denied = format!("admission webhook {webhook:?} denied the request");
    let text = |field: &str| result[field].as_str().filter(|text| !text.is_empty());
    let message = match text("message").or(text("reason")) {
        Some(why) => format!("{denied}: {why}"),
        None => format!("{denied} without explanation"),
    };
    let mut status = if result.is_object() { result.clone() } else { json!({}) };
    status["message"] = message.into();
    ApiError::of_status(&status)
}

pub(super) fn of_plugin(status: &Status) -> ApiError {
    match kube_machinery::value::to_value(status) {
        Ok(status) => ApiError::of_status(&status),
        Err(why) => ApiError::internal(why.to_string()),
    }
}
