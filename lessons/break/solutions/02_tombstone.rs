//! Keeps a load balancer in step with the cluster: every pod that exists is a backend.
//!
//! `informer-lab break tombstone` describes the problem, `informer-lab check tombstone` judges the program.

use futures::{StreamExt, try_join};
use kube_informers::cache::{
    BoxError, HandlerOptions, Notification, SharedIndexInformer, deletion_key, meta_namespace_key,
};

use crate::trial::Trial;

pub async fn run(trial: Trial) -> Result<(), BoxError> {
    let informer = SharedIndexInformer::builder(trial.pods()).observer(trial.observer()).build();
    let mut changes = informer.subscribe(HandlerOptions::new())?;
    let balancer = trial.balancer();

    let inform = async { Ok(informer.clone().run(trial.stop()).await?) };
    let follow = async {
        while let Some(change) = changes.next().await {
            match change {
                Notification::Add { object: pod, .. } | Notification::Update { new: pod, .. } => {
                    balancer.add(&meta_namespace_key(&*pod)).await?;
                }
                Notification::Delete(deletion) => {
                    balancer.remove(&deletion_key(&deletion)).await?; // a tombstone has a key too
                }
            }
        }
        Ok::<_, BoxError>(())
    };
    try_join!(inform, follow)?;
    Ok(())
}
