//! The texts of the exercises that `break` and `check` print.

mod gap;
mod mutate;
mod recreated;
mod resync;
mod shared;
mod slow;
mod stale;
mod sync;
mod tombstone;
mod updates;

use super::{Both, Exercise, InGo};

/// The exercises in the learner's order.
pub static ALL: [&Exercise; 10] = [
    &updates::TEXT,
    &tombstone::TEXT,
    &slow::TEXT,
    &mutate::TEXT,
    &sync::TEXT,
    &resync::TEXT,
    &gap::TEXT,
    &recreated::TEXT,
    &stale::TEXT,
    &shared::TEXT,
];
