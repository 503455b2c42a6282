//! What the client is told of a refusal. Upstream: `admission/plugin/webhook/errors`, `util/webhook/error.go`.

use kube_core::Status;
use serde_json::{Value, json};

use crate::http::status::ApiError;

/// Why a webhook has not admitted a request.
#[derive(Debug)]
pub(super) enum NotAdmitted {
    /// It could not be asked, or its answer is none. Its policy may be to go on then. Upstream: `ErrCallingWebhook`.
    Unanswered(String),
    Refused(ApiError),
}

impl NotAdmitted {
    /// The error of a webhook that could not be asked.
    pub(super) fn failed_calling(webhook: &str, why: &str) -> ApiError {
        ApiError::internal_error(&format!("failed calling webhook {webhook:?}: {why}"))
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
    match serde_json::to_value(status) {
        Ok(status) => ApiError::of_status(&status),
        Err(why) => ApiError::internal(why.to_string()),
    }
}
