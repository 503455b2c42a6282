//! Store: a thread-safe collection of objects by key. Upstream: `tools/cache/store.go`.

mod content;
mod index;
mod index_values;
mod indexer;
mod lister;
mod reader;
mod replacement;
mod slot_set;
mod slots;
mod snapshot;
mod store_state;
mod stored_index;
mod thread_safe_store;
mod transformer;
mod versions;

use std::fmt;
use std::sync::Arc;

use crate::cache::delta::Deletion;
use crate::cache::error::{BoxError, Error, KeyError, TransactionError};
use crate::cache::key::{IntoKey, KeyFn, Object};
use crate::cache::observe::{Event, Observer, Versioned};

use thread_safe_store::Operation;

pub use index::{Index, IndexFn, NAMESPACE_INDEX, meta_namespace_index};
pub use index_values::IndexValues;
pub use indexer::Indexer;
pub use lister::{GroupResource, Lister, NamespaceLister};
pub use reader::{Reader, Stale};
pub(super) use replacement::{Replaced, Replacement};
pub use snapshot::{Iter, Snapshot};
pub use thread_safe_store::ThreadSafeStore;
pub use transformer::Transformer;

/// The target of a Reflector: a queue, or a store directly (client-go's `ReflectorStore`).
pub trait ReflectorStore<T>: Send + Sync {
    /// Handles an ADDED event of the watch.
    ///
    /// # Errors
    /// The object was refused; see the implementation.
    fn add(&self, object: Arc<T>) -> Result<(), Error>;
    /// Handles a MODIFIED event of the watch.
    ///
    /// # Errors
    /// The object was refused; see the implementation.
    fn update(&self, object: Arc<T>) -> Result<(), Error>;
    /// Handles a DELETED event of the watch.
    ///
    /// # Errors
    /// The deletion was refused; see the implementation.
    fn delete(&self, deletion: Deletion<T>) -> Result<(), Error>;
    /// Handles a list: replaces the whole content with these objects, which are the state at this resourceVersion.
    ///
    /// # Errors
    /// An object was refused; see the implementation.
    fn replace(&self, objects: Vec<Arc<T>>, resource_version: &str) -> Result<(), Error>;
    /// Handles a resync: repeats all known objects to the consumer. By default does nothing.
    ///
    /// # Errors
    /// See the implementation.
    fn resync(&self) -> Result<(), Error> {
        Ok(())
    }
    /// Handles a bookmark: the watch has sent every change up to this resourceVersion. By default does nothing.
    ///
    /// # Errors
    /// See the implementation.
    fn bookmark(&self, _resource_version: &str) -> Result<(), Error> {
        Ok(())
    }
    /// Returns the transformer. A streaming list applies it as soon as an object arrives, to save memory. The store
    /// then applies it a second time, which must not change the object further.
    fn transformer(&self) -> Transformer<T> {
        Transformer::default()
    }
}

/// A queue's view of its consumer's objects (client-go's `KeyListerGetter`).
pub trait KnownObjects<T>: Send + Sync {
    /// Returns all keys, in any order.
    fn list_keys(&self) -> Vec<String>;
    /// Returns the object with this key, if there is one.
    ///
    /// # Errors
    /// The look-up itself failed. The object may exist.
    fn get_by_key(&self, key: &str) -> Result<Option<Arc<T>>, BoxError>;
}

/// One operation of [`Store::transaction`].
#[derive(Debug)]
#[non_exhaustive]
pub enum Transaction<T> {
    /// Stores an object, new or existing.
    Put(Arc<T>),
    /// Removes an object, if it exists.
    Delete(Deletion<T>),
}

/// Objects by key, shared between one writer and any number of readers (client-go's `Store`; with indices, its
/// [`Indexer`](crate::cache::Indexer)).
///
/// The stored objects are immutable: clone an object to change it. For code that only reads, use a [`Reader`].
///
/// ```
/// use kube_informers::cache::{Store, meta_namespace_key};
/// use k8s_openapi::api::core::v1::Pod;
///
/// let store = Store::new(meta_namespace_key::<Pod>);
/// let mut pod = Pod::default();
/// pod.metadata.name = Some("nettool".into());
/// store.add(pod)?;
/// assert_eq!(store.list_keys(), ["nettool"]);
/// # Ok::<(), kube_informers::cache::Error>(())
/// ```
pub struct Store<T> {
    key: KeyFn<T>,
    transformer: Transformer<T>,
    observer: Observer,
    pub(super) content: Arc<ThreadSafeStore<T>>,
}

impl<T> Store<T> {
    /// Makes an empty store. `key` computes an object's key.
    pub fn new<K: IntoKey>(key: impl Fn(&T) -> K + Send + Sync + 'static) -> Self {
        Self {
            key: KeyFn::new(key),
            transformer: Transformer::default(),
            observer: Observer::default(),
            content: Arc::default(),
        }
    }

    /// Sets a function that changes every object before it is stored. The key is computed from the unchanged object.
    #[must_use]
    pub fn transformer(
        mut self,
        transform: impl Fn(Arc<T>) -> Result<Arc<T>, BoxError> + Send + Sync + 'static,
    ) -> Self {
        self.transformer = Transformer::new(transform);
        self
    }

    /// Sets the observer that gets the store's events.
    #[must_use]
    pub fn observer(mut self, observer: Observer) -> Self {
        self.observer = observer;
        self
    }
}

impl<T> Store<T> {
    /// Returns a read-only view of this store.
    pub fn reader(&self) -> Reader<T> {
        Reader::new(self.content.clone())
    }

    /// Ends all waits for a resourceVersion, because no writer is left.
    pub(crate) fn close(&self) {
        self.content.close();
    }
}

impl<T: Object> Store<T> {
    /// Stores an object and replaces an object with the same key, if any.
    ///
    /// # Errors
    /// The key function or the transformer failed.
    pub fn add(&self, object: impl Into<Arc<T>>) -> Result<(), Error> {
        self.put(object.into()).map(drop)
    }

    /// Stores an object like [`Store::add`], whether or not the key exists.
    ///
    /// # Errors
    /// As [`Store::add`].
    pub fn update(&self, object: impl Into<Arc<T>>) -> Result<(), Error> {
        self.put(object.into()).map(drop)
    }

    /// Removes an object. Does nothing if it is not stored.
    ///
    /// # Errors
    /// The key function failed.
    pub fn delete(&self, deletion: impl Into<Deletion<T>>) -> Result<(), Error> {
        let deletion = deletion.into();
        let (key, last) = match deletion {
            Deletion::Final(object) => (self.key_of(&object)?, Some(object)),
            Deletion::FinalStateUnknown { key, .. } => (key, None),
        };
        let removed_event = self.observer.is_on().then(|| self.removed_event(&key));
        self.content.delete(&key, last.as_deref());
        self.emit_if_observed(removed_event);
        Ok(())
    }

    /// Replaces the whole content at once. If several objects have the same key, the last is kept.
    ///
    /// # Errors
    /// The key function or the transformer failed for one of the objects. Nothing was changed.
    pub fn replace(&self, objects: Vec<Arc<T>>, resource_version: &str) -> Result<(), Error> {
        let number = objects.len();
        let mut replacement = self.content.replacement(number);
        for object in objects {
            replacement.put(&self.key_of(&object)?, self.transform(object)?);
        }
        drop(self.replace_with(replacement, resource_version));
        Ok(())
    }

    /// Replaces the whole content with a prepared one, and returns the old content.
    pub(super) fn replace_with(&self, replacement: Replacement<T>, resource_version: &str) -> Replaced<T> {
        let replaced = self.content.replace(replacement, resource_version);
        self.observer.emit::<T>(|| {
            let stored = self.content.list();
            let stored = stored.keys().zip(&stored);
            let objects = stored.map(|(key, object)| Versioned::of(key.to_string(), &**object)).collect();
            Event::Replaced { resource_version: resource_version.to_owned(), objects }
        });
        replaced
    }

    /// Executes all operations under one lock, so that no reader sees only a part of them. The transformer is not
    /// applied.
    ///
    /// # Errors
    /// The key function failed for some operations. The rest were executed.
    pub fn transaction(&self, transactions: Vec<Transaction<T>>) -> Result<(), Error> {
        let total = transactions.len();
        let mut operations = Vec::with_capacity(total);
        let mut outcome = TransactionError { successful: Vec::new(), total, errors: Vec::new() };
        for (position, transaction) in transactions.into_iter().enumerate() {
            match self.operation(transaction) {
                Ok(operation) => {
                    outcome.successful.push(position);
                    operations.push(operation);
                }
                Err(error) => outcome.errors.push(error.into()),
            }
        }
        let changes: Vec<Event> = match self.observer.is_on() {
            true => operations.iter().map(|operation| self.operation_event(operation)).collect(),
            false => Vec::new(),
        };
        self.content.transaction(operations);
        changes.into_iter().for_each(|change| self.emit_if_observed(Some(change)));
        if outcome.errors.is_empty() { Ok(()) } else { Err(outcome.into()) }
    }

    fn operation(&self, transaction: Transaction<T>) -> Result<Operation<T>, KeyError> {
        Ok(match transaction {
            Transaction::Put(object) => Operation::Put { key: self.key_of(&object)?, object },
            Transaction::Delete(Deletion::Final(object)) => {
                Operation::Delete { key: self.key_of(&object)?, last: Some(object) }
            }
            Transaction::Delete(Deletion::FinalStateUnknown { key, .. }) => Operation::Delete { key, last: None },
        })
    }

    /// Records that the content is up to date at this resourceVersion.
    pub fn bookmark(&self, resource_version: &str) {
        self.content.set_resource_version(resource_version);
    }

    /// Returns the stored object with the key of `object`.
    ///
    /// # Errors
    /// The key function failed.
    pub fn get(&self, object: &T) -> Result<Option<Arc<T>>, Error> {
        Ok(self.content.get(&self.key_of(object)?))
    }

    /// Returns the stored object with this key.
    pub fn get_by_key(&self, key: &str) -> Option<Arc<T>> {
        self.content.get(key)
    }

    /// Returns a snapshot of all objects, in constant time.
    pub fn list(&self) -> Snapshot<T> {
        self.content.list()
    }

    /// Returns all keys, in the order of [`Store::list`].
    pub fn list_keys(&self) -> Vec<String> {
        self.list().keys().map(ToString::to_string).collect()
    }

    /// Returns the resourceVersion of the last write, which is an object, a list or a bookmark; empty before the first.
    /// It can go down when an older object is written.
    pub fn last_resource_version(&self) -> String {
        self.content.resource_version()
    }

    /// Returns the key of an object.
    ///
    /// # Errors
    /// The key function failed.
    pub fn key_of(&self, object: &T) -> Result<String, KeyError> {
        self.key.key_of(object)
    }

    /// Stores an object and returns the object that it replaced.
    pub(crate) fn put(&self, object: Arc<T>) -> Result<Option<Arc<T>>, Error> {
        let key = self.key_of(&object)?;
        let object = self.transform(object)?;
        let stored = self.observer.is_on().then(|| self.stored_event(&key, &object));
        let old = self.content.put(&key, object);
        self.emit_if_observed(stored);
        Ok(old)
    }

    /// Passes an event to the observer. The event is `None` if there is no observer.
    fn emit_if_observed(&self, change: Option<Event>) {
        if let Some(change) = change {
            self.observer.emit::<T>(|| change);
        }
    }

    /// Returns the event of an operation. It must be built before the operation, because it contains the old state.
    fn operation_event(&self, operation: &Operation<T>) -> Event {
        match operation {
            Operation::Put { key, object } => self.stored_event(key, object),
            Operation::Delete { key, .. } => self.removed_event(key),
        }
    }

    /// Returns the event of storing an object, with the index values before and after.
    fn stored_event(&self, key: &str, object: &T) -> Event {
        let old = self.content.get(key);
        Event::Stored {
            key: key.to_owned(),
            resource_version: object.meta().resource_version.to_owned(),
            old: old.as_deref().map(|old| old.meta().resource_version.to_owned()),
            indices: self.content.index_sets(key, Some(object)),
        }
    }

    fn removed_event(&self, key: &str) -> Event {
        let old = self.content.get(key);
        Event::Removed {
            key: key.to_owned(),
            old: old.as_deref().map(|old| old.meta().resource_version.to_owned()),
            indices: self.content.index_sets(key, None),
        }
    }

    pub(super) fn transform(&self, object: Arc<T>) -> Result<Arc<T>, Error> {
        self.transformer.apply(object).map_err(Error::TransformStored)
    }
}

/// Ends all waits for a resourceVersion, because readers may outlive the store, but nothing can write to it any more.
impl<T> Drop for Store<T> {
    fn drop(&mut self) {
        self.close();
    }
}

impl<T> fmt::Debug for Store<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Store").field(&self.content).finish()
    }
}

impl<T: Object + Send + Sync> ReflectorStore<T> for Store<T> {
    fn add(&self, object: Arc<T>) -> Result<(), Error> {
        self.put(object).map(drop)
    }

    fn update(&self, object: Arc<T>) -> Result<(), Error> {
        self.put(object).map(drop)
    }

    fn delete(&self, deletion: Deletion<T>) -> Result<(), Error> {
        Self::delete(self, deletion)
    }

    fn replace(&self, objects: Vec<Arc<T>>, resource_version: &str) -> Result<(), Error> {
        Self::replace(self, objects, resource_version)
    }

    fn bookmark(&self, resource_version: &str) -> Result<(), Error> {
        Self::bookmark(self, resource_version);
        Ok(())
    }

    fn transformer(&self) -> Transformer<T> {
        self.transformer.clone()
    }
}

impl<T: Object + Send + Sync> KnownObjects<T> for Store<T> {
    fn list_keys(&self) -> Vec<String> {
        Self::list_keys(self)
    }

    fn get_by_key(&self, key: &str) -> Result<Option<Arc<T>>, BoxError> {
        Ok(Self::get_by_key(self, key))
    }
}
