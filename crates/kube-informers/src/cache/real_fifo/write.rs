//! Single changes into a RealFIFO.

use std::sync::Arc;

use super::{RealFifo, State};
use crate::cache::delta::{Deletion, Delta};
use crate::cache::error::{Error, KeyError};
use crate::cache::lock::lock;

impl<T> RealFifo<T> {
    /// Queues an `Added`.
    ///
    /// # Errors
    /// The key function or the transformer failed; nothing was queued.
    pub fn add(&self, object: impl Into<Arc<T>>) -> Result<(), Error> {
        self.write(object.into(), Delta::Added)
    }

    /// Queues an `Updated`.
    ///
    /// # Errors
    /// As [`RealFifo::add`].
    pub fn update(&self, object: impl Into<Arc<T>>) -> Result<(), Error> {
        self.write(object.into(), Delta::Updated)
    }

    /// Queues a `Deleted`, also of a key that nobody knows.
    ///
    /// # Errors
    /// As [`RealFifo::add`].
    pub fn delete(&self, deletion: impl Into<Deletion<T>>) -> Result<(), Error> {
        match deletion.into() {
            Deletion::Final(object) => self.write(object, |object| Delta::Deleted(Deletion::Final(object))),
            Deletion::FinalStateUnknown { key, last_known } => {
                let mut state = lock(&self.state);
                self.populate(&mut state);
                let tombstone = Deletion::FinalStateUnknown { key: key.clone(), last_known };
                self.push(&mut state, Delta::Deleted(tombstone), &key);
                Ok(())
            }
        }
    }

    /// The key of an object.
    ///
    /// # Errors
    /// The key function failed.
    pub fn key_of(&self, object: &T) -> Result<String, KeyError> {
        self.key.key_of(object)
    }

    fn write(&self, object: Arc<T>, delta: impl FnOnce(Arc<T>) -> Delta<T>) -> Result<(), Error> {
        let mut state = lock(&self.state);
        self.populate(&mut state);
        let key = self.key_of(&object)?;
        let object = self.transform(object)?;
        self.push(&mut state, delta(object), &key);
        Ok(())
    }

    pub(super) fn populate(&self, state: &mut State<T>) {
        state.populated = true;
        self.note_sync(state);
    }
}
