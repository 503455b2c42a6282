//! Runs the controller inside a cluster of `kube-testcluster`: with the cluster's clock, which tests may stop and move,
//! and from the first object of its kind on. Called through [`crate::run_when_needed`].

use kube_client::Client;
use kube_client::api::ApiResource;
use kube_core::Resource;
use kube_informers::cache::SharedInformerFactory;
use tokio_util::sync::CancellationToken;

use super::{Controller, ControllerError};
use crate::clock::Clock;
use crate::shared::recorder::EventSource;
use crate::shared::when_needed;

/// Runs the controller of ReplicaSets, or of ReplicationControllers: `K` is its kind, as in [`Controller::of`].
pub(crate) async fn run_when_needed<K>(
    client: Client,
    clock: Clock,
    source: &'static EventSource,
    stop: CancellationToken,
) where
    K: Resource<DynamicType = ()>,
    K::Scope: 'static,
{
    let kind = ApiResource::erase::<K>(&());
    let run = || run::<K>(client.clone(), clock, source, stop.clone());
    when_needed::run_when_needed(&client, &kind, &stop, run).await;
}

/// Runs the controller of a kind with the clock of its cluster until `stop`.
pub(crate) async fn run<K>(
    client: Client,
    clock: Clock,
    source: &'static EventSource,
    stop: CancellationToken,
) -> Result<(), ControllerError>
where
    K: Resource<DynamicType = ()>,
    K::Scope: 'static,
{
    let factory = SharedInformerFactory::new(client.clone());
    let controller = Controller::of::<K>(client, &factory, source);
    let mut controller = controller.expect("informers that have not started take any index");
    controller.clock = clock;
    controller.with_events().run(&factory, &stop).await
}
