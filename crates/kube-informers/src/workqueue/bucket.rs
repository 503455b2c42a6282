//! Bucket: a token bucket, which is a rate limiter for all items together. It limits how many retries a controller
//! makes per second, however many items fail. Upstream: `BucketRateLimiter`, and `golang.org/x/time/rate`.

use std::time::Duration;

use tokio::time::Instant;

use super::limiter::RateLimiter;

/// A token bucket that fills at a steady rate (client-go's `BucketRateLimiter`). Every item takes one token, and waits
/// for it if the bucket is empty.
///
/// The bucket does not distinguish items: [`RateLimiter::retries`] is always 0, and [`RateLimiter::forget`] does
/// nothing. Taken tokens are not returned.
#[derive(Clone, Debug)]
pub struct Bucket {
    /// The number of tokens that the bucket gains per second.
    per_second: f64,
    /// The largest number of tokens.
    size: f64,
    /// The number of tokens at the time `since`; negative if items wait for tokens.
    tokens: f64,
    /// The time of the last call.
    since: Instant,
}

/// The wait for a token that never comes: 292 years, Go's largest duration.
const NEVER: Duration = Duration::from_nanos(i64::MAX.unsigned_abs());

impl Bucket {
    /// Makes a full bucket of `size` tokens, which gains `per_second` tokens per second.
    pub fn new(per_second: f64, size: u32) -> Self {
        let size = f64::from(size);
        Self { per_second, size, tokens: size, since: Instant::now() }
    }

    /// Takes a token. Returns the time until it is in the bucket.
    fn reserve(&mut self) -> Duration {
        if self.per_second == f64::INFINITY {
            return Duration::ZERO;
        }
        if self.size < 1.0 {
            return NEVER;
        }
        let now = Instant::now();
        let gained = (now - self.since).as_secs_f64() * self.per_second.max(0.0);
        self.tokens = (self.tokens + gained).min(self.size) - 1.0;
        self.since = now;
        if self.tokens >= 0.0 {
            return Duration::ZERO;
        }
        let wait = -self.tokens / self.per_second; // negative, infinite or not a number if no token ever comes
        Duration::try_from_secs_f64(wait).map_or(NEVER, |wait| wait.min(NEVER))
    }
}

impl<T> RateLimiter<T> for Bucket {
    fn when(&mut self, _: &T) -> Duration {
        self.reserve()
    }

    fn retries(&self, _: &T) -> usize {
        0
    }

    fn forget(&mut self, _: &T) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn an_empty_bucket_delays_items_and_fills_over_time() {
        let mut bucket = Bucket::new(10.0, 2);
        let waits: Vec<_> = (0..4).map(|_| bucket.reserve().as_millis()).collect();
        assert_eq!(waits, [0, 0, 100, 200]);
        tokio::time::advance(Duration::from_secs(3600)).await;
        let waits: Vec<_> = (0..3).map(|_| bucket.reserve().as_millis()).collect();
        assert_eq!(waits, [0, 0, 100]);
    }

    #[test]
    fn a_bucket_that_never_fills_delays_for_ever_and_an_infinite_rate_never_delays() {
        assert_eq!(Bucket::new(1.0, 0).reserve(), NEVER);
        let mut never = Bucket::new(0.0, 1);
        assert_eq!((never.reserve(), never.reserve()), (Duration::ZERO, NEVER));
        assert_eq!(Bucket::new(f64::INFINITY, 0).reserve(), Duration::ZERO);
    }
}
