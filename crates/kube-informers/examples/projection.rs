//! An informer that keeps only a few fields of each pod: `cargo run -p kube-informers --example projection`.
//!
//! The decoder skips all other fields, so they never take memory.
#![expect(clippy::print_stdout, reason = "the example prints its result")]

use std::collections::BTreeMap;

use k8s_openapi::api::core::v1::Pod;
use kube::Client;
use kube_informers::cache::{BoxError, ListWatch, Meta, Object, SharedIndexInformer, SlimMeta};
use serde::Deserialize;
use tokio_util::sync::CancellationToken;

/// The fields of a pod that this program needs.
#[derive(Debug, Deserialize)]
struct Placed {
    metadata: SlimMeta, // namespace, name, uid, resourceVersion and labels
    spec: Placement,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Placement {
    node_name: Option<Box<str>>,
}

impl Object for Placed {
    fn meta(&self) -> Meta<'_> {
        self.metadata.meta()
    }
}

/// Prints a line for each node.
// `pub`, because `tests/it/examples.rs` includes this file as a module.
#[tokio::main]
pub async fn main() -> Result<(), BoxError> {
    tracing_subscriber::fmt::init(); // without it, the reason why a list or a watch fails is not shown
    for (node, pods) in pods_per_node(Client::try_default().await?).await? {
        println!("{node}: {pods}");
    }
    Ok(())
}

/// Returns the number of pods on each node.
pub async fn pods_per_node(client: Client) -> Result<BTreeMap<String, usize>, BoxError> {
    let informer = SharedIndexInformer::new(ListWatch::<Pod>::all(client).read_as::<Placed>());
    let stop = CancellationToken::new();
    let running = tokio::spawn(informer.clone().run(stop.clone()));
    informer.synced().wait().await?;

    let mut pods = BTreeMap::new();
    for pod in informer.reader().list().iter() {
        let node = pod.spec.node_name.as_deref().unwrap_or("no node");
        *pods.entry(node.to_owned()).or_default() += 1;
    }
    stop.cancel();
    running.await??;
    Ok(pods)
}
