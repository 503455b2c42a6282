//! A trial: the argument of every exercise program.
//!
//! It gives the program a client for the cluster, the token that stops it, and the outside world that the program acts on: a load
//! balancer, a dashboard, a log and alarms. Every use is noted in the journal.

use std::convert::Infallible;

use http::Request;
use informer_lab::exercises::judging::{self, EntryKind, Journal};
use k8s_openapi::api::core::v1::Pod;
use kube::Client;
use kube::client::Body;
use kube_informers::cache::observe::Observer;
use kube_informers::cache::{EventHandler, ListWatch};
use kube_testcluster::Cluster;
use tokio_util::sync::CancellationToken;
use tower::{ServiceExt, service_fn};

use crate::outside::{Balancer, Dashboard, JournalHandler};

/// The argument of an exercise program. Clones belong to the same trial.
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
        let service = service_fn(move |request: Request<Body>| {
            let noted = judging::Request::of(&request);
            requests.note(EntryKind::Request(noted.clone()));
            let (router, requests) = (router.clone(), requests.clone());
            async move {
                let answer = router.oneshot(request).await?;
                if !answer.status().is_success() {
                    requests.note(EntryKind::Refused(noted, answer.status().as_u16()));
                }
                Ok::<_, Infallible>(answer)
            }
        });
        let dashboard = Dashboard::new(journal.clone());
        Self { client: Client::new(service, "default"), stop, journal, balancer, dashboard }
    }

    /// Returns a client for the cluster.
    pub fn client(&self) -> Client {
        self.client.clone()
    }

    /// Returns a source that lists and watches the pods of the namespace `default`.
    pub fn pods(&self) -> ListWatch<Pod> {
        ListWatch::namespaced(self.client(), "default")
    }

    /// Returns the token that is cancelled when the trial is over. The program has to return then.
    pub fn stop(&self) -> CancellationToken {
        self.stop.clone()
    }

    /// Returns an observer that notes the events of an informer, so that the check can show them as evidence.
    pub fn observer(&self) -> Observer {
        let journal = self.journal.clone();
        Observer::new(move |event| journal.note(EntryKind::Event(event)))
    }

    /// Returns a handler that notes its notifications under this name.
    pub fn handler(&self, name: &'static str) -> impl EventHandler<Pod> + Send + use<> {
        JournalHandler::new(name.to_owned(), self.journal.clone())
    }

    /// Returns the load balancer, which sends requests to the backends that the program adds to it.
    pub fn balancer(&self) -> Balancer {
        self.balancer.clone()
    }

    /// Returns the dashboard, which takes a second to show a pod.
    pub fn dashboard(&self) -> Dashboard {
        self.dashboard.clone()
    }

    /// Writes a line to the program's log.
    pub fn log(&self, line: impl Into<String>) {
        self.journal.note(EntryKind::Logged(line.into()));
    }

    /// Raises an alarm about a pod, as a pager would.
    pub fn alarm(&self, about: impl Into<String>) {
        self.journal.note(EntryKind::Alarm(about.into()));
    }
}
