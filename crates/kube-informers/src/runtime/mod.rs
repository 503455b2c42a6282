//! Bridges to kube-runtime (feature `runtime`), whose stores and controllers can use an informer instead of their own
//! list and watch.
//!
//! [`WatcherEvents`] converts a subscription to the event stream of kube-runtime's `watcher`. A
//! [`reflector`](kube_runtime::reflector()) fills a store from this stream, a [`Controller`](kube_runtime::Controller)
//! uses the stream and the store, and the API server gets only one list and watch:
//!
//! ```
//! # #[tokio::main(flavor = "current_thread", start_paused = true)] async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use futures::StreamExt;
//! use k8s_openapi::api::core::v1::Namespace;
//! use kube_informers::cache::{HandlerOptions, ListWatch, SharedIndexInformer};
//! use kube_informers::runtime::WatcherEvents;
//! use kube_runtime::reflector::{self, ObjectRef};
//! use tokio_util::sync::CancellationToken;
//!
//! # let cluster = kube_testcluster::Cluster::builder().start();
//! # let client = cluster.client("default");
//! let informer = SharedIndexInformer::new(ListWatch::<Namespace>::all(client));
//! let events = WatcherEvents::of(informer.subscribe(HandlerOptions::new())?);
//! let (store, writer) = reflector::store();
//! tokio::spawn(kube_runtime::reflector(writer, events).for_each(async |_| {}));
//!
//! tokio::spawn(informer.run(CancellationToken::new()));
//! store.wait_until_ready().await?;
//! assert!(store.get(&ObjectRef::new("kube-system")).is_some());
//! # Ok(()) }
//! ```
//!
//! # Controllers
//!
//! `Controller::for_stream` and `owns_stream` take a stream instead of an `Api`. They need kube-runtime's feature
//! `unstable-runtime-stream-control`, and the example `kube_controller` uses them. Without that feature, use
//! [`applier`](kube_runtime::applier) with [`trigger_self`](kube_runtime::controller::trigger_self), or, directly on
//! notifications, with [`trigger_with`](kube_runtime::controller::trigger_with) and `ObjectRef::from(&notification)`.
//!
//! # Limits
//!
//! - A kube-runtime store holds its own clone of each object, so the objects take memory twice. Controllers of one kind
//!   should share one store (`reflector::store_shared`, with kube-runtime's feature `unstable-runtime-subscribe`).
//! - The events contain neither the old object nor whether the object changed: an update and a resync are both `Apply`.
//!   A tombstone is a `Delete` with the last known state.
//! - `Init` comes only once, at the beginning. After a relist, the informer computes the changes, and the stream
//!   contains only those.
//! - The stream contains no errors. Failures of the list and the watch are reported to the informer's
//!   [`on_error`](crate::cache::ReflectorOptions::on_error) and to the log.

mod object_ref;
mod watcher_events;

pub use watcher_events::WatcherEvents;
