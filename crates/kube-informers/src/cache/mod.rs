//! The informer machinery of client-go's `tools/cache`, as a library for any program that has a `kube::Client`.
//!
//! ```text
//! ListWatch ─▶ Reflector ─▶ queue (DeltaFIFO or RealFIFO) ─▶ Controller ─▶ Indexer
//!                                                                │
//!                                                                ▼
//!                                                            Processor ─▶ listeners ─▶ handlers
//! ```
//!
//! Each part has client-go's name and can be used alone. Objects are shared and immutable (`Arc<T>`). Nothing in this
//! module prints. All waits use `tokio`'s clock, so a test with a paused runtime controls the time.

mod causes;
mod condvar;
mod controller;
mod delta;
mod error;
#[cfg(feature = "client")]
mod factory;
mod fifo;
mod key;
mod lister_watcher;
pub mod observe;
mod processor;
mod reflector;
mod shared_informer;
mod signal;
mod slim_meta;
mod store;

pub use causes::with_causes;
pub use controller::{Controller, Informer, InformerHandle, process_deltas, process_deltas_in_batch};
pub use delta::{Deletion, Delta, Deltas, InitialList, IntoDeltas};
pub use error::{BoxError, Closed, Error, KeyError, TransactionError};
#[cfg(feature = "client")]
pub use factory::{InformerFailed, InformerId, SharedInformerFactory};
pub use fifo::{Batches, DeltaFifo, ProcessDeltas, Queue, QueueKind, RealFifo, Relisted, WhileProcessing};
pub use key::{
    BadKey, IntoKey, Meta, Object, ObjectName, deletion_key, deletion_name, meta_namespace_key, object_to_name,
};
#[cfg(feature = "client")]
pub use lister_watcher::ListWatch;
pub use lister_watcher::{
    ApiError, DecodeError, ListOptions, ListPage, ListerWatcher, ResourceVersionMatch, WatchEvent, WatchStream,
};
pub use processor::{
    AsyncEventHandler, Buffer, EventHandler, FilteringHandler, HandlerFuncs, HandlerOptions, IntoEventHandler, MayWait,
    NeverWaits, Notification, Panic, ProcessorListener, Registration, RunError, SharedProcessor, Subscription,
    is_recreated,
};
pub use reflector::{Reflector, ReflectorError, ReflectorOptions, ResyncTrigger, WatchList};
pub use shared_informer::{InformerStopped, SharedIndexInformer, SharedIndexInformerBuilder};
pub use signal::{Done, DoneSender, Never, wait_for};
pub use slim_meta::SlimMeta;
pub use store::{
    GroupResource, Index, IndexFn, IndexValues, Indexer, Iter, KnownObjects, Lister, NAMESPACE_INDEX, NamespaceLister,
    Reader, ReflectorStore, Snapshot, Stale, Store, ThreadSafeStore, Transaction, Transformer, meta_namespace_index,
};
