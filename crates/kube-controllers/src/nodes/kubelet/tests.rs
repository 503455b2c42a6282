//! Tests of the kubelet with a server that loses races on purpose.

use std::collections::VecDeque;
use std::sync::Mutex;

use futures::future::BoxFuture;
use futures::{FutureExt, StreamExt, stream};
use kube_client::Error;
use kube_core::Status;
use kube_machinery::kinds::Resource;
use kube_machinery::value::{Value, json};
use kube_testcluster::Cluster;

use super::pod_worker::PodWorker;
use super::*;
use crate::nodes::requests::{Answer, Author, ObjectRef};
use crate::nodes::scheduler::testing::{self, received};

/// A server that has one pod, and whose watches end at once.
#[derive(Debug, Default)]
struct Server {
    pod: Value,
    /// The pods at the beginning of each watch.
    lists: Mutex<VecDeque<Vec<Value>>>,
}

impl Requests for Server {
    fn get(&self, _: ObjectRef) -> Answer<'_, Received> {
        async { Ok(received(self.pod.clone())) }.boxed()
    }

    fn changed(&self, _: Vec<ObjectRef>) -> BoxFuture<'static, ()> {
        std::future::pending().boxed()
    }

    fn watch(&self, _: &'static Resource) -> ObjectWatch {
        let pods = self.lists.lock().unwrap().pop_front().unwrap_or_default();
        let objects = Box::new(pods.into_iter().map(received));
        ObjectWatch { objects, revision: 1, changes: stream::empty().boxed() }
    }

    fn create(&self, _: Author, _: &'static Resource, _: String, _: Value) -> Answer<'_, ()> {
        async { Ok(()) }.boxed()
    }

    /// Answers that another client was faster.
    fn bind(&self, _: ObjectRef, _: Value) -> Answer<'_, Received> {
        async { Err(Error::Api(Status::failure("bound already", "Conflict").with_code(409).boxed())) }.boxed()
    }

    fn patch(&self, _: Author, _: ObjectRef, _: Value) -> Answer<'_, Received> {
        async { Ok(received(self.pod.clone())) }.boxed()
    }

    fn write_status(&self, _: Author, _: ObjectRef, _: String, status: Value) -> Answer<'_, Received> {
        let mut pod = self.pod.clone();
        pod["status"] = status;
        async { Ok(received(pod)) }.boxed()
    }

    fn patch_node_status(&self, _: String, _: String, _: Value) -> Answer<'_, ()> {
        async { Ok(()) }.boxed()
    }
}

/// Returns a kubelet of nodes of these names, each with 4 CPUs.
fn kubelet(server: Server, nodes: &[&str]) -> Kubelet {
    let client = Cluster::builder().start().client("default");
    let (stages, clock) = (Stages::named("fast").unwrap(), Clock::starting_now());
    let mut kubelet = Kubelet::new(client, Arc::new(server), stages, clock, Arc::default(), watch::Sender::default());
    kubelet.context.scheduler = Some(testing::scheduler(nodes));
    kubelet
}

/// Returns a pod of 3 CPUs with this status, on a node if one is given.
fn pod(uid: &str, node: Option<&str>, status: Value) -> Value {
    let containers = json!([{"name": "main", "resources": {"requests": {"cpu": "3"}}}]);
    let mut pod = testing::pod(uid, json!({}), json!({"nodeName": node, "containers": containers}));
    pod["status"] = status;
    pod
}

fn pending() -> Value {
    json!({"phase": "Pending"})
}

fn running() -> Value {
    json!({"phase": "Running", "startTime": "2023-05-01T10:00:00Z"})
}

#[tokio::test(start_paused = true)]
async fn a_pod_that_another_scheduler_binds_at_the_same_moment_must_fit_too() {
    for (theirs, phase) in [("full", "Failed"), ("spare", "Pending")] {
        let server = Server { pod: pod("late", Some(theirs), pending()), ..Server::default() };
        let mut kubelet = kubelet(server, &["full", "spare"]);
        let scheduler = kubelet.context.scheduler.clone().unwrap();
        scheduler.observe(&received(pod("early", Some("full"), running())));
        let unbound = received(pod("late", None, pending()));
        let mut worker = PodWorker::new(kubelet.context.clone(), unbound, String::new());
        worker.schedule().await.unwrap();
        assert_eq!((&worker.pod["status"]["phase"], worker.is_over), (&json!(phase), phase == "Failed"), "{theirs}");
        kubelet.running.shutdown().await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_pod_that_was_deleted_during_a_gap_in_the_watch_takes_nothing_from_a_new_one() {
    let lists = [pod("old", Some("a"), running()), pod("new", Some("a"), pending())].map(|pod| vec![pod]);
    let mut kubelet = kubelet(Server { lists: Mutex::new(lists.into()), ..Server::default() }, &["a"]);
    kubelet.follow().await;
    kubelet.follow().await;
    let scheduler = kubelet.context.scheduler.clone().unwrap();
    assert_eq!(scheduler.not_admitted("new").map(|answer| answer.message), None);
    let other = received(pod("other", Some("a"), pending()));
    scheduler.admit(&other);
    assert!(scheduler.not_admitted("other").is_some(), "the new pod counts");
    kubelet.running.shutdown().await;
}
