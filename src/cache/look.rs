//! Waiting for something under a lock.

use std::pin::pin;

use tokio::sync::Notify;
use tokio::task::coop::consume_budget;

/// Looks until there is something, again after each time `changed` is notified. Whoever changes what is looked at notifies
/// after that; nothing is missed in between, and dropping the future loses nothing.
pub(super) async fn look_until<R>(changed: &Notify, mut look: impl FnMut() -> Option<R>) -> R {
    consume_budget().await; // one who always finds something must not starve the other tasks of this thread
    loop {
        let mut notified = pin!(changed.notified());
        notified.as_mut().enable(); // before the look, so that nothing that comes after it is missed
        if let Some(found) = look() {
            return found;
        }
        notified.await;
    }
}
