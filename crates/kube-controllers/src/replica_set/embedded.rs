//! Runs the ReplicaSet controller inside a cluster of `kube-testcluster`: with the cluster's clock, which tests may
//! stop and move, and from the first ReplicaSet on. Called through [`crate::run_when_needed`].

use k8s_openapi::api::apps::v1::ReplicaSet;
use kube_client::Client;
use kube_client::api::ApiResource;
use kube_informers::cache::SharedInformerFactory;
use tokio_util::sync::CancellationToken;

use super::{Controller, ControllerError};
use crate::clock::Clock;
use crate::shared::when_needed;

pub(crate) async fn run_when_needed(client: Client, clock: Clock, stop: CancellationToken) {
    let sets = ApiResource::erase::<ReplicaSet>(&());
    when_needed::run_when_needed(&client, &sets, &stop, || run(client.clone(), clock, stop.clone())).await;
}

async fn run(client: Client, clock: Clock, stop: CancellationToken) -> Result<(), ControllerError> {
    let factory = SharedInformerFactory::new(client.clone());
    let mut controller = Controller::new(client, &factory).expect("informers that have not started take any index");
    controller.clock = clock;
    controller.with_events().run(&factory, &stop).await
}
