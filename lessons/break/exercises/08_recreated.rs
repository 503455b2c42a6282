//! Keeps a load balancer in step with the cluster. A backend is a pod's uid, so that a pod of the same name is another backend.
//!
//! `informer-lab break recreated` describes the problem, `informer-lab check recreated` judges the program.

use futures::{StreamExt, try_join};
use k8s_openapi::api::core::v1::Pod;
use kube_informers::cache::{BoxError, HandlerOptions, Notification, SharedIndexInformer};

use crate::trial::Trial;

pub async fn run(trial: Trial) -> Result<(), BoxError> {
    let informer = SharedIndexInformer::builder(trial.pods()).observer(trial.observer()).build();
    let mut changes = informer.subscribe(HandlerOptions::new())?;
    let balancer = trial.balancer();

    let inform = async { Ok(informer.clone().run(trial.stop()).await?) };
    let follow = async {
        while let Some(change) = changes.next().await {
            match change {
                Notification::Add { object: pod, .. } => balancer.add(uid(&pod)).await?,
                Notification::Update { .. } => {} // a pod keeps its uid as long as it lives
                Notification::Delete(deletion) => {
                    if let Some(pod) = deletion.object() {
                        balancer.remove(uid(pod)).await?;
                    }
                }
            }
        }
        Ok::<_, BoxError>(())
    };
    try_join!(inform, follow)?;
    Ok(())
}

fn uid(pod: &Pod) -> &str {
    pod.metadata.uid.as_deref().unwrap_or_default()
}
