//! Bridges to kube-runtime (feature `runtime`): its stores and controllers on the list and watch of an informer.
//!
//! [`WatcherEvents`] makes of a subscription what kube-runtime's `watcher` gives. A [`reflector`](kube_runtime::reflector()) fills a
//! store from it, and a [`Controller`](kube_runtime::Controller) works on both. The informer's handlers, indices and other
//! subscriptions go on as before, and the API server is asked once:
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
//! `Controller::for_stream` and `owns_stream`, which take a stream instead of an `Api`, need kube-runtime's feature
//! `unstable-runtime-stream-control`; the example `kube_controller` uses them. Without it,
//! [`applier`](kube_runtime::applier) does the same with [`trigger_self`](kube_runtime::controller::trigger_self) or, straight from
//! notifications, with [`trigger_with`](kube_runtime::controller::trigger_with) and `ObjectRef::from(&notification)`.
//!
//! # Limits
//!
//! - A kube-runtime store has objects of its own: each object is cloned for it, so it takes memory a second time. Controllers of
//!   one kind should share one store (`reflector::store_shared`, with kube-runtime's feature `unstable-runtime-subscribe`).
//! - The events have no place for the old object, nor for "unchanged": an update and a resync are both `Apply`. A tombstone is a
//!   `Delete` with the last known state.
//! - There is one `Init`, at the beginning. After a relist the informer finds out what changed, and tells that.
//! - There are no errors in the stream. Failures of the list and the watch go to the informer's
//!   [`on_error`](crate::cache::ReflectorOptions::on_error) and to the log.

mod object_ref;
mod watcher_events;

pub use watcher_events::WatcherEvents;
