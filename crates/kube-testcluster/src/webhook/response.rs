//! Decodes the response of a webhook, and words its errors as client-go does, because kube-apiserver calls webhooks
//! with client-go and its messages reach the client. Upstream: `transformResponse` in
//! `k8s.io/client-go/rest/request.go`, and `NewGenericServerResponse` in `k8s.io/apimachinery/pkg/api/errors`.

use kube_machinery::value::Value;

/// The most bytes of a response that an error message shows. Upstream: `maxUnstructuredResponseTextBytes`.
const MOST_SHOWN: usize = 2048;

/// The HTTP response of a webhook, not decoded.
#[derive(Debug)]
pub(super) struct WebhookResponse {
    pub(super) code: u16,
    /// Empty if the header is missing.
    pub(super) content_type: String,
    pub(super) body: Vec<u8>,
}

impl WebhookResponse {
    /// Returns the object in the response. The error is client-go's message for a response without one.
    pub(super) fn object(self) -> Result<Value, String> {
        if !(200..=206).contains(&self.code) {
            return Err(self.status_message().unwrap_or_else(|| self.generic_message()));
        }
        if self.body.is_empty() {
            let (code, kind) = (self.code, &self.content_type);
            return Err(format!("0-length response with status code: {code} and content type: {kind}"));
        }
        let object: Value = serde_json::from_slice(&self.body)
            .map_err(|why| format!("couldn't get version/kind; json parse error: {why}"))?;
        for (field, name) in [("kind", "Kind"), ("apiVersion", "apiVersion")] {
            if object[field].as_str().unwrap_or_default().is_empty() {
                return Err(format!("Object '{name}' is missing in '{}'", String::from_utf8_lossy(&self.body)));
            }
        }
        Ok(object)
    }

    /// Returns the message in the response, if it is a `Status`.
    fn status_message(&self) -> Option<String> {
        let status: Value = serde_json::from_slice(&self.body).ok()?;
        (status["kind"] == "Status").then(|| status["message"].as_str().unwrap_or_default().to_owned())
    }

    /// Returns client-go's message for an HTTP code. Upstream: `NewGenericServerResponse`.
    fn generic_message(&self) -> String {
        let shown = &self.body[..self.body.len().min(MOST_SHOWN)];
        let is_text = self.content_type.is_empty() || self.content_type.starts_with("text/");
        let written = if is_text { String::from_utf8_lossy(shown).trim().to_owned() } else { "unknown".to_owned() };
        let message = match self.code {
            400 => "the server rejected our request for an unknown reason",
            401 => "the server has asked for the client to provide credentials",
            404 => "the server could not find the requested resource",
            403 | 415 => return written,
            405 => "the server does not allow this method on the requested resource",
            406 if written.is_empty() || written == "unknown" => {
                "the server was unable to respond with a content type that the client supports"
            }
            406 => return written,
            409 => "the server reported a conflict",
            422 => "the server rejected our request due to an error in our request",
            429 => "the server has received too many requests and has asked us to try again later",
            503 => "the server is currently unable to handle the request",
            504 => {
                "the server was unable to return a response in the time allotted, but may still be processing the request"
            }
            500.. => return format!("an error on the server ({written:?}) has prevented the request from succeeding"),
            code => {
                return format!("the server responded with the status code {code} but did not return more information");
            }
        };
        message.to_owned()
    }
}
