//! Prints every change of every pod: `cargo run -p kube-informers --example pod_logger`.
#![expect(clippy::print_stdout, reason = "the example prints its result")]

use futures::StreamExt;
use k8s_openapi::api::core::v1::Pod;
use kube::{Client, ResourceExt};
use kube_informers::cache::{BoxError, Deletion, HandlerOptions, ListWatch, Notification, SharedIndexInformer};
use tokio_util::sync::CancellationToken;

/// Runs until it is interrupted.
// `pub`, because `tests/it/examples.rs` includes this file as a module.
#[tokio::main]
pub async fn main() -> Result<(), BoxError> {
    tracing_subscriber::fmt::init(); // without it, the reason why a list or a watch fails is not shown
    run(Client::try_default().await?, CancellationToken::new(), |line| println!("{line}")).await
}

/// Prints a line for each change, until `stop`.
pub async fn run(client: Client, stop: CancellationToken, mut print: impl FnMut(String)) -> Result<(), BoxError> {
    let informer = SharedIndexInformer::new(ListWatch::<Pod>::all(client));
    // A subscription is a stream with its own buffer. Any number of subscriptions share the informer's one watch.
    let mut changes = informer.subscribe(HandlerOptions::new())?;
    let running = tokio::spawn(informer.run(stop));

    while let Some(change) = changes.next().await {
        print(match change {
            Notification::Add { object: pod, initial } => {
                format!("add {} ({}, {initial:?})", pod.name_any(), phase(&pod))
            }
            // Unlike kube-runtime's watcher, the informer delivers the old object too.
            Notification::Update { old, new } => {
                format!("update {} ({} -> {})", new.name_any(), phase(&old), phase(&new))
            }
            Notification::Delete(Deletion::Final(pod)) => format!("delete {}", pod.name_any()),
            // The watch missed the deletion, and a relist no longer contains the pod. So its final state is unknown.
            Notification::Delete(Deletion::FinalStateUnknown { key, .. }) => format!("delete {key}, missed"),
        });
    }
    Ok(running.await??) // the stream has ended because the informer has
}

fn phase(pod: &Pod) -> &str {
    pod.status.as_ref().and_then(|status| status.phase.as_deref()).unwrap_or("no phase")
}
