//! The objects of one kind. The scheduler can assume a change of an object that it is about to write, so that the next
//! pods see the object as it will be. Upstream: `passiveAssumeCache`.

use std::collections::BTreeMap;
use std::sync::Arc;

use kube_machinery::value::SmolStr;

pub(in crate::nodes::scheduler) struct ObjectCache<T>(BTreeMap<SmolStr, Entry<T>>);

struct Entry<T> {
    /// The resourceVersion of `object`.
    version: SmolStr,
    object: Arc<T>,
    /// The object with the change that is about to be written. It counts instead of `object` until a later version
    /// comes.
    assumed: Option<Arc<T>>,
}

impl<T> Default for ObjectCache<T> {
    fn default() -> Self {
        Self(BTreeMap::new())
    }
}

impl<T: PartialEq> ObjectCache<T> {
    /// Returns an object, with its assumed change.
    pub(in crate::nodes::scheduler) fn get(&self, key: &str) -> Option<&Arc<T>> {
        self.0.get(key).map(Entry::latest)
    }

    /// Returns the resourceVersion of an object; empty if there is none.
    pub(in crate::nodes::scheduler) fn version(&self, key: &str) -> SmolStr {
        self.0.get(key).map(|entry| entry.version.clone()).unwrap_or_default()
    }

    /// Returns the objects by their keys.
    pub(in crate::nodes::scheduler) fn iter(&self) -> impl Iterator<Item = (&SmolStr, &Arc<T>)> {
        self.0.iter().map(|(key, entry)| (key, entry.latest()))
    }

    /// Adds or changes an object. Another version than before ends the assumption. Returns true if the scheduler sees a
    /// difference from the object before, without its assumed change.
    pub(in crate::nodes::scheduler) fn set(&mut self, key: &str, version: SmolStr, object: T) -> bool {
        let before = self.0.get(key);
        let is_same_version = before.is_some_and(|before| before.version == version);
        let is_changed = before.is_none_or(|before| *before.object != object || before.assumed.is_some());
        if !is_same_version {
            self.0.insert(key.into(), Entry { version, object: Arc::new(object), assumed: None });
        }
        is_changed && !is_same_version
    }

    /// Removes an object. Returns true if there was one.
    pub(in crate::nodes::scheduler) fn remove(&mut self, key: &str) -> bool {
        self.0.remove(key).is_some()
    }

    /// Assumes a change of an object.
    pub(in crate::nodes::scheduler) fn assume(&mut self, key: &str, changed: T) {
        if let Some(entry) = self.0.get_mut(key) {
            entry.assumed = Some(Arc::new(changed));
        }
    }

    /// Takes an assumption about a version of an object back.
    pub(in crate::nodes::scheduler) fn restore(&mut self, key: &str, version: &str) {
        if let Some(entry) = self.0.get_mut(key).filter(|entry| entry.version == version) {
            entry.assumed = None;
        }
    }
}

impl<T> Entry<T> {
    fn latest(&self) -> &Arc<T> {
        self.assumed.as_ref().unwrap_or(&self.object)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_assumption_counts_until_a_later_version_comes_or_it_is_taken_back() {
        let mut cache = ObjectCache::default();
        assert!(cache.set("a", "1".into(), "free"));
        cache.assume("a", "taken");
        assert!(!cache.set("a", "1".into(), "free"), "a list repeats the version");
        assert_eq!(**cache.get("a").unwrap(), "taken");
        assert!(cache.set("a", "2".into(), "free"), "the write has failed, so the object is free again");
        assert_eq!((**cache.get("a").unwrap(), &*cache.version("a")), ("free", "2"));
        cache.assume("a", "taken");
        cache.restore("a", "1");
        assert_eq!(**cache.get("a").unwrap(), "taken", "this is an assumption about another version");
        cache.restore("a", "2");
        assert_eq!(**cache.get("a").unwrap(), "free");
        assert!(!cache.set("a", "3".into(), "free") && cache.remove("a") && !cache.remove("a"));
    }
}
