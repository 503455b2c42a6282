//! Tests clients of a cluster that replaces an earlier cluster at the same address.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use http::Request;
use k8s_openapi::api::core::v1::Pod;
use kube_informers::cache::{HandlerFuncs, Informer, ListWatch};
use kube_testcluster::{Cluster, Era};
use serde_json::{Value, json};
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;
use tower::{ServiceExt, service_fn};

use crate::support::api::{Api, PODS, quiet};

/// An address that can be moved from one cluster to the next.
#[derive(Clone)]
struct Address(Arc<Mutex<Router>>);

impl Address {
    fn of(cluster: &Cluster) -> Self {
        Self(Arc::new(Mutex::new(cluster.router())))
    }

    /// Moves the address to this cluster.
    fn belongs_to(&self, cluster: &Cluster) {
        *self.0.lock().unwrap() = cluster.router();
    }

    fn client(&self) -> kube::Client {
        let routers = self.0.clone();
        let service = service_fn(move |request: Request<kube::client::Body>| {
            let router = routers.lock().unwrap().clone();
            router.oneshot(request)
        });
        kube::Client::new(service, "default")
    }
}

#[tokio::test(start_paused = true)]
async fn an_informer_of_an_earlier_cluster_follows_the_next_cluster() {
    for era in [Era::Classic, Era::Modern] {
        let earlier = quiet().era(era).first_revision(1_000).start();
        let address = Address::of(&earlier);
        Api::new(&earlier).pod("old", &json!({})).await;
        let informer = Informer::new(ListWatch::<Pod>::namespaced(address.client(), "default"), HandlerFuncs::new());
        let handle = informer.handle();
        let stop = CancellationToken::new();
        let running = tokio::spawn(informer.run(stop.clone()));
        sleep(Duration::from_secs(1)).await;
        assert!(handle.reader().get("default/old").is_some());

        let next = quiet().era(era).first_revision(2_000).start();
        address.belongs_to(&next);
        earlier.shutdown().await;
        Api::new(&next).pod("new", &json!({})).await;
        sleep(Duration::from_secs(10)).await;
        assert!(handle.reader().get("default/new").is_some(), "{era:?}: the informer follows the next cluster");
        assert!(handle.reader().get("default/old").is_none(), "{era:?}: the object of the earlier cluster is removed");

        stop.cancel();
        running.await.unwrap();
        next.shutdown().await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_resource_version_of_an_earlier_cluster_is_expired() {
    for era in [Era::Classic, Era::Modern] {
        let earlier = Api::new(&quiet().era(era).first_revision(1_000).start());
        let old = earlier.pod("a", &json!({})).await;
        earlier.pod("b", &json!({})).await;
        let page = earlier.get(&format!("{PODS}?limit=1")).await;
        let token = page.body["metadata"]["continue"].as_str().unwrap();

        let next = Api::new(&quiet().era(era).first_revision(2_000).start());
        let event = next.watch(&format!("resourceVersion={old}")).await.next().await.unwrap();
        assert_eq!((&event["type"], &event["object"]["code"]), (&json!("ERROR"), &json!(410)), "{event}");
        assert_eq!(event["object"]["message"], format!("too old resource version: {old} (2000)"));

        let exact = format!("{PODS}?resourceVersion={old}&resourceVersionMatch=Exact");
        for path in [exact, format!("{PODS}?limit=1&resourceVersion={old}"), format!("{PODS}?limit=1&continue={token}")]
        {
            let answer = next.get(&path).await;
            assert_eq!((answer.status, &answer.body["reason"]), (410, &json!("Expired")), "{path}");
        }
        // As in upstream, a list that must not be older than a past revision gets the current state.
        assert_eq!(next.get(&format!("{PODS}?resourceVersion={old}")).await.names(), Vec::<&str>::new());
    }
}

#[tokio::test(start_paused = true)]
async fn revisions_begin_at_the_configured_first_revision() {
    let first = |builder: kube_testcluster::ClusterBuilder| async move {
        let list: Value = Api::new(&builder.start()).get("/api/v1/namespaces?limit=1").await.body;
        list["items"][0]["metadata"]["resourceVersion"].as_str().unwrap().parse::<u64>().unwrap()
    };
    assert_eq!(first(quiet()).await, 2);
    assert_eq!(first(quiet().first_revision(0)).await, 2);
    // The first number is a time in microseconds since 1970, with which clusters of the command line begin. The second
    // is cut to the largest first revision, `1 << 62`.
    assert_eq!(first(quiet().first_revision(1_795_325_784_000_000)).await, 1_795_325_784_000_001);
    assert_eq!(first(quiet().first_revision(u64::MAX)).await, (1 << 62) + 1);
}
