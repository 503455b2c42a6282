//! client-go's informers in Rust.
//!
//! - [`cache`]: Reflector, DeltaFIFO, Indexer, Controller, Processor, SharedInformer, factory;
//! - [`workqueue`]: queues for a controller's keys, with delays and rate limits;
//! - [`selector`]: label and field selectors.

pub mod cache;
#[cfg(feature = "client")]
pub mod leader_election;
mod lock;
mod quote;
pub mod selector;
pub mod workqueue;
