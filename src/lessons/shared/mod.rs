//! Lesson `shared`: the shared informer from the inside out. Its steps are the two stages of a listener, a listener, a
//! processor with two listeners, and the whole informer, by hand and from the library.
//!
//! Chapters: `lessons/08-listener`, `lessons/09-shared`, `lessons/10-shared-list-watch`. Traces:
//! `fixtures/traces/shared-*.txt`.

pub mod by_hand;
mod insert;
pub mod list_watch;
pub mod listener;
pub(super) mod my_shared_informer;
pub(super) mod pod_handler;
pub mod simulate;
pub mod slow_listener;
pub mod stages;
