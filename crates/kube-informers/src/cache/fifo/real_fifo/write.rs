//! Single changes into a RealFIFO.

use std::sync::Arc;

use super::RealFifo;
use crate::cache::delta::{Deletion, Delta};
use crate::cache::error::{Error, KeyError};

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
                self.intake.change(|inside| {
                    self.intake.populate(inside);
                    let tombstone = Deletion::FinalStateUnknown { key: key.clone(), last_known };
                    self.push(inside, Delta::Deleted(tombstone), Some(&key));
                });
                Ok(())
            }
        }
    }

    /// The key of an object.
    ///
    /// # Errors
    /// The key function failed.
    pub fn key_of(&self, object: &T) -> Result<String, KeyError> {
        self.intake.key_of(object)
    }

    fn write(&self, object: Arc<T>, delta: impl FnOnce(Arc<T>) -> Delta<T>) -> Result<(), Error> {
        self.intake.change(|inside| {
            self.intake.populate(inside);
            let key = self.key_of(&object)?;
            let object = self.intake.transform(object)?;
            self.push(inside, delta(object), Some(&key));
            Ok(())
        })
    }
}
