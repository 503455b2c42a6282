//! Counts the requests that a lesson's client sends to the API server. The lessons `factory` and `lister` print the
//! count, to show what an informer saves.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use http::Request;
use kube::client::Body;
use tower::service_fn;

use crate::lab::Lab;

/// The number of requests of a client. Clones share the counts.
#[derive(Clone, Default)]
pub(super) struct Requests(Arc<Counts>);

#[derive(Default)]
struct Counts {
    lists: AtomicUsize,
    watches: AtomicUsize,
}

impl Requests {
    /// Returns a client whose requests are counted.
    pub(super) fn client(&self, lab: &Lab) -> kube::Client {
        let (client, requests) = (lab.client(), self.clone());
        let counted = service_fn(move |request: Request<Body>| {
            // A lesson's client sends nothing but LISTs and WATCHes.
            let watch = request.uri().query().is_some_and(|query| query.split('&').any(|part| part == "watch=true"));
            let count = if watch { &requests.0.watches } else { &requests.0.lists };
            count.fetch_add(1, Ordering::Relaxed);
            let client = client.clone();
            async move { client.send(request).await }
        });
        kube::Client::new(counted, lab.namespace())
    }

    pub(super) fn count(&self) -> usize {
        let [lists, watches] = self.each();
        lists + watches
    }

    /// Returns the count in Chinese; `Display` writes it in English.
    pub(super) fn zh(&self) -> String {
        let [lists, watches] = self.each();
        format!("{lists} 次 LIST，{watches} 次 WATCH")
    }

    /// Returns the number of LISTs and of WATCHes.
    fn each(&self) -> [usize; 2] {
        [&self.0.lists, &self.0.watches].map(|count| count.load(Ordering::Relaxed))
    }
}

impl fmt::Display for Requests {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [lists, watches] = self.each();
        write!(f, "{lists} LIST, {watches} WATCH")
    }
}
