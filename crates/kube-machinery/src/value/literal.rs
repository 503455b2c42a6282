//! The macro `json!`, which makes a [`Value`] from the syntax of JSON, as `serde_json`'s macro does for its values.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use super::{Array, Map, Number, SmolStr, Value};

/// A value in the syntax of JSON. An expression can stand for a value or for a name; as a name, it needs parentheses
/// if it is more than one token.
#[macro_export]
macro_rules! json {
    (null) => { $crate::value::Value::Null };
    ([ $($items:tt)* ]) => {{
        #[allow(unused_mut, reason = "an empty list")]
        let mut list = $crate::value::Array::new();
        $crate::value::json!(@items list $($items)*);
        $crate::value::Value::Array(list)
    }};
    ({ $($fields:tt)* }) => {{
        #[allow(unused_mut, reason = "an empty object")]
        let mut map = $crate::value::Map::new();
        $crate::value::json!(@fields map $($fields)*);
        $crate::value::Value::Object(map)
    }};

    (@items $list:ident) => {};
    (@items $list:ident null $(, $($rest:tt)*)?) => {
        $list.push($crate::value::Value::Null);
        $($crate::value::json!(@items $list $($rest)*);)?
    };
    (@items $list:ident [ $($inner:tt)* ] $(, $($rest:tt)*)?) => {
        $list.push($crate::value::json!([ $($inner)* ]));
        $($crate::value::json!(@items $list $($rest)*);)?
    };
    (@items $list:ident { $($inner:tt)* } $(, $($rest:tt)*)?) => {
        $list.push($crate::value::json!({ $($inner)* }));
        $($crate::value::json!(@items $list $($rest)*);)?
    };
    (@items $list:ident $item:expr $(, $($rest:tt)*)?) => {
        $list.push($crate::value::json!($item));
        $($crate::value::json!(@items $list $($rest)*);)?
    };

    (@fields $map:ident) => {};
    (@fields $map:ident $name:tt : null $(, $($rest:tt)*)?) => {
        $map.insert($crate::value::json!(@name $name), $crate::value::Value::Null);
        $($crate::value::json!(@fields $map $($rest)*);)?
    };
    (@fields $map:ident $name:tt : [ $($inner:tt)* ] $(, $($rest:tt)*)?) => {
        $map.insert($crate::value::json!(@name $name), $crate::value::json!([ $($inner)* ]));
        $($crate::value::json!(@fields $map $($rest)*);)?
    };
    (@fields $map:ident $name:tt : { $($inner:tt)* } $(, $($rest:tt)*)?) => {
        $map.insert($crate::value::json!(@name $name), $crate::value::json!({ $($inner)* }));
        $($crate::value::json!(@fields $map $($rest)*);)?
    };
    (@fields $map:ident $name:tt : $value:expr $(, $($rest:tt)*)?) => {
        $map.insert($crate::value::json!(@name $name), $crate::value::json!($value));
        $($crate::value::json!(@fields $map $($rest)*);)?
    };

    (@name $name:literal) => { $crate::value::SmolStr::new_static($name) };
    (@name $name:expr) => { $crate::value::SmolStr::from($name) };

    ($value:expr) => { $crate::value::ToValue::to_value(&$value) };
}

/// A type whose values [`json!`] can contain.
pub trait ToValue {
    fn to_value(&self) -> Value;
}

impl<T: ToValue + ?Sized> ToValue for &T {
    fn to_value(&self) -> Value {
        (**self).to_value()
    }
}

impl<T: ToValue + ?Sized> ToValue for Arc<T> {
    fn to_value(&self) -> Value {
        (**self).to_value()
    }
}

impl<T: ToValue> ToValue for Option<T> {
    fn to_value(&self) -> Value {
        self.as_ref().map_or(Value::Null, T::to_value)
    }
}

impl<T: ToValue> ToValue for [T] {
    fn to_value(&self) -> Value {
        Value::Array(self.iter().map(T::to_value).collect())
    }
}

impl<T: ToValue, const N: usize> ToValue for [T; N] {
    fn to_value(&self) -> Value {
        self.as_slice().to_value()
    }
}

impl<T: ToValue> ToValue for Vec<T> {
    fn to_value(&self) -> Value {
        self.as_slice().to_value()
    }
}

impl<K: AsRef<str>, T: ToValue> ToValue for BTreeMap<K, T> {
    fn to_value(&self) -> Value {
        self.iter().map(|(name, value)| (SmolStr::new(name), value.to_value())).collect::<Map>().into()
    }
}

impl ToValue for str {
    fn to_value(&self) -> Value {
        self.into()
    }
}

impl ToValue for Cow<'_, str> {
    fn to_value(&self) -> Value {
        (**self).into()
    }
}

macro_rules! of_clones {
    ($($kind:ty),*) => {$(
        impl ToValue for $kind {
            fn to_value(&self) -> Value {
                self.clone().into()
            }
        }
    )*};
}
of_clones!(
    Value,
    Array,
    Map,
    serde_json::Value,
    SmolStr,
    String,
    Number,
    bool,
    u8,
    i32,
    i64,
    u16,
    u32,
    u64,
    usize,
    f64
);
