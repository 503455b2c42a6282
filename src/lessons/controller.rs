//! A controller: as many pods as each ReplicaSet asks for, whatever happens to them.
//!
//! Chapter: `lessons/controller.md`. Traces: `fixtures/traces/controller*.txt`.

mod expectations;
mod handlers;
mod pods;
mod sync;

use std::sync::Arc;
use std::time::Duration;

use anyhow::Result;
use k8s_openapi::api::apps::v1::ReplicaSet;
use k8s_openapi::api::core::v1::Pod;

use crate::cache::{GroupResource, Indexer, Lister, SharedInformerFactory, wait_for};
use crate::lab::Lab;
use crate::workqueue::{RateLimitingQueue, default_controller_limiter};
use expectations::Expectations;
use handlers::{OfPods, OfSets};

/// The label of the ReplicaSets that this controller looks after; it leaves all others alone.
const OURS: (&str, &str) = ("controller", "informer-lab");

/// The index of the pods by the uid of the ReplicaSet that they belong to.
const OWNER: &str = "owner";

/// How many keys are worked on at a time; never the same one twice.
const WORKERS: usize = 2;

/// What the handlers fill and the workers empty.
struct Controller {
    lab: Lab,
    sets: Lister<ReplicaSet>,
    pods: Arc<Indexer<Pod>>,
    queue: RateLimitingQueue<String>,
    expectations: Expectations,
}

/// Runs the controller until the lab stops.
pub async fn run(lab: &Lab) -> Result<()> {
    let factory = lab.factory(SharedInformerFactory::new(lab.client()).namespace(lab.namespace()));
    let factory = factory.resync(Duration::from_secs(30));
    let (sets, pods) = (factory.informer::<ReplicaSet>(), factory.informer::<Pod>());
    let owner = |pod: &Pod| Ok(pods::owner(pod).map(|owner| owner.uid.clone()).into_iter().collect());
    pods.add_indexers(vec![(OWNER.to_owned(), Arc::new(owner))])?;
    let controller = Arc::new(Controller {
        lab: lab.clone(),
        sets: Lister::new(sets.indexer(), GroupResource::of::<ReplicaSet>()),
        pods: pods.indexer(),
        queue: RateLimitingQueue::new(default_controller_limiter()),
        expectations: Expectations::default(),
    });
    let handlers = [
        sets.add_event_handler(OfSets(controller.clone()))?.synced(),
        pods.add_event_handler(OfPods(controller.clone()))?.synced(),
    ];

    factory.start(&lab.stop());
    // A worker that counted pods in a cache that is still being filled would create what is there already.
    if wait_for(&lab.stop(), &handlers).await {
        lab.tell("the caches are filled: the workers begin", "缓存已填满：worker 开始工作");
        let stop = async {
            lab.stop().cancelled().await;
            controller.queue.shut_down();
        };
        let workers = (0..WORKERS).map(|_| controller.work());
        futures::join!(stop, futures::future::join_all(workers));
    }
    factory.shutdown().await;
    Ok(())
}

impl Controller {
    fn is_ours(set: &ReplicaSet) -> bool {
        let label = set.metadata.labels.as_ref().and_then(|labels| labels.get(OURS.0));
        label.is_some_and(|value| value == OURS.1)
    }

    /// Takes one key after the other. What failed comes again, later each time.
    async fn work(&self) {
        while let Some(key) = self.queue.get().await {
            match self.sync(&key).await {
                Ok(()) => self.queue.forget(&key),
                Err(error) => {
                    self.lab.retrying(&error);
                    self.queue.add_rate_limited(key.clone());
                }
            }
            self.queue.done(&key);
        }
    }
}
