//! Tests `TestCluster`, the API for tests of operators: namespaces, installed definitions, settling, past states,
//! snapshots.

use k8s_openapi::api::apps::v1::{Deployment, ReplicaSet};
use k8s_openapi::api::batch::v1::Job;
use k8s_openapi::api::core::v1::{ConfigMap, Namespace, Pod, ServiceAccount};
use kube::api::{Api, DeleteParams, ListParams, Patch, PatchParams, PostParams, WatchEvent, WatchParams};
use kube::{CustomResource, ResourceExt};
use kube_testcluster::{Effect, Fault, TestCluster, TestNamespace};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

#[derive(CustomResource, Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[kube(group = "example.com", version = "v1", kind = "Shop", namespaced, status = "ShopStatus")]
struct ShopSpec {
    #[schemars(range(min = 1))]
    size: i64,
}

#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
struct ShopStatus {
    open: bool,
}

fn object<T: DeserializeOwned>(value: Value) -> T {
    serde_json::from_value(value).unwrap()
}

fn map(name: &str, value: &str) -> ConfigMap {
    object(json!({"metadata": {"name": name}, "data": {"a": value}}))
}

async fn deploy(space: &TestNamespace, replicas: i32) -> Api<Deployment> {
    let template = json!({"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [{"name": "c", "image": "i"}]}});
    let spec = json!({"replicas": replicas, "selector": {"matchLabels": {"a": "b"}}, "template": template});
    let deployments = space.api::<Deployment>();
    deployments
        .create(&PostParams::default(), &object(json!({"metadata": {"name": "web"}, "spec": spec})))
        .await
        .unwrap();
    deployments
}

#[tokio::test(start_paused = true)]
async fn each_test_namespace_is_new_and_has_its_service_account() {
    let cluster = TestCluster::start().await;
    let (one, other) = (cluster.namespace().await.unwrap(), cluster.namespace().await.unwrap());
    assert_ne!(one.name(), other.name());
    assert!(one.api::<ServiceAccount>().get_opt("default").await.unwrap().is_some());
    one.api().create(&PostParams::default(), &map("a", "1")).await.unwrap();
    assert!(other.api::<ConfigMap>().get_opt("a").await.unwrap().is_none());
    one.delete().await.unwrap();
    cluster.settled().await;
    let namespaces: Api<Namespace> = Api::all(cluster.client("default"));
    assert!(namespaces.get_opt(one.name()).await.unwrap().is_none());
}

#[tokio::test(start_paused = true)]
async fn an_installed_custom_resource_is_served_by_its_rust_type() {
    let cluster = TestCluster::start().await;
    cluster.install::<Shop>().await.unwrap();
    cluster.install::<Shop>().await.unwrap(); // installing twice is fine: the next test of a shared cluster does it too
    let shops = cluster.namespace().await.unwrap().api::<Shop>();
    let made = shops.create(&PostParams::default(), &Shop::new("a", ShopSpec { size: 2 })).await.unwrap();
    let open = json!({"status": {"open": true}});
    let shop = shops.patch_status("a", &PatchParams::default(), &Patch::Merge(open)).await.unwrap();
    assert_eq!((made.spec.size, shop.status), (2, Some(ShopStatus { open: true })));
    let refused = shops.create(&PostParams::default(), &Shop::new("b", ShopSpec { size: 0 })).await.unwrap_err();
    assert!(refused.to_string().contains("spec.size in body should be greater than or equal to 1"), "{refused}");
}

#[tokio::test(start_paused = true)]
async fn settled_waits_until_all_controllers_are_done() {
    let cluster = TestCluster::start().await;
    let space = cluster.namespace().await.unwrap();
    let deployments = deploy(&space, 3).await;
    cluster.settled().await;
    let status = deployments.get("web").await.unwrap().status.unwrap();
    assert_eq!((status.available_replicas, status.observed_generation), (Some(3), Some(1)));
    deployments.delete("web", &DeleteParams::default()).await.unwrap();
    cluster.settled().await;
    assert_eq!(space.api::<Pod>().list(&ListParams::default()).await.unwrap().items.len(), 0);
    let job = json!({"metadata": {"name": "j"}, "spec": {"completions": 3, "template": {"spec": {
        "restartPolicy": "Never", "containers": [{"name": "c", "image": "i"}]}}}});
    space.api::<Job>().create(&PostParams::default(), &object(job)).await.unwrap();
    cluster.settled().await;
    let job = space.api::<Job>().get("j").await.unwrap();
    assert_eq!(job.status.unwrap().succeeded, Some(3));
}

#[tokio::test(start_paused = true)]
async fn settled_also_waits_for_an_operator_in_the_same_runtime() {
    let cluster = TestCluster::start().await;
    let maps = cluster.namespace().await.unwrap().api::<ConfigMap>();
    maps.create(&PostParams::default(), &map("a", "0")).await.unwrap();
    let own = maps.clone();
    let operator = tokio::spawn(async move {
        for n in 1..=20 {
            let patch = Patch::Merge(json!({"data": {"a": n.to_string()}}));
            while own.patch("a", &PatchParams::default(), &patch).await.is_err() {
                tokio::time::sleep(std::time::Duration::from_secs(1)).await;
            }
        }
    });
    cluster.faults().start(Fault::new(Effect::InternalError).times(1));
    cluster.settled().await;
    assert!(operator.is_finished());
    assert_eq!(maps.get("a").await.unwrap().data.unwrap()["a"], "20");
}

#[tokio::test(start_paused = true)]
#[should_panic(expected = "the cluster does not settle, because writes continue; the last one was configmaps test-")]
async fn settled_panics_with_the_object_that_is_written_for_ever() {
    let cluster = TestCluster::start().await;
    let maps = cluster.namespace().await.unwrap().api::<ConfigMap>();
    maps.create(&PostParams::default(), &map("a", "0")).await.unwrap();
    tokio::spawn(async move {
        for n in 1.. {
            let patch = Patch::Merge(json!({"data": {"a": n.to_string()}}));
            maps.patch("a", &PatchParams::default(), &patch).await.unwrap();
            tokio::time::sleep(std::time::Duration::from_secs(1)).await;
        }
    });
    cluster.settled().await;
}

#[tokio::test(start_paused = true)]
async fn a_past_state_can_be_read() {
    let cluster = TestCluster::start().await;
    let maps = cluster.namespace().await.unwrap().api::<ConfigMap>();
    let before = cluster.revision();
    maps.create(&PostParams::default(), &map("a", "1")).await.unwrap();
    let between = cluster.revision();
    maps.replace("a", &PostParams::default(), &map("a", "2")).await.unwrap();
    maps.create(&PostParams::default(), &map("b", "3")).await.unwrap();
    assert_eq!(cluster.at(before).get(&maps, "a").await.unwrap(), None);
    let then = cluster.at(between).get(&maps, "a").await.unwrap().unwrap();
    assert_eq!(then.data.unwrap()["a"], "1");
    let names = |maps: Vec<ConfigMap>| {
        maps.iter().map(ResourceExt::name_any).filter(|name| name != "kube-root-ca.crt").collect::<Vec<_>>()
    };
    assert_eq!(names(cluster.at(between).list(&maps).await.unwrap()), ["a"]);
    assert_eq!(names(cluster.at(cluster.revision()).list(&maps).await.unwrap()), ["a", "b"]);
    cluster.compact();
    let error = cluster.at(between).list(&maps).await.unwrap_err();
    assert!(matches!(&error, kube::Error::Api(status) if status.code == 410), "{error}");
}

#[tokio::test(start_paused = true)]
async fn restoring_a_snapshot_brings_back_the_state() {
    let cluster = TestCluster::start().await;
    cluster.install::<Shop>().await.unwrap();
    let space = cluster.namespace().await.unwrap();
    let (maps, shops) = (space.api::<ConfigMap>(), space.api::<Shop>());
    let first = maps.create(&PostParams::default(), &map("a", "1")).await.unwrap();
    shops.create(&PostParams::default(), &Shop::new("a", ShopSpec { size: 1 })).await.unwrap();
    deploy(&space, 2).await;
    cluster.settled().await;
    let snapshot = cluster.snapshot();
    let pods = |cluster: &TestCluster| {
        let pods = Api::<Pod>::namespaced(cluster.client("default"), space.name());
        async move {
            pods.list(&ListParams::default()).await.unwrap().items.iter().map(ResourceExt::name_any).collect::<Vec<_>>()
        }
    };
    let before = pods(&cluster).await;

    maps.delete("a", &DeleteParams::default()).await.unwrap();
    maps.create(&PostParams::default(), &map("b", "2")).await.unwrap();
    let crd: Api<k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition> =
        Api::all(cluster.client("default"));
    crd.delete("shops.example.com", &DeleteParams::default()).await.unwrap();
    space.api::<Deployment>().delete("web", &DeleteParams::default()).await.unwrap();
    cluster.settled().await;
    assert!(shops.list(&ListParams::default()).await.is_err() && pods(&cluster).await.is_empty());
    let params = WatchParams::default().fields("metadata.name=a");
    let stream = maps.watch(&params, &cluster.revision().to_string()).await.unwrap();

    cluster.restore(&snapshot).await.unwrap();
    cluster.settled().await;
    let again = maps.get("a").await.unwrap();
    assert_eq!((&again.data, again.uid()), (&first.data, first.uid()));
    assert!(again.resource_version() > first.resource_version(), "the restored object is a later write");
    assert!(maps.get_opt("b").await.unwrap().is_none());
    assert_eq!(shops.get("a").await.unwrap().spec.size, 1);
    assert_eq!(pods(&cluster).await, before, "the controllers keep the restored pods");
    assert_eq!(space.api::<ReplicaSet>().list(&ListParams::default()).await.unwrap().items.len(), 1);
    let mut stream = std::pin::pin!(stream);
    let event = futures::StreamExt::next(&mut stream).await.unwrap().unwrap();
    assert!(matches!(event, WatchEvent::Added(map) if map.uid() == first.uid()), "watches get the restored object");
}

#[tokio::test(start_paused = true)]
async fn a_snapshot_includes_objects_without_a_definition() {
    type Definitions =
        Api<k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition>;
    let cluster = TestCluster::start().await;
    cluster.install::<Shop>().await.unwrap();
    let shops: Api<Shop> = Api::default_namespaced(cluster.client("default"));
    shops.create(&PostParams::default(), &Shop::new("a", ShopSpec { size: 1 })).await.unwrap();
    let all = Definitions::all(cluster.client("default"));
    all.delete_collection(&DeleteParams::default(), &ListParams::default()).await.unwrap();
    let other = TestCluster::start_from(&cluster.snapshot()).await.unwrap();
    let shops: Api<Shop> = Api::default_namespaced(other.client("default"));
    assert!(shops.list(&ListParams::default()).await.is_err());
    other.install::<Shop>().await.unwrap();
    assert_eq!(shops.get("a").await.unwrap().spec.size, 1);
}

#[tokio::test(start_paused = true)]
async fn another_cluster_can_start_from_a_snapshot() {
    let cluster = TestCluster::start().await;
    cluster.install::<Shop>().await.unwrap();
    let space = cluster.namespace().await.unwrap();
    let maps = space.api::<ConfigMap>();
    let first = maps.create(&PostParams::default(), &map("a", "1")).await.unwrap();
    space.api().create(&PostParams::default(), &Shop::new("a", ShopSpec { size: 1 })).await.unwrap();
    deploy(&space, 2).await;
    tokio::time::sleep(std::time::Duration::from_secs(60 * 60)).await;
    cluster.settled().await;

    let other = TestCluster::start_from(&cluster.snapshot()).await.unwrap();
    let client = other.client(space.name());
    let others: Api<ConfigMap> = Api::default_namespaced(client.clone());
    let same = others.get("a").await.unwrap();
    assert_eq!(
        (&same.data, same.uid(), same.creation_timestamp()),
        (&first.data, first.uid(), first.creation_timestamp())
    );
    assert_eq!(Api::<Shop>::default_namespaced(client.clone()).get("a").await.unwrap().spec.size, 1);
    let deployments: Api<Deployment> = Api::default_namespaced(client.clone());
    let wider = Patch::Merge(json!({"spec": {"replicas": 3}}));
    deployments.patch("web", &PatchParams::default(), &wider).await.unwrap();
    other.settled().await;
    let pods = |client| async {
        let pods = Api::<Pod>::default_namespaced(client).list(&ListParams::default()).await.unwrap().items;
        pods.iter().map(|pod| pod.uid().unwrap()).collect::<std::collections::BTreeSet<_>>()
    };
    let (before, after) = (pods(cluster.client(space.name())).await, pods(client).await);
    assert_eq!((before.len(), after.len()), (2, 3), "the clusters share nothing");
    assert!(after.is_superset(&before), "no uid is given twice");
    let late = others.create(&PostParams::default(), &map("b", "2")).await.unwrap().creation_timestamp().unwrap();
    assert!(
        late.0.as_second() - first.creation_timestamp().unwrap().0.as_second() >= 60 * 60,
        "the clock of the new cluster continues"
    );
}

#[cfg(feature = "serve")]
#[tokio::test]
async fn clients_in_other_processes_can_use_a_served_cluster() {
    let mut cluster = TestCluster::start().await;
    let served = cluster.serve().unwrap();
    let client = kube::Client::try_from(served.config()).unwrap();
    let maps: Api<ConfigMap> = Api::default_namespaced(client);
    maps.create(&PostParams::default(), &map("a", "1")).await.unwrap();
    let inside: Api<ConfigMap> = Api::default_namespaced(cluster.client("default"));
    assert!(inside.get_opt("a").await.unwrap().is_some());
    let kubeconfig: Value = serde_json::from_str(&served.kubeconfig()).unwrap();
    assert_eq!(kubeconfig["clusters"][0]["cluster"]["server"], format!("http://{}", served.address()));
    let kubeconfig = serde_json::from_value(kubeconfig).unwrap();
    let config = kube::Config::from_custom_kubeconfig(kubeconfig, &kube::config::KubeConfigOptions::default()).await;
    assert_eq!(config.unwrap().cluster_url, served.config().cluster_url);
}
