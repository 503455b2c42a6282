//! A kube-runtime `Controller` on a shared informer:
//! `cargo run -p kube-informers --example kube_controller --features runtime`.
//!
//! `Controller::for_stream` needs kube-runtime's feature `unstable-runtime-stream-control`.
#![expect(clippy::print_stdout, reason = "the example prints its result")]

use std::convert::Infallible;
use std::sync::Arc;

use futures::StreamExt;
use k8s_openapi::api::core::v1::Pod;
use kube::{Client, ResourceExt};
use kube_informers::cache::{BoxError, HandlerOptions, ListWatch, SharedIndexInformer};
use kube_informers::runtime::WatcherEvents;
use kube_runtime::controller::Action;
use kube_runtime::{Controller, WatchStreamExt, reflector};
use tokio_util::sync::CancellationToken;

/// Runs until it is interrupted.
// `pub`, because `tests/it/examples.rs` includes this file as a module.
#[tokio::main]
pub async fn main() -> Result<(), BoxError> {
    tracing_subscriber::fmt::init(); // without it, the reason why a list or a watch fails is not shown
    let informer = SharedIndexInformer::new(ListWatch::<Pod>::all(Client::try_default().await?));
    run(informer, CancellationToken::new(), |line| println!("{line}")).await
}

/// Reconciles the pods of an informer, which may have other handlers and indices, until `stop`.
pub async fn run(
    informer: SharedIndexInformer<Pod>,
    stop: CancellationToken,
    print: impl Fn(String) + Send + Sync + 'static,
) -> Result<(), BoxError> {
    // The controller has its own store, which the informer fills. So the API server serves only one list and one watch.
    let (store, writer) = reflector::store();
    let events = WatcherEvents::of(informer.subscribe(HandlerOptions::new())?);
    let pods = kube_runtime::reflector(writer, events).applied_objects();

    let controller = Controller::for_stream(pods, store)
        .graceful_shutdown_on(stop.clone().cancelled_owned())
        .run(reconcile, |_, error, _| match *error {}, Arc::new(print))
        .for_each(async |_| {});
    let (informed, ()) = tokio::join!(informer.run(stop), controller);
    Ok(informed?)
}

async fn reconcile(pod: Arc<Pod>, print: Arc<impl Fn(String)>) -> Result<Action, Infallible> {
    print(format!("reconcile {}", pod.name_any()));
    Ok(Action::await_change())
}
