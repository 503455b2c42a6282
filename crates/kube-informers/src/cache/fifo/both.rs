//! What DeltaFIFO and RealFIFO do in the same way over their `Intake`: their options, their state, and the traits by which a
//! Reflector fills them and a Controller empties them.

/// Gives a queue with an `intake` what both queues have. The queue brings what differs: how a change is queued, and how it comes out.
macro_rules! over_intake {
    ($Fifo:ident) => {
        impl<T> $Fifo<T> {
            /// Changes every object once before it is queued. Tombstones and resynced objects are left alone.
            #[must_use]
            pub fn transformer(
                self,
                transform: impl Fn(Arc<T>) -> Result<Arc<T>, BoxError> + Send + Sync + 'static,
            ) -> Self {
                self.transformed_by(Transformer::new(transform))
            }

            pub(in crate::cache) fn transformed_by(mut self, transformer: Transformer<T>) -> Self {
                self.intake.transformer = transformer;
                self
            }

            /// Tells `observer` what happens.
            #[must_use]
            pub fn observer(mut self, observer: Observer) -> Self {
                self.intake.observer = observer;
                self
            }

            /// Is nothing queued?
            pub fn is_empty(&self) -> bool {
                self.len() == 0
            }

            /// Has the first list, if there was one, come out in full? See [`synced`](Self::synced) for what that means.
            pub fn has_synced(&self) -> bool {
                self.intake.lock().has_synced()
            }

            /// Lets every waiting and later pop end with [`Closed`] once the queue is empty. Writes still succeed.
            pub fn close(&self) {
                self.intake.close();
            }

            /// Was the queue closed?
            pub fn is_closed(&self) -> bool {
                self.intake.is_closed()
            }

            /// The key of an object.
            ///
            /// # Errors
            /// The key function failed.
            pub fn key_of(&self, object: &T) -> Result<String, KeyError> {
                self.intake.key_of(object)
            }
        }

        impl<T: Send + Sync> ReflectorStore<T> for $Fifo<T> {
            fn add(&self, object: Arc<T>) -> Result<(), Error> {
                Self::add(self, object)
            }

            fn update(&self, object: Arc<T>) -> Result<(), Error> {
                Self::update(self, object)
            }

            fn delete(&self, deletion: Deletion<T>) -> Result<(), Error> {
                Self::delete(self, deletion)
            }

            fn replace(&self, objects: Vec<Arc<T>>, resource_version: &str) -> Result<(), Error> {
                Self::replace(self, objects, resource_version)
            }

            fn resync(&self) -> Result<(), Error> {
                Self::resync(self)
            }

            fn bookmark(&self, resource_version: &str) -> Result<(), Error> {
                Self::bookmark(self, resource_version);
                Ok(())
            }

            fn transformer(&self) -> Transformer<T> {
                self.intake.transformer.clone()
            }
        }

        impl<T: Send + Sync> Queue<T> for $Fifo<T> {
            fn pop_with<'a>(
                &'a self,
                process: &'a mut dyn ProcessDeltas<T>,
            ) -> BoxFuture<'a, Result<Result<(), BoxError>, Closed>> {
                self.pop_next(process).boxed()
            }

            fn has_synced(&self) -> bool {
                Self::has_synced(self)
            }

            fn synced(&self) -> Done {
                Self::synced(self)
            }

            fn close(&self) {
                Self::close(self);
            }
        }
    };
}

pub(super) use over_intake;
