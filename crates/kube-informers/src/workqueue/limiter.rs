//! RateLimiter: decides how long a failed item waits before the next try. Upstream:
//! `util/workqueue/default_rate_limiters.go`.

use std::collections::HashMap;
use std::fmt;
use std::hash::Hash;
use std::time::Duration;

use super::bucket::Bucket;

/// Decides how long an item waits before the next try (client-go's `TypedRateLimiter`).
pub trait RateLimiter<T>: Send {
    /// Counts a failure of the item, and returns how long it must wait.
    fn when(&mut self, item: &T) -> Duration;
    /// Returns the number of counted failures of the item (client-go's `NumRequeues`).
    #[doc(alias = "NumRequeues")]
    fn retries(&self, item: &T) -> usize;
    /// Resets the item's failures.
    fn forget(&mut self, item: &T);
}

/// Returns the default rate limiter of controllers: for each item an [`Exponential`] from 5 ms to 1000 s, and for all
/// items together a [`Bucket`] of 100 tokens with ten new ones per second (client-go's
/// `DefaultTypedControllerRateLimiter`).
pub fn default_controller_limiter<T: Clone + Eq + Hash + Send + 'static>() -> MaxOf<T> {
    MaxOf::new().and(Exponential::new(Duration::from_millis(5), Duration::from_secs(1000))).and(Bucket::new(10.0, 100))
}

/// Returns an [`Exponential`] from 1 ms to 1000 s, without a limit for all items together (client-go's
/// `DefaultTypedItemBasedRateLimiter`).
pub fn default_item_limiter<T>() -> Exponential<T> {
    Exponential::new(Duration::from_millis(1), Duration::from_secs(1000))
}

#[derive(Clone, Debug)]
struct Failures<T>(HashMap<T, usize>);

impl<T: Clone + Eq + Hash> Failures<T> {
    /// Counts a failure. Returns the number of earlier ones.
    fn increment(&mut self, item: &T) -> usize {
        if let Some(count) = self.0.get_mut(item) {
            *count += 1;
            return *count - 1;
        }
        self.0.insert(item.clone(), 1);
        0
    }

    fn get(&self, item: &T) -> usize {
        self.0.get(item).copied().unwrap_or_default()
    }
}

/// A rate limiter that doubles an item's wait after each failure (client-go's
/// `TypedItemExponentialFailureRateLimiter`).
#[derive(Clone, Debug)]
pub struct Exponential<T> {
    base: Duration,
    max: Duration,
    failures: Failures<T>,
}

impl<T> Exponential<T> {
    /// Makes a limiter with waits of `base`, twice `base`, four times `base` and so on, up to `max`.
    pub fn new(base: Duration, max: Duration) -> Self {
        Self { base, max, failures: Failures(HashMap::new()) }
    }

    /// Returns the wait after this number of earlier failures.
    fn after(&self, failures: usize) -> Duration {
        let factor = u32::try_from(failures).ok().and_then(|failures| 1_u128.checked_shl(failures));
        let nanos = match factor {
            Some(factor) => self.base.as_nanos().saturating_mul(factor),
            None if self.base.is_zero() => 0,
            None => u128::MAX,
        };
        u64::try_from(nanos).map_or(self.max, Duration::from_nanos).min(self.max)
    }
}

impl<T: Clone + Eq + Hash + Send> RateLimiter<T> for Exponential<T> {
    fn when(&mut self, item: &T) -> Duration {
        let before = self.failures.increment(item);
        self.after(before)
    }

    fn retries(&self, item: &T) -> usize {
        self.failures.get(item)
    }

    fn forget(&mut self, item: &T) {
        self.failures.0.remove(item);
    }
}

/// A rate limiter with a short wait for an item's first failures and a long wait for all later ones (client-go's
/// `TypedItemFastSlowRateLimiter`).
#[derive(Clone, Debug)]
pub struct FastSlow<T> {
    fast: Duration,
    slow: Duration,
    fast_attempts: usize,
    failures: Failures<T>,
}

impl<T> FastSlow<T> {
    /// Makes a limiter with a wait of `fast` for the first `fast_attempts` failures, then of `slow`.
    pub fn new(fast: Duration, slow: Duration, fast_attempts: usize) -> Self {
        Self { fast, slow, fast_attempts, failures: Failures(HashMap::new()) }
    }
}

impl<T: Clone + Eq + Hash + Send> RateLimiter<T> for FastSlow<T> {
    fn when(&mut self, item: &T) -> Duration {
        if self.failures.increment(item) < self.fast_attempts { self.fast } else { self.slow }
    }

    fn retries(&self, item: &T) -> usize {
        self.failures.get(item)
    }

    fn forget(&mut self, item: &T) {
        self.failures.0.remove(item);
    }
}

/// A rate limiter that takes the longest wait of several limiters (client-go's `TypedMaxOfRateLimiter`). Every limiter
/// counts every failure, so a bucket loses a token even if another limiter's wait is longer.
pub struct MaxOf<T>(Vec<Box<dyn RateLimiter<T>>>);

impl<T> MaxOf<T> {
    /// Makes a combination of no limiters, which never waits.
    pub fn new() -> Self {
        Self(Vec::new())
    }

    /// Adds a limiter.
    #[must_use]
    pub fn and(mut self, limiter: impl RateLimiter<T> + 'static) -> Self {
        self.0.push(Box::new(limiter));
        self
    }
}

impl<T> Default for MaxOf<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T> RateLimiter<T> for MaxOf<T> {
    fn when(&mut self, item: &T) -> Duration {
        self.0.iter_mut().map(|limiter| limiter.when(item)).max().unwrap_or_default()
    }

    fn retries(&self, item: &T) -> usize {
        self.0.iter().map(|limiter| limiter.retries(item)).max().unwrap_or_default()
    }

    fn forget(&mut self, item: &T) {
        self.0.iter_mut().for_each(|limiter| limiter.forget(item));
    }
}

impl<T> fmt::Debug for MaxOf<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MaxOf").field("limiters", &self.0.len()).finish()
    }
}

/// A rate limiter that caps another limiter's waits (client-go's `TypedWithMaxWaitRateLimiter`).
#[derive(Clone, Debug)]
pub struct WithMaxWait<L> {
    inner: L,
    max: Duration,
}

impl<L> WithMaxWait<L> {
    /// Makes a limiter with the waits of `inner`, but at most `max`.
    pub fn new(inner: L, max: Duration) -> Self {
        Self { inner, max }
    }
}

impl<T, L: RateLimiter<T>> RateLimiter<T> for WithMaxWait<L> {
    fn when(&mut self, item: &T) -> Duration {
        self.inner.when(item).min(self.max)
    }

    fn retries(&self, item: &T) -> usize {
        self.inner.retries(item)
    }

    fn forget(&mut self, item: &T) {
        self.inner.forget(item);
    }
}

impl<T> RateLimiter<T> for Box<dyn RateLimiter<T>> {
    fn when(&mut self, item: &T) -> Duration {
        (**self).when(item)
    }

    fn retries(&self, item: &T) -> usize {
        (**self).retries(item)
    }

    fn forget(&mut self, item: &T) {
        (**self).forget(item);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Duration = Duration::from_millis(1);

    #[test]
    fn the_wait_after_many_failures_is_at_most_the_maximum() {
        let mut limiter = Exponential::new(MS, Duration::MAX);
        let waits: Vec<_> = (0..1000).map(|_| limiter.when(&"a")).collect();
        assert!(waits.is_sorted());
        assert_eq!(waits[999], Duration::MAX);
        assert_eq!(limiter.retries(&"a"), 1000);
        let mut limiter = Exponential::new(Duration::ZERO, MS);
        assert!((0..1000).all(|_| limiter.when(&"a").is_zero()));
    }

    #[test]
    fn a_bucket_loses_a_token_even_if_another_limiters_wait_is_longer() {
        let mut limiter = MaxOf::new().and(FastSlow::new(MS, MS, 0)).and(Bucket::new(1.0, 1));
        assert_eq!(limiter.when(&"a"), MS);
        assert!(limiter.when(&"b") > 100 * MS);
    }
}
