//! Counts the bytes that a lesson's client receives from the API server.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use http::Request;
use http_body_util::BodyExt;
use kube::client::Body;
use tower::service_fn;

use crate::lab::Lab;

/// The number of bytes in the answers to a client. Clones share the count.
#[derive(Clone, Default)]
pub(super) struct Received(Arc<AtomicUsize>);

impl Received {
    /// Returns a client whose answers are counted.
    pub(super) fn client(&self, lab: &Lab) -> kube::Client {
        let (client, bytes) = (lab.client(), self.0.clone());
        let counted = service_fn(move |request: Request<Body>| {
            let (client, bytes) = (client.clone(), bytes.clone());
            async move {
                let answer = client.send(request).await?;
                Ok::<_, kube::Error>(answer.map(|body| {
                    body.map_frame(move |frame| {
                        bytes.fetch_add(frame.data_ref().map_or(0, |data| data.len()), Ordering::Relaxed);
                        frame
                    })
                }))
            }
        });
        kube::Client::new(counted, lab.namespace())
    }

    pub(super) fn bytes(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }
}
