//! client-go's informers in Rust, a Kubernetes API server in memory, and lessons that wire the two together.
//!
//! Three rooms, the first two usable alone:
//!
//! - [`cache`]: the informer machinery (Reflector, DeltaFIFO, Indexer, Controller, Processor, SharedInformer, factory),
//!   for any program that has a `kube::Client`;
//! - [`cluster`]: an API server with real list and watch semantics that lives in the process, and a small kubelet;
//! - [`lessons`]: the tutorial, one short file a lesson, each played in a [`lab`] and printed by [`trace`].

pub mod cache;
pub mod cluster;
pub mod lab;
pub mod lessons;
pub mod trace;

/// The examples of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
