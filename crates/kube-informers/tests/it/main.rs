//! The crate's integration tests, in one binary to link only once.

#![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

mod cache_delta_fifo_model;
mod cache_endings;
mod cache_factory;
mod cache_factory_endings;
mod cache_fold;
mod cache_handlers;
mod cache_indexer_model;
mod cache_list_watch;
mod cache_long_list;
mod cache_reader;
mod cache_reflector;
mod cache_reflector_errors;
mod cache_reflector_silence;
mod cache_shared_informer;
mod cache_watch_list;
mod examples;
mod leader_election;
mod logged;
mod running;
mod runtime;
mod source;
mod workqueue;
mod workqueue_model;
mod workqueue_observed;
mod workqueue_panics;
mod workqueue_workers;
