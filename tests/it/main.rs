//! Everything that is tested from outside, but for the recordings: one binary, linked once.

#![allow(clippy::unwrap_used, reason = "a test says what is wrong by failing")]

mod cache_reflector;
mod cache_shared_informer;
mod source;
