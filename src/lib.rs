//! client-go's informers in Rust, a Kubernetes API server in memory, and lessons that wire the two together.
//!
//! Three rooms, each usable alone:
//!
//! - [`cache`]: the informer machinery (Reflector, DeltaFIFO, Indexer, Controller, Processor, SharedInformer, factory),
//!   for any program that has a `kube::Client`;
//! - [`cluster`]: an API server with real list and watch semantics that lives in the process, and a small kubelet;
//! - [`lessons`]: the tutorial, one short file a lesson.

pub mod cache;
pub mod cluster;
pub mod lessons;
pub mod trace;
