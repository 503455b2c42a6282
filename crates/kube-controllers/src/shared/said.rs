//! Remembers the last Event about each claim or pod, so that a sync which finds the same again writes no second one.
//! Upstream counts the repetitions in the Event instead.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

#[derive(Default)]
pub(crate) struct Said(Mutex<HashMap<String, String>>);

impl Said {
    /// Returns true if the last message about the object was another one.
    pub(crate) fn is_news(&self, key: &str, message: &str) -> bool {
        self.lock().insert(key.to_owned(), message.to_owned()).as_deref() != Some(message)
    }

    pub(crate) fn forget(&self, key: &str) {
        self.lock().remove(key);
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, String>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
