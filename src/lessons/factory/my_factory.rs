//! The tutorials' `MyFactory`: a factory by hand, which maps types to informers, so two parts of a program that ask for
//! the same type share one informer and its requests.

use std::any::{Any, TypeId};
use std::collections::HashMap;

use anyhow::Result;
use futures::future::{BoxFuture, try_join_all};
use k8s_openapi::api::core::v1::Pod;

use crate::lab::Lab;
use kube_informers::cache::{ListWatch, RunError, SharedIndexInformer};

// ANCHOR: my_factory
/// Makes an informer the first time that its type is asked for, and gives the same one each time after that.
pub(super) struct MyFactory<'a> {
    lab: &'a Lab,
    client: kube::Client,
    informers: HashMap<TypeId, Box<dyn Any>>,
    runs: Vec<BoxFuture<'static, Result<(), RunError>>>,
}

impl<'a> MyFactory<'a> {
    pub(super) fn new(lab: &'a Lab, client: kube::Client) -> Self {
        Self { lab, client, informers: HashMap::new(), runs: Vec::new() }
    }

    pub(super) fn pod_informer(&mut self) -> SharedIndexInformer<Pod> {
        let known = self.informers.get(&TypeId::of::<Pod>());
        if let Some(informer) = known.and_then(|known| known.downcast_ref::<SharedIndexInformer<Pod>>()) {
            return informer.clone(); // the same informer: a clone is one more handle to it
        }
        let pods = ListWatch::<Pod>::namespaced(self.client.clone(), self.lab.namespace());
        let informer = self.lab.informer(SharedIndexInformer::builder(pods));
        self.informers.insert(TypeId::of::<Pod>(), Box::new(informer.clone()));
        self.runs.push(Box::pin(informer.clone().run(self.lab.stop())));
        informer
    }

    /// Runs every informer that was asked for, until the lab stops.
    pub(super) async fn start(self) -> Result<()> {
        try_join_all(self.runs).await?;
        Ok(())
    }
}
// ANCHOR_END: my_factory
