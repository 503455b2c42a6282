//! Tests of the informer factory's options against the built-in cluster.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::{Router, routing::get};
use futures::StreamExt;
use k8s_openapi::api::core::v1::{Namespace, Pod};
use kube::core::{ApiResource, DynamicObject, ObjectMeta};
use kube_informers::cache::{
    HandlerFuncs, HandlerOptions, InformerId, InformerStopped, ListWatch, NAMESPACE_INDEX, Never, ReflectorOptions,
    SharedIndexInformer, SharedInformerFactory, WatchList, meta_namespace_index,
};
use kube_testcluster::Cluster;
use serde_json::json;
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;

fn pod(namespace: &str, name: &str, app: &str) -> Pod {
    let labels = [("app".to_owned(), app.to_owned())].into();
    let mut pod = Pod {
        metadata: ObjectMeta {
            namespace: Some(namespace.into()),
            name: Some(name.into()),
            labels: Some(labels),
            ..ObjectMeta::default()
        },
        ..Pod::default()
    };
    let spec = pod.spec.insert(Default::default());
    spec.containers.push(k8s_openapi::api::core::v1::Container {
        name: "main".into(),
        image: Some("nginx".into()),
        ..Default::default()
    });
    pod
}

fn cluster() -> Cluster {
    Cluster::builder()
        .pods(vec![pod("default", "a", "web"), pod("default", "b", "db"), pod("other", "c", "web")])
        .start()
}

/// Runs the factory until its informers have synced. Returns the keys of `informer`, sorted.
async fn keys<T>(factory: &SharedInformerFactory, informer: &SharedIndexInformer<T>) -> Vec<String>
where
    T: kube_informers::cache::Object + Send + Sync + 'static,
{
    let stop = CancellationToken::new();
    factory.start(&stop);
    assert!(factory.wait_for_cache_sync(&stop).await.values().all(|synced| *synced));
    let mut keys = informer.reader().keys();
    keys.sort();
    stop.cancel();
    factory.shutdown().await.unwrap();
    keys
}

#[tokio::test(start_paused = true)]
async fn the_tweak_of_list_options_applies_to_every_request() {
    let cluster = cluster();
    let factory = SharedInformerFactory::new(cluster.client("default"))
        .tweak_list_options(|options| options.label_selector = Some("app=web".into()));
    let pods = factory.informer::<Pod>();
    assert_eq!(keys(&factory, &pods).await, ["default/a", "other/c"]);
}

#[tokio::test(start_paused = true)]
async fn without_managed_fields_no_informer_keeps_them() {
    let pod = json!({"metadata": {"name": "a", "managedFields": [{"manager": "kubectl"}]}});
    let list = json!({"kind": "PodList", "metadata": {"resourceVersion": "7"}, "items": [pod]}).to_string();
    let router = Router::new().route("/api/v1/pods", get(async move || list));
    for (skipped, kept) in [(false, 1), (true, 0)] {
        let factory = SharedInformerFactory::new(kube::Client::new(router.clone(), "default"))
            .reflector(ReflectorOptions::new().watch_list(WatchList::No));
        let factory = if skipped { factory.without_managed_fields() } else { factory };
        let pods = factory.informer::<Pod>();
        assert_eq!(keys(&factory, &pods).await, ["a"]);
        let with = pods.reader().list().iter().filter(|pod| pod.metadata.managed_fields.is_some()).count();
        assert_eq!(with, kept);
    }
}

#[tokio::test(start_paused = true)]
async fn the_factory_names_the_failed_informer_while_the_other_ones_run() {
    let cluster = cluster();
    let factory = SharedInformerFactory::new(cluster.client("default"));
    let (pods, namespaces) = (factory.informer::<Pod>(), factory.informer::<Namespace>());
    pods.add_event_handler(HandlerFuncs::new().add_func(|_: Arc<Pod>, _| panic!("panics on purpose"))).unwrap();
    assert!(factory.failure().is_none());
    let stop = CancellationToken::new();
    factory.start(&stop);
    factory.failed().await.unwrap();
    let failure = factory.failure().expect("the informer of pods has failed");
    assert_eq!((failure.informer, namespaces.is_stopped()), (InformerId::of::<Pod>(), false));
    stop.cancel();
    assert_eq!(factory.shutdown().await.unwrap_err().informer, InformerId::of::<Pod>());
}

#[tokio::test(start_paused = true)]
async fn the_namespace_option_limits_namespaced_types_only() {
    let cluster = cluster();
    let factory = SharedInformerFactory::new(cluster.client("default")).namespace("other");
    let (pods, namespaces) = (factory.informer::<Pod>(), factory.informer::<Namespace>());
    assert_eq!(keys(&factory, &pods).await, ["other/c"]);
    assert!(namespaces.reader().get("default").is_some());
}

#[tokio::test(start_paused = true)]
async fn an_empty_namespace_means_all_namespaces() {
    let cluster = cluster();
    let factory = SharedInformerFactory::new(cluster.client("default")).namespace("other").namespace("");
    let pods = factory.informer::<Pod>();
    assert_eq!(keys(&factory, &pods).await, ["default/a", "default/b", "other/c"]);
}

#[tokio::test(start_paused = true)]
async fn a_customization_cannot_add_the_namespace_index_again() {
    let cluster = cluster();
    let refused = Arc::new(Mutex::new(false));
    let learned = refused.clone();
    let factory = SharedInformerFactory::new(cluster.client("default")).customize::<Pod>(move |mut pods| {
        *learned.lock().unwrap() = pods.index(NAMESPACE_INDEX, meta_namespace_index).is_err();
        pods
    });
    let pods = factory.informer::<Pod>();
    assert!(*refused.lock().unwrap());
    keys(&factory, &pods).await;
    assert_eq!(pods.reader().index(NAMESPACE_INDEX).unwrap().keys("other"), ["other/c"]);
}

#[tokio::test(start_paused = true)]
async fn a_customization_may_call_the_factory_and_change_the_source() {
    let cluster = cluster();
    let client = cluster.client("default");
    let factory = Arc::new_cyclic(|factory: &std::sync::Weak<SharedInformerFactory>| {
        let factory = factory.clone();
        SharedInformerFactory::new(client.clone()).customize::<Pod>(move |_| {
            factory.upgrade().unwrap().informer::<Namespace>();
            SharedIndexInformer::builder(ListWatch::<Pod>::namespaced(client.clone(), "other"))
        })
    });
    let pods = factory.informer::<Pod>();
    assert_eq!(keys(&factory, &pods).await, ["other/c"]);
    assert_eq!(pods.reader().index(NAMESPACE_INDEX).unwrap().keys("other"), ["other/c"]);
}

#[tokio::test(start_paused = true)]
async fn a_shutdown_ends_the_waits_for_an_informer_that_was_never_started() {
    let cluster = cluster();
    let factory = SharedInformerFactory::new(cluster.client("default"));
    let pods = factory.informer::<Pod>();
    let handler = pods.add_event_handler(HandlerFuncs::new().add_func(|_: Arc<Pod>, _| {})).unwrap();
    let mut changes = pods.subscribe(HandlerOptions::new()).unwrap();
    factory.shutdown().await.unwrap();
    let waits = async {
        assert_eq!(pods.synced().await, Err(Never));
        assert_eq!(handler.synced().await, Err(Never));
        handler.ended().await.unwrap();
        assert!(changes.next().await.is_none());
    };
    timeout(Duration::from_secs(1), waits).await.expect("the shutdown has ended the informer");
    assert!(pods.is_stopped());
    let late = factory.informer::<Namespace>();
    assert_eq!(late.synced().await, Err(Never));
    assert_eq!(late.subscribe(HandlerOptions::new()).err(), Some(InformerStopped));
}

#[tokio::test(start_paused = true)]
async fn a_customization_applies_to_the_informer_of_its_type_only() {
    let cluster = cluster();
    let factory = SharedInformerFactory::new(cluster.client("default")).customize::<Pod>(|pods| {
        pods.resync(Duration::from_secs(10)).transformer(|pod| {
            let mut pod = Arc::unwrap_or_clone(pod);
            pod.spec = None;
            Ok(Arc::new(pod))
        })
    });
    let counts = Arc::new(Mutex::new((0, 0)));
    let count = |counted: fn(&mut (usize, usize)) -> &mut usize| {
        let counts = counts.clone();
        move || *counted(&mut counts.lock().unwrap()) += 1
    };
    let (pod_count, namespace_count) = (count(|counts| &mut counts.0), count(|counts| &mut counts.1));
    let pods = factory.informer::<Pod>();
    pods.add_event_handler(HandlerFuncs::new().update_func(move |_: Arc<Pod>, _| pod_count())).unwrap();
    let namespaces = factory.informer::<Namespace>();
    namespaces
        .add_event_handler(HandlerFuncs::new().update_func(move |_: Arc<Namespace>, _| namespace_count()))
        .unwrap();
    let stop = CancellationToken::new();
    factory.start(&stop);
    factory.wait_for_cache_sync(&stop).await;
    cluster.settled().await;
    sleep(Duration::from_millis(1)).await;
    assert!(pods.reader().list().iter().all(|pod| pod.spec.is_none()));
    *counts.lock().unwrap() = (0, 0);
    sleep(Duration::from_secs(10)).await;
    assert_eq!(*counts.lock().unwrap(), (3, 0), "one resync, of the three pods only");
    stop.cancel();
    factory.shutdown().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn each_kind_has_one_dynamic_informer_whose_objects_carry_their_kind() {
    let cluster = cluster();
    let factory = SharedInformerFactory::new(cluster.client("default"));
    let pods = factory.dynamic_informer(&ApiResource::erase::<Pod>(&()));
    let namespaces = factory.dynamic_informer(&ApiResource::erase::<Namespace>(&()));
    let again = factory.dynamic_informer(&ApiResource::erase::<Pod>(&()));
    again.index("kind", |_: &DynamicObject| "any".into()).unwrap();
    assert!(pods.reader().index("kind").is_some(), "both calls return the same informer");
    assert!(namespaces.reader().index("kind").is_none());
    assert_eq!(keys(&factory, &pods).await, ["default/a", "default/b", "other/c"]);
    let kind = |pod: &Arc<DynamicObject>| pod.types.as_ref().unwrap().kind == "Pod";
    assert!(pods.reader().list().iter().all(kind));
}
