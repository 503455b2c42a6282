//! Tests of a factory's end: an informer that fails, repeated shutdowns, and how each ends the waits for the informers.

use std::time::Duration;

use k8s_openapi::api::core::v1::{Container, Namespace, Pod};
use kube::core::{ApiResource, PartialObjectMeta};
use kube_informers::cache::{InformerId, Never, Notification, RunError, SharedInformerFactory};
use kube_testcluster::Cluster;
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;

const SECOND: Duration = Duration::from_secs(1);

fn factory() -> (Cluster, SharedInformerFactory) {
    let mut pod = Pod::default();
    pod.metadata.name = Some("a".into());
    pod.spec.insert(Default::default()).containers.push(Container {
        name: "main".into(),
        image: Some("nginx".into()),
        ..Default::default()
    });
    let cluster = Cluster::builder().pods(vec![pod]).start();
    let factory = SharedInformerFactory::new(cluster.client("default"));
    (cluster, factory)
}

async fn panics(_: Notification<Pod>) {
    panic!("panics on purpose");
}

#[tokio::test(start_paused = true)]
async fn the_first_informer_that_fails_ends_the_factory_and_stops_the_other_ones() {
    let (_cluster, factory) = factory();
    factory.informer::<Pod>().add_event_handler(panics).unwrap();
    let others = factory.informer::<Namespace>();
    let failed = timeout(60 * SECOND, factory.run(CancellationToken::new())).await.expect("the run ends").unwrap_err();
    assert_eq!(failed.informer, InformerId::of::<Pod>());
    assert!(matches!(*failed.source, RunError::HandlerPanicked(_)));
    assert!(others.is_stopped());
}

#[tokio::test(start_paused = true)]
async fn a_factory_notices_an_informer_whose_transformer_panics() {
    let (_cluster, factory) = factory();
    let factory = factory.customize::<Pod>(|pods| pods.transformer(|_| panic!("panics on purpose")));
    let pods = factory.informer::<Pod>();
    let failed = timeout(60 * SECOND, factory.run(CancellationToken::new())).await.expect("the run ends").unwrap_err();
    assert_eq!(failed.source.to_string(), "the informer panicked: panics on purpose");
    assert_eq!(pods.synced().await, Err(Never));
}

#[tokio::test(start_paused = true)]
async fn the_wait_for_cache_sync_ends_when_an_informer_fails() {
    let (_cluster, factory) = factory();
    let pods = factory.informer::<Pod>();
    pods.add_event_handler(panics).unwrap();
    // The first handler panics before the slow one has received the whole list.
    let slow = pods.add_event_handler(|_: Notification<Pod>| sleep(60 * SECOND)).unwrap();
    let stop = CancellationToken::new();
    factory.start(&stop);
    timeout(3600 * SECOND, factory.wait_for_cache_sync(&stop)).await.expect("the wait ends");
    timeout(3600 * SECOND, factory.failed()).await.expect("the factory has noticed the failure").unwrap();
    assert!(timeout(3600 * SECOND, slow.synced()).await.is_ok());
    stop.cancel();
    assert_eq!(factory.shutdown().await.unwrap_err().informer.to_string(), "Pod");
}

#[tokio::test(start_paused = true)]
async fn shutdowns_of_a_factory_may_be_abandoned_and_run_at_the_same_time() {
    let (_cluster, factory) = factory();
    let pods = factory.informer::<Pod>();
    pods.add_event_handler(|_: Notification<Pod>| sleep(60 * SECOND)).unwrap();
    let stop = CancellationToken::new();
    factory.start(&stop);
    sleep(SECOND).await;
    stop.cancel();
    assert!(timeout(SECOND, factory.shutdown()).await.is_err(), "the handler still runs");
    let shut_down = async {
        factory.shutdown().await.unwrap();
        assert!(pods.is_stopped());
    };
    let again = async {
        factory.shutdown().await.unwrap();
        assert!(pods.is_stopped());
    };
    tokio::join!(shut_down, again);
}

#[tokio::test(start_paused = true)]
async fn the_wait_for_cache_sync_counts_typed_dynamic_and_metadata_informers_apart() {
    let (_cluster, factory) = factory();
    let resource = ApiResource::erase::<Pod>(&());
    factory.informer::<Pod>();
    factory.dynamic_informer(&resource);
    factory.informer::<PartialObjectMeta<Pod>>();
    let stop = CancellationToken::new();
    factory.start(&stop);
    let synced = factory.wait_for_cache_sync(&stop).await;
    assert_eq!(synced.len(), 3, "{synced:?}");
    assert!(synced.values().all(|synced| *synced) && synced.keys().all(|id| id.kind() == "Pod"));
    stop.cancel();
    factory.shutdown().await.unwrap();
}
