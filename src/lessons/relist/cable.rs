//! A network connection between a Reflector and its API server that can be unplugged.

use std::io;

use futures::future::BoxFuture;
use futures::{FutureExt, StreamExt};
use k8s_openapi::api::core::v1::Pod;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use tokio::sync::watch;

use kube_informers::cache::{ApiError, ListOptions, ListPage, ListWatch, ListerWatcher, WatchStream};

/// The pod whose deletion the watch will miss.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Going {
    pub(super) name: String,
    pub(super) uid: Option<String>,
}

/// The cable. It is plugged in at the start. While it is unplugged, all requests fail and open watches end.
#[derive(Default)]
pub(super) struct Cable(watch::Sender<Option<Going>>);

impl Cable {
    /// Unplugs the cable because of this pod, unless it is unplugged already.
    pub(super) fn pull(&self, pod: &ObjectMeta) {
        let going = Going { name: pod.name.clone().unwrap_or_default(), uid: pod.uid.clone() };
        self.0.send_if_modified(|out| match out {
            None => {
                *out = Some(going);
                true
            }
            Some(_) => false,
        });
    }

    pub(super) fn plug_in(&self) {
        self.0.send_replace(None);
    }

    /// Waits until the cable is unplugged.
    pub(super) async fn pulled(&self) -> Going {
        let mut out = self.0.subscribe();
        let out = out.wait_for(Option::is_some).await.expect("the cable outlives its wait");
        out.clone().expect("it was waited for")
    }
}

/// A `ListerWatcher` whose requests go through a cable.
pub(super) struct Through {
    out: watch::Receiver<Option<Going>>,
    pods: ListWatch<Pod>,
}

impl Through {
    pub(super) fn new(cable: &Cable, pods: ListWatch<Pod>) -> Self {
        Self { out: cable.0.subscribe(), pods }
    }

    fn reach(&self) -> Result<(), ApiError> {
        if self.out.borrow().is_none() {
            return Ok(());
        }
        let error = io::Error::new(io::ErrorKind::NetworkUnreachable, "network is unreachable");
        Err(ApiError::Client(error.into()))
    }
}

impl ListerWatcher<Pod> for Through {
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
            let mut out = self.out.clone();
            let cut = async move {
                // An error means that the cable was dropped, so the lesson is over.
                let _ = out.wait_for(Option::is_some).await;
            };
            Ok(self.pods.watch(options).await?.take_until(cut.boxed()).boxed())
        }
        .boxed()
    }

    fn description(&self) -> String {
        self.pods.description()
    }
}
