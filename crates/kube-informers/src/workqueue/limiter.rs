//! RateLimiter: how long a failed item waits. Upstream: `util/workqueue/default_rate_limiters.go`.

use std::collections::HashMap;
use std::fmt;
use std::hash::Hash;
use std::time::Duration;

use super::bucket::Bucket;

/// Decides how long an item waits before the next try.
pub trait RateLimiter<T>: Send {
    /// How long this item is to wait now. Counts as a failure of it.
    fn when(&mut self, item: &T) -> Duration;
    /// How many failures of this item count.
    #[doc(alias = "NumRequeues")]
    fn retries(&self, item: &T) -> usize;
    /// This item's failures count no longer.
    fn forget(&mut self, item: &T);
}

/// What controllers use unless told otherwise: [`Exponential`] from 5 ms to 1000 s for each item, and for all of them
/// together a [`Bucket`] of 100, ten a second.
pub fn default_controller_limiter<T: Clone + Eq + Hash + Send + 'static>() -> MaxOf<T> {
    MaxOf::new().and(Exponential::new(Duration::from_millis(5), Duration::from_secs(1000))).and(Bucket::new(10.0, 100))
}

/// [`Exponential`] from 1 ms to 1000 s, without a limit for all items together.
pub fn default_item_limiter<T>() -> Exponential<T> {
    Exponential::new(Duration::from_millis(1), Duration::from_secs(1000))
}

/// The failures of items.
#[derive(Clone, Debug)]
struct Failures<T>(HashMap<T, usize>);

impl<T: Clone + Eq + Hash> Failures<T> {
    /// One more; says how many there were before.
    fn count(&mut self, item: &T) -> usize {
        if let Some(count) = self.0.get_mut(item) {
            *count += 1;
            return *count - 1;
        }
        self.0.insert(item.clone(), 1);
        0
    }

    fn of(&self, item: &T) -> usize {
        self.0.get(item).copied().unwrap_or_default()
    }
}

/// An item waits twice as long after each failure.
#[derive(Clone, Debug)]
pub struct Exponential<T> {
    base: Duration,
    max: Duration,
    failures: Failures<T>,
}

impl<T> Exponential<T> {
    /// Waits of `base`, twice `base`, four times `base`, and so on, but never longer than `max`, however many failures.
    pub fn new(base: Duration, max: Duration) -> Self {
        Self { base, max, failures: Failures(HashMap::new()) }
    }

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
        let before = self.failures.count(item);
        self.after(before)
    }

    fn retries(&self, item: &T) -> usize {
        self.failures.of(item)
    }

    fn forget(&mut self, item: &T) {
        self.failures.0.remove(item);
    }
}

/// An item's first failures cost little, all others much.
#[derive(Clone, Debug)]
pub struct FastSlow<T> {
    fast: Duration,
    slow: Duration,
    fast_attempts: usize,
    failures: Failures<T>,
}

impl<T> FastSlow<T> {
    /// Waits of `fast` for the first `fast_attempts` failures, then of `slow`.
    pub fn new(fast: Duration, slow: Duration, fast_attempts: usize) -> Self {
        Self { fast, slow, fast_attempts, failures: Failures(HashMap::new()) }
    }
}

impl<T: Clone + Eq + Hash + Send> RateLimiter<T> for FastSlow<T> {
    fn when(&mut self, item: &T) -> Duration {
        if self.failures.count(item) < self.fast_attempts { self.fast } else { self.slow }
    }

    fn retries(&self, item: &T) -> usize {
        self.failures.of(item)
    }

    fn forget(&mut self, item: &T) {
        self.failures.0.remove(item);
    }
}

/// The longest wait of several limiters. Each counts each failure, so a bucket loses a token even where another limiter
/// decides.
pub struct MaxOf<T>(Vec<Box<dyn RateLimiter<T>>>);

impl<T> MaxOf<T> {
    /// No limiter yet, and so no wait.
    pub fn new() -> Self {
        Self(Vec::new())
    }

    /// One more.
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

/// Another limiter's waits, but never longer than a maximum.
#[derive(Clone, Debug)]
pub struct WithMaxWait<L> {
    inner: L,
    max: Duration,
}

impl<L> WithMaxWait<L> {
    /// The waits of `inner`, up to `max`.
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
    fn failures_without_end_never_wait_longer_than_the_maximum() {
        let mut limiter = Exponential::new(MS, Duration::MAX);
        let waits: Vec<_> = (0..1000).map(|_| limiter.when(&"a")).collect();
        assert!(waits.is_sorted());
        assert_eq!(waits[999], Duration::MAX);
        assert_eq!(limiter.retries(&"a"), 1000);
        let mut limiter = Exponential::new(Duration::ZERO, MS);
        assert!((0..1000).all(|_| limiter.when(&"a").is_zero()));
    }

    #[test]
    fn a_bucket_loses_a_token_even_where_another_limiter_decides() {
        let mut limiter = MaxOf::new().and(FastSlow::new(MS, MS, 0)).and(Bucket::new(1.0, 1));
        assert_eq!(limiter.when(&"a"), MS);
        assert!(limiter.when(&"b") > 100 * MS);
    }
}
