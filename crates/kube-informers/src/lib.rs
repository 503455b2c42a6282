#![doc = include_str!("../README.md")]
//!
//! # Modules
//!
//! - [`cache`]: Reflector, DeltaFIFO, Indexer, Controller, Processor, SharedInformer, factory;
//! - [`workqueue`]: a queue for a controller's keys, with delays and rate limits, and workers that process the keys;
#![cfg_attr(feature = "client", doc = "- [`leader_election`]: of several candidates, one at a time works;")]
#![cfg_attr(feature = "runtime", doc = "- [`runtime`]: bridges to kube-runtime;")]
//! - [`selector`]: label and field selectors.

#[cfg(feature = "client")]
mod answer;
mod blocking;
pub mod cache;
#[cfg(feature = "client")]
pub mod leader_election;
mod lock;
mod log_dedup;
#[cfg(feature = "runtime")]
pub mod runtime;
pub mod workqueue;

#[doc(inline)]
pub use kube_selectors as selector;
