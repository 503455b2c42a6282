//! Lesson `shared`: the shared informer (one list and watch for many handlers) from the inside out. Its steps, chosen
//! by `--step`, are the two stages of a listener, a listener, a processor with two listeners, and the complete
//! informer, by hand and from the library. A listener is a handler with a buffer before it; the processor passes each
//! notification to all listeners.
//!
//! Chapters: `lessons/08-listener`, `lessons/09-shared`, `lessons/10-shared-list-watch`. Traces:
//! `fixtures/traces/shared-*.txt`.

pub mod as_published;
pub mod by_hand;
mod differences;
mod insert;
pub mod list_watch;
pub mod listener;
pub(super) mod my_shared_informer;
pub(super) mod pod_handler;
pub mod simulate;
pub mod slow_listener;
pub mod stages;
