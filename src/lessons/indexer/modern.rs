//! Lesson `indexer --serve --era modern`: adds an index to the library's informer, which has an Indexer of its own, and
//! serves it over HTTP.

use anyhow::Result;
use futures::try_join;
use k8s_openapi::api::core::v1::Pod;

use super::label::app_label;
use super::serve::{narrate_values, router};
use crate::lab::Lab;
use crate::lessons::shared::pod_handler::PodHandler;
use kube_informers::cache::{ListWatch, SharedIndexInformer};

// ANCHOR: modern
/// Keeps an index up to date by list and watch, and answers HTTP requests from it.
pub async fn serve(lab: &Lab) -> Result<()> {
    let pods = ListWatch::<Pod>::namespaced(lab.client(), lab.namespace());
    let informer = lab.informer(SharedIndexInformer::builder(pods));
    let by_app = informer.index("app", app_label)?;
    informer.add_event_handler(PodHandler::new(lab, 0, ""))?;

    let serve = async {
        narrate_values(lab, "before the first list", "第一次 list 之前", &by_app);
        if informer.synced().await.is_ok() {
            narrate_values(lab, "after it", "第一次 list 之后", &by_app);
            lab.serve(router(by_app)).await?;
        }
        anyhow::Ok(())
    };
    let run = async { Ok(informer.clone().run(lab.stop()).await?) };
    try_join!(serve, run)?;
    Ok(())
}
// ANCHOR_END: modern
