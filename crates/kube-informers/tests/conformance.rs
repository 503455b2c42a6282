//! What client-go did, done again: recorded operations and their results, replayed through the public API only.
//!
//! The recordings and their format are in `fixtures/conformance`. `CONFORMANCE_DIR` names another directory of them.
//! Every test prints how many cases and steps of its file it replayed: `cargo test --test conformance -- --nocapture`.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
#![allow(clippy::print_stdout, reason = "what was replayed is said")]

mod conformance {
    mod errors;
    mod notifications;
    mod object;
    mod source;
    mod transformers;
    mod vectors;

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
