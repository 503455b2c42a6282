//! Lesson `memory`: what an informer receives and keeps of each pod, if it keeps everything, transforms the objects,
//! asks for their metadata only, or decodes a part of them.
//!
//! Chapter: `lessons/24-scope-and-memory`. Trace: `fixtures/traces/memory.txt`.

mod received;

use std::sync::Arc;
use std::time::Duration;

use anyhow::Result;
use futures::try_join;
use k8s_openapi::api::core::v1::Pod;
use serde::{Deserialize, Serialize};
use tokio::time::sleep;

use crate::lab::Lab;
use crate::trace::Style;
use kube_informers::cache::{ListWatch, Meta, Object, SharedIndexInformer, SharedIndexInformerBuilder, WatchList};
use received::Received;

// ANCHOR: memory
/// Fills a cache of the same pods in four ways.
pub async fn run(lab: &Lab) -> Result<()> {
    lab.stop().run_until_cancelled(sleep(Duration::from_secs(4))).await; // by now nettool runs
    lab.print(Style::Plain, format_args!("{:<14}{:>9}{:>9}", "", "received", "kept"));
    let pods = |received: &Received| ListWatch::<Pod>::namespaced(received.client(lab), lab.namespace());

    let received = Received::default();
    keep(lab, "whole", &received, SharedIndexInformer::builder(pods(&received))).await?;

    let received = Received::default();
    let transformed = SharedIndexInformer::builder(pods(&received)).transformer(|pod: Arc<Pod>| {
        let mut pod = Arc::unwrap_or_clone(pod);
        pod.metadata.managed_fields = None;
        pod.status = None;
        Ok(pod.into())
    });
    keep(lab, "transform", &received, transformed).await?;

    let received = Received::default();
    let metadata = SharedIndexInformer::builder(pods(&received).metadata_only());
    keep(lab, "metadata only", &received, metadata).await?;

    let received = Received::default();
    let projection = SharedIndexInformer::builder(pods(&received).read_as::<Placed>());
    keep(lab, "projection", &received, projection).await
}

/// The part of a pod that a program reads which asks for the pods of a node. The decoder skips everything else.
#[derive(Debug, Deserialize, Serialize)]
struct Placed {
    metadata: Identity,
    spec: Placement,
}

#[derive(Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
struct Identity {
    namespace: String,
    name: String,
    resource_version: String,
}

#[derive(Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
struct Placement {
    node_name: Option<String>,
}

impl Object for Placed {
    fn meta(&self) -> Meta<'_> {
        Meta::new(&self.metadata.namespace, &self.metadata.name, &self.metadata.resource_version)
    }
}
// ANCHOR_END: memory

/// Runs an informer until it is synced, and prints the bytes of JSON that it has received and kept.
async fn keep<T>(lab: &Lab, name: &str, received: &Received, informer: SharedIndexInformerBuilder<T>) -> Result<()>
where
    T: Object + Serialize + Send + Sync + 'static,
{
    // A streaming list would add some bytes to each object.
    let informer = lab.informer_with(informer, |options| options.watch_list(WatchList::No));
    let stop = lab.stop().child_token();
    let wait = async {
        let _ = informer.synced().wait().await; // `Never` if the lab stops first
        stop.cancel();
        anyhow::Ok(())
    };
    let run = async { Ok(informer.clone().run(stop.clone()).await?) };
    try_join!(wait, run)?;
    if !informer.has_synced() {
        return Ok(());
    }

    let mut kept = 0;
    for object in &informer.reader().list() {
        kept += serde_json::to_vec(&**object)?.len();
    }
    lab.print(Style::Plain, format_args!("{name:<14}{:>9}{kept:>9}", received.bytes()));
    Ok(())
}
