//! Runs the controller that signs CertificateSigningRequests, as soon as a listener has given the cluster an authority.

use std::sync::Arc;

use kube_client::Client;
use kube_controllers::certificates::signer;
use kube_controllers::clock::Clock;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::Authority;

/// The authority of the cluster; `None` until a listener with TLS has one.
pub(crate) type Given = Option<Arc<Authority>>;

/// Runs the controller with the first authority that is given, until `stop`.
pub(crate) async fn run(mut given: watch::Receiver<Given>, client: Client, clock: Clock, stop: CancellationToken) {
    // An error means that the cluster is dropped.
    let first = async { given.wait_for(Option::is_some).await.ok().and_then(|authority| authority.clone()) };
    if let Some(authority) = stop.run_until_cancelled(first).await.flatten() {
        signer::run_when_needed(authority, client, clock, stop).await;
    }
}
