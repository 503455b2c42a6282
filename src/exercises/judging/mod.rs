//! The code that judges a program, in Rust or in Go: the journal of a trial, its outcome, the judge of each exercise, and
//! the verdict. A program in Rust runs in `lessons/break`, and a program in Go is a process of `informer-lab check`.

mod journal;
pub mod judges;
mod outcome;
mod verdict;

pub use journal::{Backend, Entry, EntryKind, Journal, Request};
pub use outcome::{End, Outcome, backends};
pub use verdict::{Mistake, Verdict};
