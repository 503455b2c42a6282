//! Remembers the last Event about each claim, so that a sync which finds the same again writes no second one. Upstream
//! counts the repetitions in the Event instead.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

#[derive(Default)]
pub(super) struct Said(Mutex<HashMap<String, String>>);

impl Said {
    /// Remembers the message as the last one about the claim. Returns true if the one before was different.
    pub(super) fn is_news(&self, claim: &str, message: &str) -> bool {
        self.lock().insert(claim.to_owned(), message.to_owned()).as_deref() != Some(message)
    }

    pub(super) fn forget(&self, claim: &str) {
        self.lock().remove(claim);
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, String>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
