//! A simulated network outage: the connection breaks when a pod's deletion begins, and works again when the pod is
//! gone.

use std::io;
use std::time::Duration;

use futures::future::BoxFuture;
use futures::{FutureExt, StreamExt};
use k8s_openapi::api::core::v1::Pod;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use tokio::sync::watch;
use tokio::time::sleep;

use crate::lab::Lab;
use kube_informers::cache::{ApiError, Delta, ListOptions, ListPage, ListWatch, ListerWatcher, WatchStream};

/// The connection between a Reflector and its API server; `None` while it works. While it is broken, all requests fail
/// and open watches end.
#[derive(Default)]
pub(super) struct Link(watch::Sender<Option<Going>>);

/// The pod whose deletion the watch will miss.
#[derive(Clone)]
struct Going {
    name: String,
    uid: Option<String>,
}

impl Link {
    /// Returns a source of pods that uses this connection.
    pub(super) fn over(&self, pods: ListWatch<Pod>) -> OverLink {
        OverLink { broken: self.0.subscribe(), pods }
    }

    /// Breaks the connection if this delta shows that a pod's deletion has begun.
    pub(super) fn break_at_deletion(&self, delta: &Delta<Pod>) {
        if let Delta::Updated(pod) = delta
            && pod.metadata.deletion_timestamp.is_some()
        {
            self.break_because_of(&pod.metadata);
        }
    }

    /// Breaks the connection, unless it is broken already, until this pod is gone.
    fn break_because_of(&self, pod: &ObjectMeta) {
        let going = Going { name: pod.name.clone().unwrap_or_default(), uid: pod.uid.clone() };
        self.0.send_if_modified(|broken| {
            let works = broken.is_none();
            broken.get_or_insert(going);
            works
        });
    }

    /// Restores the connection each time that the deleted pod is gone from the server.
    pub(super) async fn mend(&self, lab: &Lab, pods: &ListWatch<Pod>) {
        let mut broken = self.0.subscribe();
        while let Ok(Some(going)) = broken.wait_for(Option::is_some).await.map(|broken| broken.clone()) {
            lab.narrate(
                "the network is down: no watch reports the changes from now on",
                "网络断了：这期间发生的事，watch 都收不到",
            );
            let mut by_name = ListOptions::default();
            by_name.field_selector = Some(format!("metadata.name={}", going.name));
            // If the server cannot be reached, the pod counts as existing.
            let is_there = async || match pods.list(by_name.clone()).await {
                Ok(page) => page.items.iter().any(|pod| pod.metadata.uid == going.uid),
                Err(_) => true,
            };
            while is_there().await {
                sleep(Duration::from_secs(1)).await;
            }
            lab.narrate(
                &format!("{} is gone from the server, and the network is up again", going.name),
                &format!("{} 已从服务端删除，网络恢复", going.name),
            );
            self.0.send_replace(None);
        }
    }
}

/// A source of pods whose requests go over a [`Link`].
pub(super) struct OverLink {
    broken: watch::Receiver<Option<Going>>,
    pods: ListWatch<Pod>,
}

impl OverLink {
    /// Fails if the connection is broken.
    fn reach(&self) -> Result<(), ApiError> {
        if self.broken.borrow().is_none() {
            return Ok(());
        }
        let error = io::Error::new(io::ErrorKind::NetworkUnreachable, "network is unreachable");
        Err(ApiError::Client(error.into()))
    }
}

impl ListerWatcher<Pod> for OverLink {
    fn list(&self, options: ListOptions) -> BoxFuture<'_, Result<ListPage<Pod>, ApiError>> {
        async move {
            self.reach()?;
            self.pods.list(options).await
        }
        .boxed()
    }

    fn watch(&self, options: ListOptions) -> BoxFuture<'_, Result<WatchStream<Pod>, ApiError>> {
        async move {
            self.reach()?;
            let mut broken = self.broken.clone();
            let cut = async move {
                // An error means that the link was dropped, so the lesson is over.
                let _ = broken.wait_for(Option::is_some).await;
            };
            Ok(self.pods.watch(options).await?.take_until(cut.boxed()).boxed())
        }
        .boxed()
    }

    fn description(&self) -> String {
        self.pods.description()
    }
}
