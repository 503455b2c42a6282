//! Indexing of JSON values: `value["metadata"]["name"]`, and `get`. As in `serde_json`, a missing field reads as null,
//! and writing creates it.

use std::ops;

use super::{Map, SmolStr, Value};

static NULL: Value = Value::Null;

/// The name of a field, or the position of an item.
pub trait Index {
    fn find<'v>(&self, value: &'v Value) -> Option<&'v Value>;
    fn find_mut<'v>(&self, value: &'v mut Value) -> Option<&'v mut Value>;
    fn find_or_insert<'v>(&self, value: &'v mut Value) -> &'v mut Value;
}

impl Index for str {
    fn find<'v>(&self, value: &'v Value) -> Option<&'v Value> {
        value.as_object()?.get(self)
    }

    fn find_mut<'v>(&self, value: &'v mut Value) -> Option<&'v mut Value> {
        value.as_object_mut()?.get_mut(self)
    }

    fn find_or_insert<'v>(&self, value: &'v mut Value) -> &'v mut Value {
        if value.is_null() {
            *value = Value::Object(Map::new());
        }
        match value {
            Value::Object(fields) => &mut fields[self],
            other => panic!("cannot set the field {self:?} of a value that is no object: {other}"),
        }
    }
}

impl Index for usize {
    fn find<'v>(&self, value: &'v Value) -> Option<&'v Value> {
        value.as_array()?.get(*self)
    }

    fn find_mut<'v>(&self, value: &'v mut Value) -> Option<&'v mut Value> {
        value.as_array_mut()?.get_mut(*self)
    }

    fn find_or_insert<'v>(&self, value: &'v mut Value) -> &'v mut Value {
        match value {
            Value::Array(items) => &mut items[*self],
            other => panic!("cannot set the item {self} of a value that is no list: {other}"),
        }
    }
}

macro_rules! of_others {
    ($($other:ty),*) => {$(
        impl Index for $other {
            fn find<'v>(&self, value: &'v Value) -> Option<&'v Value> {
                Index::find(self.as_str(), value)
            }

            fn find_mut<'v>(&self, value: &'v mut Value) -> Option<&'v mut Value> {
                Index::find_mut(self.as_str(), value)
            }

            fn find_or_insert<'v>(&self, value: &'v mut Value) -> &'v mut Value {
                self.as_str().find_or_insert(value)
            }
        }
    )*};
}
of_others!(String, SmolStr);

impl<I: Index + ?Sized> Index for &I {
    fn find<'v>(&self, value: &'v Value) -> Option<&'v Value> {
        (**self).find(value)
    }

    fn find_mut<'v>(&self, value: &'v mut Value) -> Option<&'v mut Value> {
        (**self).find_mut(value)
    }

    fn find_or_insert<'v>(&self, value: &'v mut Value) -> &'v mut Value {
        (**self).find_or_insert(value)
    }
}

impl Value {
    pub fn get(&self, index: impl Index) -> Option<&Self> {
        index.find(self)
    }

    pub fn get_mut(&mut self, index: impl Index) -> Option<&mut Self> {
        index.find_mut(self)
    }
}

impl<I: Index> ops::Index<I> for Value {
    type Output = Self;

    /// Returns null if there is no such field or item.
    fn index(&self, index: I) -> &Self {
        index.find(self).unwrap_or(&NULL)
    }
}

impl<I: Index> ops::IndexMut<I> for Value {
    /// Creates a missing field with the value null, and a missing object.
    ///
    /// # Panics
    /// If the value is of another type, or has no such item.
    fn index_mut(&mut self, index: I) -> &mut Self {
        index.find_or_insert(self)
    }
}

impl ops::Index<&str> for Map {
    type Output = Value;

    fn index(&self, name: &str) -> &Value {
        self.get(name).unwrap_or(&NULL)
    }
}

impl ops::IndexMut<&str> for Map {
    /// Creates a missing field with the value null.
    fn index_mut(&mut self, name: &str) -> &mut Value {
        self.entry(name).or_insert(Value::Null)
    }
}
