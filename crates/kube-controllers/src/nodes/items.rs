//! Reads a list in an object in the form of a JSON value. A field that is absent or no list counts as empty.

use kube_machinery::value::{Array, Value};

pub(crate) fn items(list: &Value) -> &[Value] {
    list.as_array().map_or(&[], Array::as_slice)
}
