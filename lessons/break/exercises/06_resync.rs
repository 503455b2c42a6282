//! Keeps a load balancer in step with the cluster. The load balancer is down now and then; a resync every 30 seconds makes up for it.
//!
//! `informer-lab break resync` describes the problem, `informer-lab check resync` judges the program.

use std::time::Duration;

use futures::{StreamExt, try_join};
use kube_informers::cache::{BoxError, HandlerOptions, Notification, SharedIndexInformer};

use crate::trial::Trial;

pub async fn run(trial: Trial) -> Result<(), BoxError> {
    let informer =
        SharedIndexInformer::builder(trial.pods()).resync(Duration::from_secs(30)).observer(trial.observer());
    let informer = informer.build();
    let mut changes = informer.subscribe(HandlerOptions::new())?;
    let balancer = trial.balancer();

    let inform = async { Ok(informer.clone().run(trial.stop()).await?) };
    let follow = async {
        while let Some(change) = changes.next().await {
            let key = change.key();
            let result = match change {
                Notification::Add { .. } | Notification::Update { .. } => balancer.add(&key).await,
                Notification::Delete(_) => balancer.remove(&key).await,
            };
            if let Err(error) = result {
                trial.log(format!("{key}: {error}; the next resync brings it again"));
            }
        }
        Ok::<_, BoxError>(())
    };
    try_join!(inform, follow)?;
    Ok(())
}
