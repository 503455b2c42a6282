//! Finds pods by their node with an index, without a request to the API server:
//! `cargo run -p kube-informers --example index`.
#![expect(clippy::print_stdout, reason = "the example prints its result")]

use k8s_openapi::api::core::v1::Pod;
use kube::{Client, ResourceExt};
use kube_informers::cache::{BoxError, ListWatch, SharedIndexInformer};
use tokio_util::sync::CancellationToken;

/// Takes the name of the node as its argument.
// `pub`, because `tests/it/examples.rs` includes this file as a module.
#[tokio::main]
pub async fn main() -> Result<(), BoxError> {
    tracing_subscriber::fmt::init(); // without it, the reason why a list or a watch fails is not shown
    let node = std::env::args().nth(1).unwrap_or_else(|| "node-1".to_owned());
    println!("{}", pods_on(Client::try_default().await?, &node).await?.join("\n"));
    Ok(())
}

/// Returns the names of the pods on a node, sorted.
pub async fn pods_on(client: Client, node: &str) -> Result<Vec<String>, BoxError> {
    // An index function returns the values under which an object can be found: none, one or several.
    let informer = SharedIndexInformer::new(ListWatch::<Pod>::all(client));
    let by_node =
        informer.index("node", |pod: &Pod| pod.spec.iter().filter_map(|spec| spec.node_name.as_deref()).collect())?;

    let stop = CancellationToken::new();
    let running = tokio::spawn(informer.clone().run(stop.clone()));
    informer.synced().wait().await?; // the store is incomplete before that

    let mut names: Vec<String> = by_node.get(node).iter().map(|pod| pod.name_any()).collect();
    names.sort();
    stop.cancel();
    running.await??;
    Ok(names)
}
