//! The client that asks webhooks: those of admission, and those that convert custom resources. Upstream:
//! `k8s.io/apiserver/pkg/util/webhook`.
//!
//! A webhook is asked over HTTPS with HTTP/1.1, on a connection of its own. That needs the feature `tls`; without it, each call
//! fails. The time that it may take is that of tokio's clock: a test that pauses the clock and asks a real webhook finds that
//! nobody answers in no time.

mod answer;
pub(crate) mod conversion;
mod place;
#[cfg(feature = "tls")]
mod transport;
#[cfg(feature = "tls")]
mod verifier;

use std::time::Duration;

use self::answer::Answer;
use self::place::Place;
use crate::store::Store;
use kube_machinery::kinds::client_config::ClientConfig;
use kube_machinery::value::Value;

/// Whether a webhook is told how long it may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Deadline {
    Told,
    Untold,
}

/// Sends a JSON object to a webhook, and returns the one that it answers with.
///
/// # Errors
/// What went wrong, in Go's words.
pub(crate) async fn post(
    store: &Store,
    config: &ClientConfig,
    timeout: Duration,
    body: &Value,
    deadline: Deadline,
) -> Result<Value, String> {
    let place = Place::of(config);
    let target = place.target(timeout, deadline);
    let url = place.url(&target);
    let failed = |why: String| format!("Post {url:?}: {why}");
    let address = place.resolve(store, config).map_err(failed)?;
    let asked = ask(&place, &address, config, &target, body.to_string());
    match tokio::time::timeout(timeout, asked).await {
        Ok(answer) => answer.map_err(failed)?.object(),
        Err(_) => Err(failed("context deadline exceeded".to_owned())),
    }
}

#[cfg(feature = "tls")]
async fn ask(
    place: &Place,
    address: &str,
    config: &ClientConfig,
    target: &str,
    body: String,
) -> Result<Answer, String> {
    transport::ask(place, address, &config.ca_bundle, target, body).await
}

#[cfg(not(feature = "tls"))]
async fn ask(_: &Place, _: &str, _: &ClientConfig, _: &str, _: String) -> Result<Answer, String> {
    Err("this API server was built without TLS: the feature `tls` of kube-testcluster".to_owned())
}
