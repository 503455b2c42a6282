//! The HTTP client that calls webhooks, which are programs of the user: admission webhooks, and webhooks that convert
//! custom resources. Upstream: `k8s.io/apiserver/pkg/util/webhook`.
//!
//! Each call uses HTTPS with HTTP/1.1, on a connection of its own. That needs the feature `tls`; without it, every call
//! fails. Timeouts follow tokio's clock: with a paused clock, a call to a webhook in another process times out at once.

pub(crate) mod conversion;
mod endpoint;
mod response;
#[cfg(feature = "tls")]
mod transport;
#[cfg(feature = "tls")]
mod verifier;

use std::time::Duration;

use self::endpoint::WebhookUrl;
use self::response::WebhookResponse;
use crate::store::Store;
use kube_machinery::kinds::client_config::ClientConfig;
use kube_machinery::value::Value;

/// The `timeout` parameter in the URL of a call. Admission webhooks get it, conversion webhooks do not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TimeoutParameter {
    Sent,
    NotSent,
}

/// Sends a JSON object to a webhook, and returns the object in its response. The error is Go's message for the failure.
pub(crate) async fn post(
    store: &Store,
    config: &ClientConfig,
    timeout: Duration,
    body: &Value,
    timeout_parameter: TimeoutParameter,
) -> Result<Value, String> {
    let webhook = WebhookUrl::of(config);
    let target = webhook.target(timeout, timeout_parameter);
    let url = webhook.url(&target);
    let failed = |why: String| format!("Post {url:?}: {why}");
    let address = webhook.resolve(store, config).map_err(failed)?;
    let response = ask(&webhook, &address, config, &target, body.to_string());
    match tokio::time::timeout(timeout, response).await {
        Ok(response) => response.map_err(failed)?.object(),
        Err(_) => Err(failed("context deadline exceeded".to_owned())),
    }
}

#[cfg(feature = "tls")]
async fn ask(
    url: &WebhookUrl,
    address: &str,
    config: &ClientConfig,
    target: &str,
    body: String,
) -> Result<WebhookResponse, String> {
    transport::ask(url, address, &config.ca_bundle, target, body).await
}

#[cfg(not(feature = "tls"))]
async fn ask(_: &WebhookUrl, _: &str, _: &ClientConfig, _: &str, _: String) -> Result<WebhookResponse, String> {
    Err("this API server was built without TLS: the feature `tls` of kube-testcluster".to_owned())
}
