//! The items of a JSON array. Copies share them, so copying an object takes constant time; the first change copies
//! them.

use std::hash::{Hash, Hasher};
use std::ops::{Deref, DerefMut};

use ecow::EcoVec;

use super::Value;

/// A list of values. A copy shares the items until one of the two changes.
#[derive(Clone, Debug, Default)]
pub struct Array(EcoVec<Value>);

impl Array {
    pub const fn new() -> Self {
        Self(EcoVec::new())
    }

    pub fn as_slice(&self) -> &[Value] {
        &self.0
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn as_mut_slice(&mut self) -> &mut [Value] {
        self.0.make_mut()
    }

    pub fn push(&mut self, value: Value) {
        self.0.push(value);
    }

    pub(crate) fn truncate(&mut self, length: usize) {
        self.0.truncate(length);
    }

    /// Removes the items that `keep` refuses. If it refuses none, the items stay shared.
    pub fn retain(&mut self, mut keep: impl FnMut(&Value) -> bool) {
        let kept: Vec<bool> = self.0.iter().map(&mut keep).collect();
        if kept.contains(&false) {
            let mut kept = kept.into_iter();
            self.0.retain(|_| kept.next().unwrap_or_default());
        }
    }

    pub(crate) fn retain_mut(&mut self, mut keep: impl FnMut(&mut Value) -> bool) {
        self.0.retain(|value| keep(value));
    }

    /// Returns true if both share the same items in memory. Equal lists may return false.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        self.0.len() == other.0.len() && self.0.as_ptr() == other.0.as_ptr()
    }
}

impl Deref for Array {
    type Target = [Value];

    fn deref(&self) -> &[Value] {
        &self.0
    }
}

impl DerefMut for Array {
    fn deref_mut(&mut self) -> &mut [Value] {
        self.0.make_mut()
    }
}

impl PartialEq for Array {
    fn eq(&self, other: &Self) -> bool {
        self.is_same(other) || self.as_slice() == other.as_slice()
    }
}

impl Eq for Array {}

impl Hash for Array {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.as_slice().hash(state);
    }
}

impl PartialEq<Vec<Value>> for Array {
    fn eq(&self, other: &Vec<Value>) -> bool {
        self.as_slice() == other.as_slice()
    }
}

impl From<Vec<Value>> for Array {
    fn from(items: Vec<Value>) -> Self {
        items.into_iter().collect()
    }
}

impl FromIterator<Value> for Array {
    fn from_iter<I: IntoIterator<Item = Value>>(items: I) -> Self {
        Self(items.into_iter().collect())
    }
}

impl Extend<Value> for Array {
    fn extend<I: IntoIterator<Item = Value>>(&mut self, items: I) {
        self.0.extend(items);
    }
}

impl IntoIterator for Array {
    type Item = Value;
    type IntoIter = ecow::vec::IntoIter<Value>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl<'a> IntoIterator for &'a Array {
    type Item = &'a Value;
    type IntoIter = std::slice::Iter<'a, Value>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}

impl<'a> IntoIterator for &'a mut Array {
    type Item = &'a mut Value;
    type IntoIter = std::slice::IterMut<'a, Value>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter_mut()
    }
}
