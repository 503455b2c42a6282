//! client-go's informers in Rust, a Kubernetes API server in memory, and lessons that wire the two together.
//!
//! Rooms, the first three usable alone:
//!
//! - [`cache`]: the informer machinery (Reflector, DeltaFIFO, Indexer, Controller, Processor, SharedInformer, factory),
//!   for any program that has a `kube::Client`;
//! - [`workqueue`]: queues for a controller's keys, with delays and rate limits;
//! - [`cluster`]: an API server with real list and watch semantics that lives in the process, and a small kubelet;
//! - [`controllers`]: what a control plane does with ReplicaSets, on `cache` and `workqueue`;
//! - [`selector`]: label and field selectors, for both;
//! - [`lessons`]: the tutorial, one short file a lesson, each played in a [`lab`] and printed by [`trace`].

pub mod cache;
pub mod cluster;
pub mod controllers;
pub mod lab;
pub mod lessons;
mod lock;
mod quote;
pub mod selector;
pub mod trace;
pub mod workqueue;

/// The examples of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
