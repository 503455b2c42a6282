//! A simulated network cable between a lesson's client and the built-in cluster, for the commands `cut` and `heal` of
//! a live run. Requests of typed commands, the scenario and kubectl do not go through the cable.

use std::io;

use futures::{Stream, StreamExt, TryStreamExt, stream};
use http::Request;
use http_body_util::{BodyStream, StreamBody};
use kube::client::Body;
use tokio::sync::watch;
use tower::{ServiceExt, service_fn};

use kube_testcluster::Cluster;

/// The error of a request while the cable is out.
pub(super) const PULLED_OUT: &str = "the cable is pulled out";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Plug {
    In,
    Out,
}

/// A cable, plugged in at the start. Clones share its state.
#[derive(Clone, Debug)]
pub(super) struct Cable(watch::Sender<Plug>);

impl Default for Cable {
    fn default() -> Self {
        Self(watch::Sender::new(Plug::In))
    }
}

impl Cable {
    /// Pulls the cable out: requests fail, and responses in progress break off. Returns true if the cable was plugged
    /// in before.
    pub(super) fn pull_out(&self) -> bool {
        self.0.send_replace(Plug::Out) == Plug::In
    }

    /// Plugs the cable in. Returns true if it was out before.
    pub(super) fn plug_in(&self) -> bool {
        self.0.send_replace(Plug::In) == Plug::Out
    }

    pub(super) fn is_out(&self) -> bool {
        *self.0.borrow() == Plug::Out
    }

    /// Returns a client whose requests go through the cable.
    pub(super) fn client(&self, cluster: &Cluster, namespace: &str) -> kube::Client {
        let (router, plug) = (cluster.router(), self.0.clone());
        let service = service_fn(move |request: Request<Body>| {
            let (router, plug) = (router.clone(), plug.subscribe());
            async move {
                if *plug.borrow() == Plug::Out {
                    return Err(unplugged());
                }
                let response = router.oneshot(request.map(axum::body::Body::new)).await.map_err(io::Error::other)?;
                Ok(response.map(|body| {
                    let frames = BodyStream::new(body).map_err(io::Error::other);
                    StreamBody::new(until_pulled_out(frames.boxed(), plug))
                }))
            }
        });
        kube::Client::new(service, namespace)
    }
}

/// Passes the items on, and ends with an error as soon as the cable is pulled out.
fn until_pulled_out<T>(
    items: impl Stream<Item = io::Result<T>> + Unpin,
    plug: watch::Receiver<Plug>,
) -> impl Stream<Item = io::Result<T>> {
    // The state is `None` after the error, which ends the stream.
    stream::unfold(Some((items, plug)), async |connected| {
        let (mut items, mut plug) = connected?;
        let item = tokio::select! {
            biased;
            Ok(_) = plug.wait_for(|plug| *plug == Plug::Out) => return Some((Err(unplugged()), None)),
            item = items.next() => item?,
        };
        Some((item, Some((items, plug))))
    })
}

fn unplugged() -> io::Error {
    io::Error::new(io::ErrorKind::NetworkUnreachable, PULLED_OUT)
}

#[cfg(test)]
mod tests {
    use k8s_openapi::api::core::v1::Pod;
    use kube::Api;
    use kube::api::{ListParams, WatchParams};

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_watch_breaks_off_and_requests_fail_until_the_cable_is_plugged_in() {
        let cluster = Cluster::builder().start();
        let cable = Cable::default();
        let pods: Api<Pod> = Api::default_namespaced(cable.client(&cluster, "default"));
        let mut watch = pods.watch(&WatchParams::default(), "0").await.unwrap().boxed();

        cable.pull_out();
        assert!(watch.next().await.unwrap().is_err());
        assert!(pods.list(&ListParams::default()).await.is_err());

        cable.plug_in();
        assert!(pods.list(&ListParams::default()).await.is_ok());
    }
}
