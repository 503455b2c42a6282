//! Resync: tells the store, once in each period, to hand out again what it knows.

use tokio::time::sleep;

use super::{About, Reflector};
use crate::cache::error::Error;
use crate::cache::key::Object;

impl<T: Object + Send + Sync> Reflector<T> {
    /// Has the store resync in each period; returns with its first error. Without a period, never.
    pub(super) async fn resync_ticks(&self) -> Error {
        if self.resync.is_zero() {
            std::future::pending::<()>().await;
        }
        loop {
            sleep(self.resync).await;
            if self.should_resync.as_ref().is_none_or(|should| should()) {
                match self.store.resync() {
                    Ok(()) => self.works(About::Resync),
                    Err(error) => return error,
                }
            }
        }
    }
}
