//! The methods that DeltaFIFO and RealFIFO share. A macro writes them for both, because each queue is a public type
//! with client-go's name.

/// Implements the shared methods of a queue with a field `core`. The queue itself implements how changes are queued and
/// popped.
macro_rules! impl_shared_methods {
    ($Fifo:ident) => {
        impl<T> $Fifo<T> {
            /// Sets a function that changes every object before it is queued. Tombstones and resynced objects were
            /// transformed already.
            #[must_use]
            pub fn transformer(
                self,
                transform: impl Fn(Arc<T>) -> Result<Arc<T>, BoxError> + Send + Sync + 'static,
            ) -> Self {
                self.with_transformer(Transformer::new(transform))
            }

            pub(in crate::cache) fn with_transformer(mut self, transformer: Transformer<T>) -> Self {
                self.core.transformer = transformer;
                self
            }

            /// Sets the observer that gets the queue's events.
            #[must_use]
            pub fn observer(mut self, observer: Observer) -> Self {
                self.core.observer = observer;
                self
            }

            /// Returns true if nothing is queued.
            pub fn is_empty(&self) -> bool {
                self.len() == 0
            }

            /// Returns true once the first list, which may be empty, has been popped ([`synced`](Self::synced)). Also
            /// true if the queue got a change before any list.
            pub fn has_synced(&self) -> bool {
                self.core.lock().has_synced()
            }

            /// Closes the queue: every waiting and later pop ends with [`Closed`] once the queue is empty. Writes still
            /// succeed.
            pub fn close(&self) {
                self.core.close();
            }

            /// Returns true if the queue was closed.
            pub fn is_closed(&self) -> bool {
                self.core.is_closed()
            }

            /// Returns the key of an object.
            ///
            /// # Errors
            /// The key function failed.
            pub fn key_of(&self, object: &T) -> Result<String, KeyError> {
                self.core.key_of(object)
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
                self.core.transformer.clone()
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

pub(super) use impl_shared_methods;
