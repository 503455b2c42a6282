//! A controller that looks every second whether there are three pods, and creates those that are missing.
//!
//! `informer-lab break stale` describes the problem, `informer-lab check stale` judges the program.

use std::time::Duration;

use futures::try_join;
use k8s_openapi::api::core::v1::{Container, Pod, PodSpec};
use kube::Api;
use kube::api::{ObjectMeta, PostParams};
use kube_informers::cache::{BoxError, SharedIndexInformer};
use kube_informers::workqueue::{Action, WorkQueue};

use crate::trial::Trial;

const WANTED: usize = 3;

pub async fn run(trial: Trial) -> Result<(), BoxError> {
    let informer = SharedIndexInformer::builder(trial.pods()).observer(trial.observer()).build();
    let pods = informer.reader();
    let api: Api<Pod> = Api::default_namespaced(trial.client());
    let (queue, stop) = (WorkQueue::new(), trial.stop());

    let reconcile = async |_: &str| {
        for _ in pods.len()..WANTED {
            api.create(&PostParams::default(), &web()).await?;
        }
        Ok::<_, BoxError>(Action::RequeueAfter(Duration::from_secs(1)))
    };
    let inform = async { Ok(informer.clone().run(stop.clone()).await?) };
    let work = async {
        informer.synced().await?;
        queue.add("web");
        queue.workers(1, reconcile).run(&stop).await?;
        Ok::<_, BoxError>(())
    };
    try_join!(inform, work)?;
    Ok(())
}

/// Returns a new pod to create. The server generates the end of its name.
fn web() -> Pod {
    let metadata = ObjectMeta { generate_name: Some("web-".to_owned()), ..ObjectMeta::default() };
    let container = Container { name: "main".to_owned(), image: Some("nginx".to_owned()), ..Container::default() };
    let spec = PodSpec { containers: vec![container], ..PodSpec::default() };
    Pod { metadata, spec: Some(spec), ..Pod::default() }
}
