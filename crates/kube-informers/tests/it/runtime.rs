//! Tests of kube-runtime's stores and controllers that are fed by an informer instead of a watcher of their own.

use std::collections::BTreeSet;
use std::convert::Infallible;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::extract::Request;
use axum::middleware::{Next, from_fn};
use futures::StreamExt;
use futures::future::{BoxFuture, FutureExt, ready};
use futures::stream::FusedStream;
use k8s_openapi::api::core::v1::{Namespace, Pod};
use kube::api::{DeleteParams, PostParams};
use kube::{Api, Resource, ResourceExt};
use kube_informers::cache::{
    ApiError, Batches, HandlerOptions, ListOptions, ListPage, ListWatch, ListerWatcher, Notification, QueueKind,
    SharedIndexInformer, WatchStream,
};
use kube_informers::runtime::WatcherEvents;
use kube_runtime::controller::{Action, applier, trigger_with};
use kube_runtime::reflector::{self, ObjectRef, Store};
use kube_runtime::watcher::Event;
use kube_runtime::{Controller, WatchStreamExt};
use kube_testcluster::{Cluster, Effect, Fault};
use serde_json::json;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use crate::source::pod;

fn pods(cluster: &Cluster) -> SharedIndexInformer<Pod> {
    SharedIndexInformer::new(ListWatch::all(cluster.client("default")))
}

async fn create(cluster: &Cluster, name: &str) {
    let pod = json!({"metadata": {"name": name}, "spec": {"containers": [{"name": "c", "image": "i"}]}});
    let api = Api::<Pod>::default_namespaced(cluster.client("default"));
    api.create(&PostParams::default(), &serde_json::from_value(pod).unwrap()).await.unwrap();
}

async fn delete(cluster: &Cluster, name: &str) {
    let at_once = DeleteParams::default().grace_period(0);
    Api::<Pod>::default_namespaced(cluster.client("default")).delete(name, &at_once).await.unwrap();
}

fn text<K: Resource>(event: Event<K>) -> String {
    match event {
        Event::Init => "init".to_owned(),
        Event::InitApply(object) => format!("init apply {}", object.name_any()),
        Event::InitDone => "init done".to_owned(),
        Event::Apply(object) => format!("apply {}", object.name_any()),
        Event::Delete(object) => format!("delete {}", object.name_any()),
    }
}

async fn next<K: Resource + Clone>(events: &mut WatcherEvents<K>) -> String {
    text(events.next().await.unwrap().unwrap())
}

#[tokio::test(start_paused = true)]
async fn an_informers_subscription_yields_the_events_of_a_watcher() {
    let cluster = Cluster::builder().start();
    create(&cluster, "a").await;
    create(&cluster, "b").await;
    cluster.settled().await;
    let informer = pods(&cluster);
    let mut events = WatcherEvents::of(informer.subscribe(HandlerOptions::new()).unwrap());
    let stop = CancellationToken::new();
    let running = tokio::spawn(informer.clone().run(stop.clone()));
    assert_eq!(next(&mut events).await, "init");
    let listed = BTreeSet::from([next(&mut events).await, next(&mut events).await]);
    assert_eq!(listed, ["init apply a", "init apply b"].map(str::to_owned).into());
    assert_eq!(next(&mut events).await, "init done");

    create(&cluster, "c").await;
    assert_eq!(next(&mut events).await, "apply c");
    delete(&cluster, "a").await;
    while next(&mut events).await != "delete a" {}

    let mut late = WatcherEvents::of(informer.subscribe(HandlerOptions::new()).unwrap());
    assert_eq!(next(&mut late).await, "init");
    let listed = BTreeSet::from([next(&mut late).await, next(&mut late).await]);
    assert_eq!(listed, ["init apply b", "init apply c"].map(str::to_owned).into());
    assert_eq!(next(&mut late).await, "init done");

    stop.cancel();
    running.await.unwrap().unwrap();
    while events.next().await.is_some() {}
    assert!(late.next().await.is_none());
}

#[tokio::test(start_paused = true)]
async fn an_empty_list_yields_init_and_init_done() {
    let cluster = Cluster::builder().start();
    let informer = pods(&cluster);
    let mut events = WatcherEvents::of(informer.subscribe(HandlerOptions::new()).unwrap());
    let running = tokio::spawn(informer.run(CancellationToken::new()));
    assert_eq!(next(&mut events).await, "init");
    assert_eq!(next(&mut events).await, "init done");
    running.abort();
}

#[tokio::test(start_paused = true)]
async fn a_store_whose_informer_stops_before_the_first_list_never_becomes_ready() {
    let cluster = Cluster::builder().start();
    cluster.faults().start(Fault::new(Effect::TooManyRequests { retry_after: 1 }).until_ended());
    let informer = pods(&cluster);
    let events = WatcherEvents::of(informer.subscribe(HandlerOptions::new()).unwrap());
    let (store, writer) = reflector::store();
    let filling = tokio::spawn(kube_runtime::reflector(writer, events).for_each(async |_| {}));
    let stop = CancellationToken::new();
    let running = tokio::spawn(informer.run(stop.clone()));
    sleep(Duration::from_secs(60)).await;
    stop.cancel();
    assert!(store.wait_until_ready().await.is_err());
    running.await.unwrap().unwrap();
    filling.await.unwrap();
}

/// A source whose list contains pod `a` twice, and then pod `b`.
struct Twice;

impl ListerWatcher<Pod> for Twice {
    fn list(&self, _: ListOptions) -> BoxFuture<'_, Result<ListPage<Pod>, ApiError>> {
        let items = [("a", 1), ("a", 2), ("b", 3)].map(|(name, version)| Arc::new(pod(name, version))).into();
        ready(Ok(ListPage::new(items, "3"))).boxed()
    }

    fn watch(&self, _: ListOptions) -> BoxFuture<'_, Result<WatchStream<Pod>, ApiError>> {
        ready(Ok(futures::stream::pending().boxed())).boxed()
    }

    fn has_watch_list(&self) -> bool {
        false
    }
}

#[tokio::test(start_paused = true)]
async fn the_events_end_if_the_informer_fails_in_the_middle_of_its_list() {
    let informer = SharedIndexInformer::builder(Twice).queue(QueueKind::RealFifo(Batches::No)).build();
    let by_name = informer.index("name", |pod: &Pod| {
        let name = pod.metadata.name.as_deref();
        assert_ne!(name, Some("b"), "panics on purpose in the middle of the list");
        name.into_iter().collect()
    });
    by_name.unwrap();
    let mut events = WatcherEvents::of(informer.subscribe(HandlerOptions::new()).unwrap());
    assert!(tokio::spawn(informer.run(CancellationToken::new())).await.is_err());
    assert_eq!(next(&mut events).await, "init");
    assert_eq!(next(&mut events).await, "init apply a");
    assert!(events.next().await.is_none(), "the update of a is held back until the list is complete");
    assert!(events.is_terminated());
    assert!(events.next().await.is_none());
}

#[tokio::test(start_paused = true)]
async fn a_store_equals_the_informers_store_after_a_relist() {
    let cluster = Cluster::builder().start();
    for name in ["a", "b", "c"] {
        create(&cluster, name).await;
    }
    let informer = pods(&cluster);
    let store = store_of(&informer);
    let running = tokio::spawn(informer.clone().run(CancellationToken::new()));
    store.wait_until_ready().await.unwrap();
    // Changes while no watch is open reach the informer only by the next list.
    let cut =
        Fault::new(Effect::TooManyRequests { retry_after: 1 }).resource("pods").verb(kube_testcluster::Verb::Watch);
    cluster.faults().start(cut.lasting(Duration::from_secs(20)));
    cluster.faults().start(Fault::new(Effect::DropWatches));
    sleep(Duration::from_secs(1)).await;
    delete(&cluster, "a").await;
    create(&cluster, "d").await;
    cluster.compact();
    sleep(Duration::from_secs(120)).await;
    let mut names: Vec<_> = store.state().iter().map(|pod| pod.name_any()).collect();
    names.sort();
    assert_eq!(names, ["b", "c", "d"]);
    running.abort();
}

fn store_of(informer: &SharedIndexInformer<Pod>) -> Store<Pod> {
    let events = WatcherEvents::of(informer.subscribe(HandlerOptions::new()).unwrap());
    let (store, writer) = reflector::store();
    tokio::spawn(kube_runtime::reflector(writer, events).for_each(async |_| {}));
    store
}

#[tokio::test(start_paused = true)]
async fn two_controllers_and_an_informer_share_one_watch() {
    let cluster = Cluster::builder().start();
    create(&cluster, "a").await;
    let requests = Arc::new(AtomicUsize::new(0));
    let counter = requests.clone();
    let count = from_fn(move |request: Request, next: Next| {
        counter.fetch_add(1, Ordering::Relaxed);
        next.run(request)
    });
    let client = kube::Client::new(cluster.router().layer(count), "default");
    let informer = SharedIndexInformer::new(ListWatch::<Pod>::all(client));

    let reconciled = Arc::new(Mutex::new(Vec::new()));
    for name in ["first", "second"] {
        let (store, writer) = reflector::store();
        let events = WatcherEvents::of(informer.subscribe(HandlerOptions::new()).unwrap());
        let pods = kube_runtime::reflector(writer, events).applied_objects();
        let reconcile = move |pod: Arc<Pod>, reconciled: Arc<Mutex<Vec<_>>>| {
            reconciled.lock().unwrap().push((name, pod.name_any()));
            std::future::ready(Ok::<_, Infallible>(Action::await_change()))
        };
        let controller =
            Controller::for_stream(pods, store).run(reconcile, |_, error, _| match *error {}, reconciled.clone());
        tokio::spawn(controller.for_each(async |_| {}));
    }
    let running = tokio::spawn(informer.run(CancellationToken::new()));
    sleep(Duration::from_secs(5)).await;
    create(&cluster, "b").await;
    sleep(Duration::from_secs(60)).await;
    let reconciled = reconciled.lock().unwrap();
    for (name, pod) in [("first", "a"), ("first", "b"), ("second", "a"), ("second", "b")] {
        assert!(reconciled.contains(&(name, pod.to_owned())), "{name} did not reconcile {pod}");
    }
    assert_eq!(requests.load(Ordering::Relaxed), 1, "one streaming list, which continues as the watch");
    running.abort();
}

#[tokio::test(start_paused = true)]
async fn notifications_can_trigger_an_applier_without_unstable_features() {
    let cluster = Cluster::builder().start();
    let informer = SharedIndexInformer::new(ListWatch::<Namespace>::all(cluster.client("default")));
    let (store, writer) = reflector::store();
    let events = WatcherEvents::of(informer.subscribe(HandlerOptions::new()).unwrap());
    tokio::spawn(kube_runtime::reflector(writer, events).for_each(async |_| {}));
    let changes = informer.subscribe(HandlerOptions::new()).unwrap().map(Ok::<_, Infallible>);
    let queue = trigger_with(changes, |change: Notification<Namespace>| [ObjectRef::from(&change)]);

    let running = tokio::spawn(informer.run(CancellationToken::new()));
    let reconcile = |_: Arc<Namespace>, _: Arc<()>| std::future::ready(Ok::<_, Infallible>(Action::await_change()));
    let applied = applier(reconcile, |_, error, _| match *error {}, Arc::new(()), store, queue, Default::default());
    let applied = applied.take(4).map(|applied| applied.unwrap().0.name);
    let names: BTreeSet<String> = applied.collect().await;
    assert_eq!(names, ["default", "kube-node-lease", "kube-public", "kube-system"].map(str::to_owned).into());
    running.abort();
}
