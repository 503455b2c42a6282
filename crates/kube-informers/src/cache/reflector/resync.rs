//! Resync: calls the store's `resync`, which repeats all known objects, once in each period and when a trigger is
//! fired. Upstream: `startResync` in `tools/cache/reflector.go`.

use std::pin::pin;

use tokio::time::sleep;

use super::trigger::{ResyncTrigger, TriggerReceiver};
use super::{Reflector, Subject};
use crate::cache::error::Error;
use crate::cache::key::Object;

impl<T: Object + Send + Sync> Reflector<T> {
    /// Resyncs the store in each period and whenever the trigger is fired. Returns the store's first error.
    pub(super) async fn resync_ticks(&self) -> Error {
        let mut trigger =
            self.options.resync_trigger.as_ref().map_or_else(TriggerReceiver::default, ResyncTrigger::subscribe);
        let mut period = pin!(self.period());
        loop {
            let is_due = tokio::select! {
                biased;
                () = &mut period => {
                    period.set(self.period());
                    self.should_resync.as_ref().is_none_or(|should| should())
                }
                () = trigger.fired() => {
                    self.before_triggered_resync.iter().for_each(|before| before());
                    true
                }
            };
            if is_due {
                match self.store.resync() {
                    Ok(()) => self.succeeded(Subject::Resync),
                    Err(error) => return error,
                }
            }
        }
    }

    /// Waits for one period; for ever if there is no period.
    async fn period(&self) {
        if self.resync.is_zero() {
            std::future::pending().await
        }
        sleep(self.resync).await;
    }
}
