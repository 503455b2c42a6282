//! What the client is told of a refusal. Upstream: `admission/plugin/webhook/errors`, `util/webhook/error.go`.

use kube_core::Status;

use crate::http::status::ApiError;
use kube_machinery::kinds::admission::{FailurePolicy, Webhook};
use kube_machinery::value::{Value, json};

/// Why a webhook has not admitted a request.
#[derive(Debug)]
pub(super) enum NotAdmitted {
    /// It could not be asked, or its answer is none. Its policy may be to go on then. Upstream: `ErrCallingWebhook`.
    Unanswered(String),
    Refused(ApiError),
}

impl NotAdmitted {
    /// Whether the request goes on without this webhook: its policy says so if it could not be asked.
    ///
    /// # Errors
    /// What the client is told, if it does not.
    pub(super) fn ignored_by(self, hook: &Webhook) -> Result<(), ApiError> {
        match self {
            Self::Refused(error) => Err(error),
            Self::Unanswered(why) if hook.failure_policy == FailurePolicy::Ignore => {
                tracing::warn!(webhook = hook.name, why, "a webhook was not asked, and the request goes on");
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

/// The Status of a webhook, with its name in the message. Upstream: `ToStatusErr`.
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

/// The Status of one who decides in this process, as it is.
pub(super) fn of_plugin(status: &Status) -> ApiError {
    match kube_machinery::value::to_value(status) {
        Ok(status) => ApiError::of_status(&status),
        Err(why) => ApiError::internal(why.to_string()),
    }
}
