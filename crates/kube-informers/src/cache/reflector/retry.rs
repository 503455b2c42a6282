//! RetryWindow: limits the time in which a watch is opened again after internal server errors. Upstream:
//! `tools/cache/retry_with_deadline.go`.

use std::time::Duration;

use tokio::time::Instant;

use crate::cache::lister_watcher::ApiError;

/// Errors further apart than this are treated as unrelated.
const APART: Duration = Duration::from_secs(60);

/// A window of time for retries. It opens with an internal error, and closes when such errors have lasted longer than
/// `length`. The next error after that opens it again.
#[derive(Debug)]
pub(super) struct RetryWindow {
    length: Duration,
    /// The times of the first and the last error in the open window.
    open: Option<(Instant, Instant)>,
}

impl RetryWindow {
    pub fn new(length: Duration) -> Self {
        Self { length, open: None }
    }

    /// Records the error, and returns true if the watch should be opened again.
    pub fn allows(&mut self, error: &ApiError) -> bool {
        if self.length.is_zero() || !error.is_internal() {
            return false;
        }
        let now = Instant::now();
        let first = match self.open {
            Some((first, last)) if now - last < APART => first,
            _ => now,
        };
        let allowed = now - first <= self.length;
        self.open = allowed.then_some((first, now));
        allowed
    }
}

#[cfg(test)]
mod tests {
    use kube_core::Status;
    use tokio::time::advance;

    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    fn failure(reason: &str, code: u16) -> ApiError {
        ApiError::Status(Status::failure("", reason).with_code(code).into())
    }

    #[tokio::test(start_paused = true)]
    async fn an_exhausted_window_opens_again_with_the_next_error() {
        let mut window = RetryWindow::new(2 * SECOND);
        let mut allowed = Vec::new();
        for _ in 0..8 {
            allowed.push(window.allows(&failure("InternalError", 500)));
            advance(SECOND).await;
        }
        assert_eq!(allowed, [true, true, true, false, true, true, true, false]);
    }

    #[tokio::test(start_paused = true)]
    async fn errors_far_apart_each_open_a_window() {
        let mut window = RetryWindow::new(SECOND);
        for _ in 0..5 {
            assert!(window.allows(&failure("", 500)));
            advance(APART).await;
        }
    }

    #[tokio::test(start_paused = true)]
    async fn other_errors_neither_open_nor_prolong_the_window() {
        let mut window = RetryWindow::new(2 * SECOND);
        assert!(!window.allows(&failure("Expired", 410)));
        assert!(window.allows(&failure("InternalError", 500)));
        advance(3 * SECOND).await;
        assert!(!window.allows(&failure("Expired", 410)));
        assert!(!window.allows(&failure("InternalError", 500)));
        assert!(!RetryWindow::new(Duration::ZERO).allows(&failure("InternalError", 500)));
    }
}
