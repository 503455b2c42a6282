//! Seeds: gives each run of a Reflector a random generator of its own, for its jitter. With a seed, the generators are
//! the same in each run of the program, so that a test or a lesson can repeat the jitter.

use std::mem;
use std::sync::Arc;

use crate::lock::{Mutex, lock};

/// The source of the runs' generators. Clones share one state, so no two runs get the same numbers.
#[derive(Clone, Debug, Default)]
pub(super) struct Seeds(Option<Arc<Mutex<fastrand::Rng>>>);

impl Seeds {
    /// Makes a source that gives the n-th run of a Reflector the same numbers in each run of the program.
    pub fn new(seed: u64) -> Self {
        Self(Some(Arc::new(Mutex::new(fastrand::Rng::with_seed(seed)))))
    }

    pub fn next(&self) -> fastrand::Rng {
        let Some(source) = &self.0 else { return fastrand::Rng::new() };
        let mut source = lock(source);
        let following = source.clone().fork(); // the generator of the next run
        mem::replace(&mut source, following)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clones_give_different_numbers_and_the_same_seed_repeats_them() {
        let drawn = || {
            let seeds = Seeds::new(7);
            [seeds.next(), seeds.clone().next(), seeds.next()].map(|mut random| random.u64(..))
        };
        let [a, b, c] = drawn();
        assert!(a != b && b != c && c != a);
        assert_eq!(drawn(), [a, b, c]);
        assert_ne!(Seeds::default().next().u64(..), Seeds::default().next().u64(..));
    }
}
