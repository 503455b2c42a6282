//! Conformance with client-go: calls the public API with the operations of recordings that were made with client-go,
//! and compares the results with the recorded ones.
//!
//! The recordings and their format are in `fixtures/conformance`; `CONFORMANCE_DIR` names another directory of
//! recordings. Each test prints the number of cases and steps that it replayed:
//! `cargo test --test conformance -- --nocapture`.

#![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]
#![allow(clippy::print_stdout, reason = "prints the number of replayed steps")]

mod conformance {
    mod errors;
    mod notifications;
    mod object;
    mod replay;
    mod source;
    mod transformers;

    mod controller_handlers;
    mod delaying_queue;
    mod delta_fifo;
    mod indexer;
    mod keys;
    mod lister;
    mod rate_limiters;
    mod real_fifo;
    mod selectors;
    mod shared_informer;
    mod workqueue;
}
