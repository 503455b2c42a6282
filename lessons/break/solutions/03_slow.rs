//! Shows every pod on a dashboard, which needs a second for each change.
//!
//! `informer-lab break slow` describes the problem, `informer-lab check slow` judges the program.

use k8s_openapi::api::core::v1::Pod;
use kube_informers::cache::{BoxError, Buffer, HandlerOptions, Notification, SharedIndexInformer};

use crate::trial::Trial;

pub async fn run(trial: Trial) -> Result<(), BoxError> {
    let informer = SharedIndexInformer::builder(trial.pods()).observer(trial.observer()).build();
    let dashboard = trial.dashboard();
    let show = move |change: Notification<Pod>| {
        let dashboard = dashboard.clone();
        async move {
            if let Some(pod) = change.object() {
                dashboard.show(pod).await; // takes a second, and longer while the dashboard is busy
            }
        }
    };
    informer.add_event_handler_with(show, HandlerOptions::new().buffer(Buffer::Coalesced))?;
    Ok(informer.run(trial.stop()).await?)
}
