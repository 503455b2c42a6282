//! The fields of an object.

use std::hash::{Hash, Hasher};

use ecow::EcoVec;

use super::{SmolStr, Value};

/// The fields of an object, in the order of their names. A copy shares them until one of the two is changed.
#[derive(Clone, Debug, Default)]
pub(crate) struct Map(EcoVec<(SmolStr, Value)>);

/// Up to so many fields, a look at each is faster than a search by halves.
const FEW: usize = 16;

impl Map {
    pub(crate) const fn new() -> Self {
        Self(EcoVec::new())
    }

    pub(crate) fn with_capacity(capacity: usize) -> Self {
        Self(EcoVec::with_capacity(capacity))
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn get(&self, name: &str) -> Option<&Value> {
        self.place(name).map(|place| &self.0[place].1)
    }

    pub(crate) fn get_mut(&mut self, name: &str) -> Option<&mut Value> {
        let place = self.place(name)?;
        Some(&mut self.0.make_mut()[place].1)
    }

    pub(crate) fn contains_key(&self, name: &str) -> bool {
        self.place(name).is_some()
    }

    /// Sets a field; returns what it was before.
    pub(crate) fn insert(&mut self, name: SmolStr, value: Value) -> Option<Value> {
        match self.search(&name) {
            Ok(place) => Some(std::mem::replace(&mut self.0.make_mut()[place].1, value)),
            Err(place) => {
                self.0.insert(place, (name, value));
                None
            }
        }
    }

    pub(crate) fn remove(&mut self, name: &str) -> Option<Value> {
        self.remove_entry(name).map(|(_, value)| value)
    }

    pub(crate) fn remove_entry(&mut self, name: &str) -> Option<(SmolStr, Value)> {
        self.place(name).map(|place| self.0.remove(place))
    }

    pub(crate) fn entry(&mut self, name: impl Into<SmolStr>) -> Entry<'_> {
        let name = name.into();
        Entry { place: self.search(&name), map: self, name }
    }

    /// Moves all fields of another object into this one.
    pub(crate) fn append(&mut self, other: &mut Self) {
        self.extend(std::mem::take(other));
    }

    pub(crate) fn retain(&mut self, mut keep: impl FnMut(&SmolStr, &mut Value) -> bool) {
        self.0.retain(|(name, value)| keep(name, value));
    }

    pub(crate) fn iter(&self) -> Iter<'_> {
        self.0.iter().map(|(name, value)| (name, value))
    }

    pub(crate) fn iter_mut(&mut self) -> IterMut<'_> {
        self.0.make_mut().iter_mut().map(|(name, value)| (&*name, value))
    }

    pub(crate) fn keys(&self) -> impl DoubleEndedIterator<Item = &SmolStr> + ExactSizeIterator + Clone {
        self.0.iter().map(|(name, _)| name)
    }

    pub(crate) fn values(&self) -> impl DoubleEndedIterator<Item = &Value> + ExactSizeIterator + Clone {
        self.0.iter().map(|(_, value)| value)
    }

    pub(crate) fn values_mut(&mut self) -> impl DoubleEndedIterator<Item = &mut Value> {
        self.iter_mut().map(|(_, value)| value)
    }

    /// Whether both are one object in memory.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        self.0.len() == other.0.len() && self.0.as_ptr() == other.0.as_ptr()
    }

    fn place(&self, name: &str) -> Option<usize> {
        match self.0.len() {
            0..=FEW => self.0.iter().position(|(known, _)| is(known, name)),
            _ => self.search(name).ok(),
        }
    }

    /// The place of a field, or where it would be.
    fn search(&self, name: &str) -> Result<usize, usize> {
        match self.0.last() {
            Some((last, _)) if last.as_str() >= name => self.0.binary_search_by(|(known, _)| known.as_str().cmp(name)),
            _ => Err(self.0.len()), // what is read or made in order is only added
        }
    }
}

/// Whether a name is this one. Nearly all others differ in their length or in their first letter.
fn is(known: &str, name: &str) -> bool {
    let (known, name) = (known.as_bytes(), name.as_bytes());
    known.len() == name.len() && known.first() == name.first() && known == name
}

/// The place of one field.
pub(crate) struct Entry<'a> {
    map: &'a mut Map,
    name: SmolStr,
    place: Result<usize, usize>,
}

impl<'a> Entry<'a> {
    pub(crate) fn or_insert(self, value: Value) -> &'a mut Value {
        self.or_insert_with(|| value)
    }

    pub(crate) fn or_insert_with(self, value: impl FnOnce() -> Value) -> &'a mut Value {
        let fields = &mut self.map.0;
        let place = self.place.unwrap_or_else(|place| {
            fields.insert(place, (self.name, value()));
            place
        });
        &mut fields.make_mut()[place].1
    }
}

impl PartialEq for Map {
    fn eq(&self, other: &Self) -> bool {
        self.is_same(other) || self.0.as_slice() == other.0.as_slice()
    }
}

impl Eq for Map {}

impl Hash for Map {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.as_slice().hash(state);
    }
}

impl<K: Into<SmolStr>> FromIterator<(K, Value)> for Map {
    /// Of fields with one name, the last counts.
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

type Iter<'a> = std::iter::Map<std::slice::Iter<'a, (SmolStr, Value)>, fn(&(SmolStr, Value)) -> (&SmolStr, &Value)>;
type IterMut<'a> =
    std::iter::Map<std::slice::IterMut<'a, (SmolStr, Value)>, fn(&mut (SmolStr, Value)) -> (&SmolStr, &mut Value)>;

impl IntoIterator for Map {
    type Item = (SmolStr, Value);
    type IntoIter = ecow::vec::IntoIter<(SmolStr, Value)>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl<'a> IntoIterator for &'a Map {
    type Item = (&'a SmolStr, &'a Value);
    type IntoIter = Iter<'a>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<'a> IntoIterator for &'a mut Map {
    type Item = (&'a SmolStr, &'a mut Value);
    type IntoIter = IterMut<'a>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter_mut()
    }
}
