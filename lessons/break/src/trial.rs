//! A trial: what a program is given. Its cluster, its end, and everything outside of it on which it has an effect.

use std::convert::Infallible;

use http::Request;
use k8s_openapi::api::core::v1::Pod;
use kube::Client;
use kube::client::Body;
use kube_informers::cache::observe::Observer;
use kube_informers::cache::{EventHandler, ListWatch};
use kube_testcluster::Cluster;
use tokio_util::sync::CancellationToken;
use tower::{ServiceExt, service_fn};

use crate::journal::{self, Journal, What};
use crate::outside::{Balancer, Dashboard, Noting};

/// What a program is given. Clones are the same trial.
#[derive(Clone)]
pub struct Trial {
    client: Client,
    stop: CancellationToken,
    journal: Journal,
    balancer: Balancer,
    dashboard: Dashboard,
}

impl Trial {
    pub fn new(cluster: &Cluster, stop: CancellationToken, journal: Journal, balancer: Balancer) -> Self {
        let (router, requests) = (cluster.router(), journal.clone());
        let noting = service_fn(move |request: Request<Body>| {
            let asked = journal::Request::of(&request);
            requests.note(What::Request(asked.clone()));
            let (router, requests) = (router.clone(), requests.clone());
            async move {
                let answer = router.oneshot(request).await?;
                if !answer.status().is_success() {
                    requests.note(What::Refused(asked, answer.status().as_u16()));
                }
                Ok::<_, Infallible>(answer)
            }
        });
        let dashboard = Dashboard::new(journal.clone());
        Self { client: Client::new(noting, "default"), stop, journal, balancer, dashboard }
    }

    /// A client for the cluster.
    pub fn client(&self) -> Client {
        self.client.clone()
    }

    /// The pods of the namespace `default`.
    pub fn pods(&self) -> ListWatch<Pod> {
        ListWatch::namespaced(self.client(), "default")
    }

    /// Cancelled when the trial is over. The program ends then.
    pub fn stop(&self) -> CancellationToken {
        self.stop.clone()
    }

    /// Notes what an informer does: the check shows it as evidence.
    pub fn observer(&self) -> Observer {
        let journal = self.journal.clone();
        Observer::new(move |event| journal.note(What::Event(event)))
    }

    /// A handler that notes what it is told.
    pub fn handler(&self, name: &'static str) -> impl EventHandler<Pod> + Send + use<> {
        Noting::new(name, self.journal.clone())
    }

    /// A load balancer: it sends requests to the backends that the program gives it.
    pub fn balancer(&self) -> Balancer {
        self.balancer.clone()
    }

    /// A dashboard: it takes a second to show something.
    pub fn dashboard(&self) -> Dashboard {
        self.dashboard.clone()
    }

    /// Writes a line to the program's log.
    pub fn log(&self, line: impl Into<String>) {
        self.journal.note(What::Logged(line.into()));
    }

    /// Wakes somebody up because of a pod.
    pub fn alarm(&self, about: impl Into<String>) {
        self.journal.note(What::Alarm(about.into()));
    }
}
