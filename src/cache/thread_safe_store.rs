//! ThreadSafeStore: objects by key, and their indices. Upstream: `tools/cache/thread_safe_store.go`.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use imbl::Vector;

use super::error::Error;
use super::index::{Index, IndexFn};
use super::lock::{Mutex, lock};
use super::snapshot::{Entry, Snapshot};

/// Objects by key under one short lock. A reader takes a snapshot and leaves; no reader makes the writer wait for longer
/// than that takes.
#[derive(Debug)]
pub(crate) struct ThreadSafeStore<T>(Mutex<State<T>>);

#[derive(Debug)]
struct State<T> {
    /// Where each key's object is; the entry there has that key.
    places: HashMap<Arc<str>, usize>,
    /// The objects. A place is empty exactly when `free` has it.
    slots: Vector<Option<Entry<T>>>,
    free: Vec<usize>,
    /// Every index holds exactly the places of the objects that have a value in it.
    indices: BTreeMap<String, Index<T>>,
    /// The version last written, not the highest one.
    resource_version: String,
}

/// One operation of a transaction.
pub(crate) enum Operation<T> {
    Put {
        key: String,
        object: Arc<T>,
        version: Option<String>,
    },
    Delete {
        key: String,
        version: Option<String>,
    },
    /// One whose key could not be computed.
    Failed(Error),
}

impl<T> Default for ThreadSafeStore<T> {
    fn default() -> Self {
        Self(Mutex::new(State {
            places: HashMap::new(),
            slots: Vector::new(),
            free: Vec::new(),
            indices: BTreeMap::new(),
            resource_version: String::new(),
        }))
    }
}

impl<T> ThreadSafeStore<T> {
    /// Puts an object in place of the one with this key, if any. Changes nothing if an index function fails.
    pub fn put(&self, key: String, object: Arc<T>, version: Option<&str>) -> Result<(), Error> {
        lock(&self.0).put(key, object, version)
    }

    /// Removes the object with this key; that there is none is no error, and `version` is noted all the same.
    pub fn delete(&self, key: &str, version: Option<&str>) -> Result<(), Error> {
        lock(&self.0).delete(key, version)
    }

    /// Does several operations under one lock, so that no reader sees some of them. Tells which failed.
    pub fn transaction(&self, operations: Vec<Operation<T>>) -> Vec<Result<(), Error>> {
        let mut state = lock(&self.0);
        let results = operations.into_iter().map(|operation| match operation {
            Operation::Put { key, object, version } => state.put(key, object, version.as_deref()),
            Operation::Delete { key, version } => state.delete(&key, version.as_deref()),
            Operation::Failed(error) => Err(error),
        });
        results.collect()
    }

    /// Replaces the whole content at once; of objects with the same key the last is kept.
    pub fn replace(&self, objects: Vec<(String, Arc<T>)>, version: &str) -> Result<(), Error> {
        let mut places = HashMap::with_capacity(objects.len());
        let mut slots: Vector<Option<Entry<T>>> = Vector::new();
        for (key, object) in objects {
            let key: Arc<str> = key.into();
            match places.get(&key) {
                Some(&place) => {
                    slots.set(place, Some(Entry { key, object }));
                }
                None => {
                    places.insert(key.clone(), slots.len());
                    slots.push_back(Some(Entry { key, object }));
                }
            }
        }
        let mut state = lock(&self.0);
        let rebuilt = state
            .indices
            .iter()
            .map(|(name, index)| Ok((name.clone(), index.rebuilt(&slots)?)))
            .collect::<Result<BTreeMap<_, _>, Error>>()?;
        *state = State { places, slots, free: Vec::new(), indices: rebuilt, resource_version: version.to_owned() };
        Ok(())
    }

    pub fn get(&self, key: &str) -> Option<Arc<T>> {
        let state = lock(&self.0);
        let place = *state.places.get(key)?;
        state.slots.get(place)?.as_ref().map(|entry| entry.object.clone())
    }

    pub fn list(&self) -> Snapshot<T> {
        let state = lock(&self.0);
        Snapshot::all(state.slots.clone(), state.places.len())
    }

    pub fn resource_version(&self) -> String {
        lock(&self.0).resource_version.clone()
    }

    pub fn set_resource_version(&self, version: &str) {
        lock(&self.0).resource_version = version.to_owned();
    }

    /// Adds indices and fills them from what is stored; all or none.
    pub fn add_indices(&self, functions: Vec<(String, IndexFn<T>)>) -> Result<(), Error> {
        let mut state = lock(&self.0);
        let taken = functions.iter().map(|(name, _)| name).filter(|name| state.indices.contains_key(*name));
        let taken: BTreeSet<_> = taken.cloned().collect();
        if !taken.is_empty() {
            return Err(Error::IndexerConflict(taken.into_iter().collect()));
        }
        let added = functions
            .into_iter()
            .map(|(name, function)| Ok((name.clone(), Index::new(name, function).rebuilt(&state.slots)?)))
            .collect::<Result<Vec<_>, Error>>()?;
        state.indices.extend(added);
        Ok(())
    }

    /// Every object that shares a value of the named index with `object`, each once.
    pub fn index(&self, name: &str, object: &T) -> Result<Snapshot<T>, Error> {
        let state = lock(&self.0);
        let index = state.index(name)?;
        let values = index.values_of(object).map_err(Error::IndexValue)?;
        Ok(Snapshot::of(state.slots.clone(), index.places_of(&values)))
    }

    /// Every object that has `value` in the named index.
    pub fn by_index(&self, name: &str, value: &str) -> Result<Snapshot<T>, Error> {
        let state = lock(&self.0);
        let places = state.index(name)?.places(value);
        Ok(Snapshot::of(state.slots.clone(), places))
    }

    pub fn index_values(&self, name: &str) -> Vec<String> {
        lock(&self.0).indices.get(name).map(Index::values).unwrap_or_default()
    }

    pub fn index_names(&self) -> Vec<String> {
        lock(&self.0).indices.keys().cloned().collect()
    }
}

impl<T> State<T> {
    /// Puts an object in place of the one with this key, if any. Changes nothing if an index function fails.
    fn put(&mut self, key: String, object: Arc<T>, version: Option<&str>) -> Result<(), Error> {
        let State { places, slots, free, indices, resource_version } = self;
        let place = places.get(&*key).copied();
        let old = place.and_then(|place| slots.get(place)?.as_ref()).map(|entry| entry.object.clone());
        let changes = indices
            .values()
            .map(|index| index.change(&key, old.as_deref(), Some(&*object)))
            .collect::<Result<Vec<_>, _>>()?;
        let place = match place {
            Some(place) => {
                if let Some(entry) = slots.get_mut(place).and_then(Option::as_mut) {
                    entry.object = object;
                }
                place
            }
            None => {
                let key: Arc<str> = key.into();
                let entry = Some(Entry { key: key.clone(), object });
                let place = match free.pop() {
                    Some(place) => {
                        slots.set(place, entry);
                        place
                    }
                    None => {
                        slots.push_back(entry);
                        slots.len() - 1
                    }
                };
                places.insert(key, place);
                place
            }
        };
        for (index, change) in indices.values_mut().zip(changes) {
            index.apply(place, change);
        }
        set(resource_version, version);
        Ok(())
    }

    /// Removes the object with this key; that there is none is no error, and `version` is noted all the same.
    fn delete(&mut self, key: &str, version: Option<&str>) -> Result<(), Error> {
        let State { places, slots, free, indices, resource_version } = self;
        if let Some(&place) = places.get(key) {
            let old = slots.get(place).and_then(Option::as_ref).map(|entry| entry.object.clone());
            let changes =
                indices.values().map(|index| index.change(key, old.as_deref(), None)).collect::<Result<Vec<_>, _>>()?;
            for (index, change) in indices.values_mut().zip(changes) {
                index.apply(place, change);
            }
            places.remove(key);
            slots.set(place, None);
            free.push(place);
        }
        set(resource_version, version);
        Ok(())
    }

    fn index(&self, name: &str) -> Result<&Index<T>, Error> {
        self.indices.get(name).ok_or_else(|| Error::UnknownIndex(name.to_owned()))
    }
}

fn set(resource_version: &mut String, version: Option<&str>) {
    if let Some(version) = version {
        version.clone_into(resource_version);
    }
}
