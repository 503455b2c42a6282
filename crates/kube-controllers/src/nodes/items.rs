//! Reads a list in a JSON object. A field that is absent, or is not a list, counts as an empty list.

use kube_machinery::value::{Array, Value};

pub(crate) fn items(list: &Value) -> &[Value] {
    list.as_array().map_or(&[], Array::as_slice)
}
