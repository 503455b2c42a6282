//! Store: objects under the keys that a key function gives them. Upstream: `tools/cache/store.go`.

mod content;
mod guarded;
mod index;
mod index_values;
mod indexer;
mod lister;
mod places;
mod reader;
mod replacement;
mod slots;
mod snapshot;
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

/// What a Reflector feeds: a queue, or a store directly (client-go's `ReflectorStore`).
pub trait ReflectorStore<T>: Send + Sync {
    /// The watch said ADDED.
    ///
    /// # Errors
    /// The object could not be taken; see the implementation.
    fn add(&self, object: Arc<T>) -> Result<(), Error>;
    /// The watch said MODIFIED.
    ///
    /// # Errors
    /// The object could not be taken; see the implementation.
    fn update(&self, object: Arc<T>) -> Result<(), Error>;
    /// The watch said DELETED.
    ///
    /// # Errors
    /// The deletion could not be taken; see the implementation.
    fn delete(&self, deletion: Deletion<T>) -> Result<(), Error>;
    /// A list was made: this is the whole content, as of this resourceVersion.
    ///
    /// # Errors
    /// The content could not be taken; see the implementation.
    fn replace(&self, objects: Vec<Arc<T>>, resource_version: &str) -> Result<(), Error>;
    /// The resync period is over.
    ///
    /// # Errors
    /// See the implementation.
    fn resync(&self) -> Result<(), Error> {
        Ok(())
    }
    /// The watch said that every change up to this resourceVersion has been sent.
    ///
    /// # Errors
    /// See the implementation.
    fn bookmark(&self, _resource_version: &str) -> Result<(), Error> {
        Ok(())
    }
    /// What it changes objects with. A streaming list uses it early, so that what is gathered is small; the store does so
    /// again, which must change nothing more.
    fn transformer(&self) -> Transformer<T> {
        Transformer::default()
    }
}

/// The consumer's objects, as a queue looks at them (client-go's `KeyListerGetter`).
pub trait KnownObjects<T>: Send + Sync {
    /// All keys, in no promised order.
    fn list_keys(&self) -> Vec<String>;
    /// The object with this key.
    ///
    /// # Errors
    /// The look-up itself failed; the object may exist.
    fn get_by_key(&self, key: &str) -> Result<Option<Arc<T>>, BoxError>;
}

/// One operation of [`Store::transaction`].
#[derive(Debug)]
#[non_exhaustive]
pub enum Transaction<T> {
    /// Stores an object, whether or not it was there.
    Put(Arc<T>),
    /// Removes one.
    Delete(Deletion<T>),
}

/// Objects by key, shared between one writer and any number of readers. With indices it is what client-go calls an
/// [`Indexer`](crate::cache::Indexer).
///
/// What it hands out is immutable: clone an object to change it. Who only reads is given a [`Reader`].
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
    /// An empty store.
    pub fn new<K: IntoKey>(key: impl Fn(&T) -> K + Send + Sync + 'static) -> Self {
        Self {
            key: KeyFn::new(key),
            transformer: Transformer::default(),
            observer: Observer::default(),
            content: Arc::default(),
        }
    }

    /// Changes every object before it is stored; its key is that of the object as it came.
    #[must_use]
    pub fn transformer(
        mut self,
        transform: impl Fn(Arc<T>) -> Result<Arc<T>, BoxError> + Send + Sync + 'static,
    ) -> Self {
        self.transformer = Transformer::new(transform);
        self
    }

    /// Tells `observer` what happens.
    #[must_use]
    pub fn observer(mut self, observer: Observer) -> Self {
        self.observer = observer;
        self
    }
}

impl<T> Store<T> {
    /// What reads this store and cannot write it.
    pub fn reader(&self) -> Reader<T> {
        Reader::new(self.content.clone())
    }

    /// Tells whoever waits for a version that no writer is left.
    pub(crate) fn close(&self) {
        self.content.close();
    }
}

impl<T: Object> Store<T> {
    /// Stores an object, in place of the one with the same key, if any.
    ///
    /// # Errors
    /// The key function or the transformer failed.
    pub fn add(&self, object: impl Into<Arc<T>>) -> Result<(), Error> {
        self.put(object.into()).map(drop)
    }

    /// The same as [`Store::add`]: whether the object was there before does not matter.
    ///
    /// # Errors
    /// As [`Store::add`].
    pub fn update(&self, object: impl Into<Arc<T>>) -> Result<(), Error> {
        self.put(object.into()).map(drop)
    }

    /// Removes an object, known by itself or by a tombstone. That it is not there is no error.
    ///
    /// # Errors
    /// The key function failed.
    pub fn delete(&self, deletion: impl Into<Deletion<T>>) -> Result<(), Error> {
        let deletion = deletion.into();
        let (key, last) = match deletion {
            Deletion::Final(object) => (self.key_of(&object)?, Some(object)),
            Deletion::FinalStateUnknown { key, .. } => (key, None),
        };
        let gone = self.observer.is_on().then(|| self.removal(&key));
        self.content.delete(&key, last.as_deref());
        self.tell_change(gone);
        Ok(())
    }

    /// Replaces the whole content at once; of objects with the same key the last is kept.
    ///
    /// # Errors
    /// The key function or the transformer failed for one of the objects; nothing was changed.
    pub fn replace(&self, objects: Vec<Arc<T>>, resource_version: &str) -> Result<(), Error> {
        let number = objects.len();
        let mut replacement = self.content.replacement(number);
        for object in objects {
            replacement.put(&self.key_of(&object)?, self.transform(object)?);
        }
        drop(self.replace_by(replacement, resource_version));
        Ok(())
    }

    /// Replaces the whole content at once by what was made of a list.
    pub(super) fn replace_by(&self, replacement: Replacement<T>, resource_version: &str) -> Replaced<T> {
        let replaced = self.content.replace(replacement, resource_version);
        self.observer.tell::<T>(|| {
            let stored = self.content.list();
            let stored = stored.keys().zip(&stored);
            let objects = stored.map(|(key, object)| Versioned::of(key.to_string(), &**object)).collect();
            Event::Replaced { resource_version: resource_version.to_owned(), objects }
        });
        replaced
    }

    /// Does all operations under one lock, so that no reader sees some of them. The transformer is not run.
    ///
    /// # Errors
    /// The key function failed for some operations; the others were done.
    pub fn transaction(&self, transactions: Vec<Transaction<T>>) -> Result<(), Error> {
        let total = transactions.len();
        let mut operations = Vec::with_capacity(total);
        let mut failed = TransactionError { successful: Vec::new(), total, errors: Vec::new() };
        for (place, transaction) in transactions.into_iter().enumerate() {
            match self.operation(transaction) {
                Ok(operation) => {
                    failed.successful.push(place);
                    operations.push(operation);
                }
                Err(error) => failed.errors.push(error.into()),
            }
        }
        let changes: Vec<Event> = match self.observer.is_on() {
            true => operations.iter().map(|operation| self.change(operation)).collect(),
            false => Vec::new(),
        };
        self.content.transaction(operations);
        changes.into_iter().for_each(|change| self.tell_change(Some(change)));
        if failed.errors.is_empty() { Ok(()) } else { Err(failed.into()) }
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

    /// Notes that the content is as of this resourceVersion.
    pub fn bookmark(&self, resource_version: &str) {
        self.content.set_resource_version(resource_version);
    }

    /// The stored object with the key of `object`.
    ///
    /// # Errors
    /// The key function failed.
    pub fn get(&self, object: &T) -> Result<Option<Arc<T>>, Error> {
        Ok(self.content.get(&self.key_of(object)?))
    }

    /// The stored object with this key.
    pub fn get_by_key(&self, key: &str) -> Option<Arc<T>> {
        self.content.get(key)
    }

    /// All objects as they are now, in constant time.
    pub fn list(&self) -> Snapshot<T> {
        self.content.list()
    }

    /// All keys, in the order of [`Store::list`].
    pub fn list_keys(&self) -> Vec<String> {
        self.list().keys().map(ToString::to_string).collect()
    }

    /// The resourceVersion last seen: that of the last object written, list or bookmark, whichever came last. It can
    /// become lower when an older object is written. Empty at first.
    pub fn last_resource_version(&self) -> String {
        self.content.resource_version()
    }

    /// The key of an object.
    ///
    /// # Errors
    /// The key function failed.
    pub fn key_of(&self, object: &T) -> Result<String, KeyError> {
        self.key.key_of(object)
    }

    /// Stores an object and returns the one that was there.
    pub(crate) fn put(&self, object: Arc<T>) -> Result<Option<Arc<T>>, Error> {
        let key = self.key_of(&object)?;
        let object = self.transform(object)?;
        let stored = self.observer.is_on().then(|| self.storing(&key, &object));
        let old = self.content.put(&key, object);
        self.tell_change(stored);
        Ok(old)
    }

    fn tell_change(&self, change: Option<Event>) {
        if let Some(change) = change {
            self.observer.tell::<T>(|| change);
        }
    }

    /// What the observer will be told of an operation, said before it is done.
    fn change(&self, operation: &Operation<T>) -> Event {
        match operation {
            Operation::Put { key, object } => self.storing(key, object),
            Operation::Delete { key, .. } => self.removal(key),
        }
    }

    fn storing(&self, key: &str, object: &T) -> Event {
        let old = self.content.get(key);
        Event::Stored {
            key: key.to_owned(),
            resource_version: object.meta().resource_version.to_owned(),
            old: old.as_deref().map(|old| old.meta().resource_version.to_owned()),
            indices: self.content.index_sets(old.as_deref(), Some(object)),
        }
    }

    fn removal(&self, key: &str) -> Event {
        let old = self.content.get(key);
        Event::Removed {
            key: key.to_owned(),
            old: old.as_deref().map(|old| old.meta().resource_version.to_owned()),
            indices: self.content.index_sets(old.as_deref(), None),
        }
    }

    pub(super) fn transform(&self, object: Arc<T>) -> Result<Arc<T>, Error> {
        self.transformer.apply(object).map_err(Error::TransformStored)
    }
}

/// With the last owner, nobody is left who could write: whoever waits for a version learns it.
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
