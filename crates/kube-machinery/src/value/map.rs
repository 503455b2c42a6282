//! The fields of a JSON object. Copies share them, so copying an object takes constant time; the first change copies
//! them.

use std::collections::BTreeMap;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use ecow::EcoVec;

use super::iter::{IntoIter, Iter, IterMut};
use super::{SmolStr, Value};

/// The fields of an object, sorted by name. A copy shares them until one of the two changes.
#[derive(Clone, Debug)]
pub struct Map(Fields);

#[derive(Clone, Debug)]
enum Fields {
    /// At most [`FEW`] fields in a sorted list, which fits nearly all objects of Kubernetes.
    Few(EcoVec<(SmolStr, Value)>),
    /// A tree, because inserting into a long list would move many fields. Only the size of a request limits the
    /// fields that a client sends.
    Many(Arc<BTreeMap<SmolStr, Value>>),
}

use Fields::{Few, Many};

/// The largest number of fields in a list.
const FEW: usize = 128;

/// The largest number of fields for which a linear search is faster than a binary one.
const SEEN_AT_ONCE: usize = 16;

impl Map {
    pub const fn new() -> Self {
        Self(Few(EcoVec::new()))
    }

    pub(crate) fn with_capacity(capacity: usize) -> Self {
        Self(Few(EcoVec::with_capacity(capacity.min(FEW))))
    }

    pub(crate) fn len(&self) -> usize {
        match &self.0 {
            Few(fields) => fields.len(),
            Many(fields) => fields.len(),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub fn get(&self, name: &str) -> Option<&Value> {
        match &self.0 {
            Few(fields) => place(fields, name).map(|place| &fields[place].1),
            Many(fields) => fields.get(name),
        }
    }

    pub fn get_mut(&mut self, name: &str) -> Option<&mut Value> {
        match &mut self.0 {
            Few(fields) => place(fields, name).map(|place| &mut fields.make_mut()[place].1),
            Many(fields) if fields.contains_key(name) => Arc::make_mut(fields).get_mut(name),
            Many(_) => None,
        }
    }

    pub fn contains_key(&self, name: &str) -> bool {
        self.get(name).is_some()
    }

    /// Inserts a field, and returns its previous value.
    pub fn insert(&mut self, name: SmolStr, value: Value) -> Option<Value> {
        self.make_room();
        match &mut self.0 {
            Few(fields) => match search(fields, &name) {
                Ok(place) => Some(std::mem::replace(&mut fields.make_mut()[place].1, value)),
                Err(place) => {
                    fields.insert(place, (name, value));
                    None
                }
            },
            Many(fields) => Arc::make_mut(fields).insert(name, value),
        }
    }

    pub fn remove(&mut self, name: &str) -> Option<Value> {
        self.remove_entry(name).map(|(_, value)| value)
    }

    pub(crate) fn remove_entry(&mut self, name: &str) -> Option<(SmolStr, Value)> {
        match &mut self.0 {
            Few(fields) => place(fields, name).map(|place| fields.remove(place)),
            Many(fields) if fields.contains_key(name) => Arc::make_mut(fields).remove_entry(name),
            Many(_) => None,
        }
    }

    pub fn entry<N: AsRef<str> + Into<SmolStr>>(&mut self, name: N) -> Entry<'_, N> {
        Entry { map: self, name }
    }

    pub(crate) fn append(&mut self, other: &mut Self) {
        self.extend(std::mem::take(other));
    }

    pub fn retain(&mut self, mut keep: impl FnMut(&SmolStr, &mut Value) -> bool) {
        match &mut self.0 {
            Few(fields) => fields.retain(|(name, value)| keep(name, value)),
            Many(fields) => Arc::make_mut(fields).retain(keep),
        }
    }

    pub fn iter(&self) -> Iter<'_> {
        match &self.0 {
            Few(fields) => Iter::Few(fields.iter()),
            Many(fields) => Iter::Many(fields.iter()),
        }
    }

    pub fn iter_mut(&mut self) -> IterMut<'_> {
        match &mut self.0 {
            Few(fields) => IterMut::Few(fields.make_mut().iter_mut()),
            Many(fields) => IterMut::Many(Arc::make_mut(fields).iter_mut()),
        }
    }

    pub(crate) fn keys(&self) -> impl Iterator<Item = &SmolStr> + Clone {
        self.iter().map(|(name, _)| name)
    }

    pub fn values(&self) -> impl Iterator<Item = &Value> + Clone {
        self.iter().map(|(_, value)| value)
    }

    pub fn values_mut(&mut self) -> impl Iterator<Item = &mut Value> {
        self.iter_mut().map(|(_, value)| value)
    }

    /// Returns true if both share the same fields in memory. Equal objects may return false.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (Few(one), Few(other)) => one.len() == other.len() && one.as_ptr() == other.as_ptr(),
            (Many(one), Many(other)) => Arc::ptr_eq(one, other),
            _ => false,
        }
    }

    /// Converts a full list into a tree, so that another field can be inserted.
    fn make_room(&mut self) {
        if let Few(fields) = &mut self.0
            && fields.len() == FEW
        {
            self.0 = Many(Arc::new(std::mem::take(fields).into_iter().collect()));
        }
    }
}

/// Returns the position of a field, if the object has it.
fn place(fields: &[(SmolStr, Value)], name: &str) -> Option<usize> {
    match fields.len() {
        0..=SEEN_AT_ONCE => fields.iter().position(|(known, _)| is(known, name)),
        _ => search(fields, name).ok(),
    }
}

/// Returns the position of a field, or the position at which to insert it.
fn search(fields: &[(SmolStr, Value)], name: &str) -> Result<usize, usize> {
    match fields.last() {
        Some((last, _)) if last.as_str() >= name => fields.binary_search_by(|(known, _)| known.as_str().cmp(name)),
        _ => Err(fields.len()), // fields mostly arrive in order, and are appended
    }
}

/// Returns true if two names are equal. Most unequal names differ in length, which is cheaper to compare.
fn is(known: &SmolStr, name: &str) -> bool {
    known.len() == name.len() && known.as_bytes() == name.as_bytes()
}

/// The place of a field in an object. In a short object (`Few`), the name is copied only if the field is missing.
#[derive(Debug)]
pub struct Entry<'a, N> {
    map: &'a mut Map,
    name: N,
}

impl<'a, N: AsRef<str> + Into<SmolStr>> Entry<'a, N> {
    pub fn or_insert(self, value: Value) -> &'a mut Value {
        self.or_insert_with(|| value)
    }

    pub fn or_insert_with(self, value: impl FnOnce() -> Value) -> &'a mut Value {
        self.map.make_room();
        match &mut self.map.0 {
            Few(fields) => {
                let place = search(fields, self.name.as_ref()).unwrap_or_else(|place| {
                    fields.insert(place, (self.name.into(), value()));
                    place
                });
                &mut fields.make_mut()[place].1
            }
            Many(fields) => Arc::make_mut(fields).entry(self.name.into()).or_insert_with(value),
        }
    }
}

impl Default for Map {
    fn default() -> Self {
        Self::new()
    }
}

impl PartialEq for Map {
    fn eq(&self, other: &Self) -> bool {
        self.is_same(other) || (self.len() == other.len() && self.iter().eq(other.iter()))
    }
}

impl Eq for Map {}

impl Hash for Map {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.len().hash(state);
        self.iter().for_each(|field| field.hash(state));
    }
}

impl<K: Into<SmolStr>> FromIterator<(K, Value)> for Map {
    /// Collects fields; the last of duplicate names wins.
    fn from_iter<I: IntoIterator<Item = (K, Value)>>(fields: I) -> Self {
        let fields = fields.into_iter();
        let mut map = Self::with_capacity(fields.size_hint().0);
        map.extend(fields);
        map
    }
}

impl<K: Into<SmolStr>> Extend<(K, Value)> for Map {
    fn extend<I: IntoIterator<Item = (K, Value)>>(&mut self, fields: I) {
        for (name, value) in fields {
            self.insert(name.into(), value);
        }
    }
}

impl IntoIterator for Map {
    type Item = (SmolStr, Value);
    type IntoIter = IntoIter;

    fn into_iter(self) -> IntoIter {
        match self.0 {
            Few(fields) => IntoIter::Few(fields.into_iter()),
            Many(fields) => IntoIter::Many(Arc::unwrap_or_clone(fields).into_iter()),
        }
    }
}

impl<'a> IntoIterator for &'a Map {
    type Item = (&'a SmolStr, &'a Value);
    type IntoIter = Iter<'a>;

    fn into_iter(self) -> Iter<'a> {
        self.iter()
    }
}

impl<'a> IntoIterator for &'a mut Map {
    type Item = (&'a SmolStr, &'a mut Value);
    type IntoIter = IterMut<'a>;

    fn into_iter(self) -> IterMut<'a> {
        self.iter_mut()
    }
}
