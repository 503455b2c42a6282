//! The informer machinery of client-go's `tools/cache`, as a library for any program that has a `kube::Client`.
//!
//! ```text
//! ListWatch ─▶ Reflector ─▶ queue (DeltaFIFO or RealFIFO) ─▶ Controller ─▶ Indexer
//!                                                                │
//!                                                                ▼
//!                                                            Processor ─▶ listeners ─▶ handlers
//! ```
//!
//! Each part is a file of client-go's name and usable alone. Objects are shared and immutable (`Arc<T>`), nothing here
//! prints, and whatever waits does so on `tokio`'s clock, so a paused runtime is a test clock.

mod api_error;
mod backoff;
mod buffer;
mod causes;
mod content;
mod controller;
mod decode_error;
mod delta;
mod delta_fifo;
mod done;
mod error;
#[cfg(feature = "client")]
mod factory;
mod filtering_handler;
mod guarded;
mod handler;
mod handler_options;
mod index;
mod index_values;
mod indexer;
mod informer;
mod intake;
mod key;
mod life;
mod list_options;
#[cfg(feature = "client")]
mod list_watch;
mod listener;
mod lister;
mod lister_watcher;
mod look;
mod notification;
pub mod observe;
mod pager;
mod places;
mod process;
mod processor;
mod queue;
mod queue_kind;
mod reader;
mod real_fifo;
mod reflector;
mod registration;
mod replacement;
mod resync;
mod run_error;
mod shared_informer;
mod slim_meta;
mod slots;
mod snapshot;
mod store;
mod stored_index;
mod subscription;
mod sync_tracker;
mod take_over;
mod thread_safe_store;
mod turns;
mod versions;

use crate::lock;

pub use api_error::ApiError;
pub use buffer::Buffer;
pub use causes::with_causes;
pub use controller::Controller;
pub use decode_error::DecodeError;
pub use delta::{Deletion, Delta, Deltas, InitialList};
pub use delta_fifo::{DeltaFifo, Relisted};
pub use done::{Done, Firing, Never, wait_for};
pub use error::{BoxError, Closed, Error, KeyError, TransactionError};
#[cfg(feature = "client")]
pub use factory::{InformerFailed, InformerId, SharedInformerFactory};
pub use filtering_handler::FilteringHandler;
pub use handler::{AsyncEventHandler, EventHandler, HandlerFuncs, IntoEventHandler, MayWait, NeverWaits};
pub use handler_options::HandlerOptions;
pub use index::{Index, IndexFn, NAMESPACE_INDEX, meta_namespace_index};
pub use index_values::IndexValues;
pub use indexer::Indexer;
pub use informer::{Informer, InformerHandle};
pub use key::{
    BadKey, IntoKey, Meta, Object, ObjectName, deletion_key, deletion_name, meta_namespace_key, object_to_name,
};
pub use list_options::{ListOptions, ResourceVersionMatch};
#[cfg(feature = "client")]
pub use list_watch::ListWatch;
pub use listener::ProcessorListener;
pub use lister::{GroupResource, Lister, NamespaceLister};
pub use lister_watcher::{ListPage, ListerWatcher, WatchEvent, WatchStream};
pub use notification::{Notification, is_recreated};
pub use process::{ProcessDeltas, process_deltas, process_deltas_in_batch};
pub use processor::SharedProcessor;
pub use queue::Queue;
pub use queue_kind::QueueKind;
pub use reader::{Reader, Stale};
pub use real_fifo::{Batches, RealFifo, WhileProcessing};
pub use reflector::{Reflector, ReflectorError, ReflectorOptions, WatchList};
pub use registration::Registration;
pub use run_error::{Panic, RunError};
pub use shared_informer::{InformerStopped, SharedIndexInformer, SharedIndexInformerBuilder};
pub use slim_meta::SlimMeta;
pub use snapshot::{Iter, Snapshot};
pub use store::{KnownObjects, ReflectorStore, Store, Transaction, Transformer};
pub use subscription::Subscription;
pub use thread_safe_store::ThreadSafeStore;
