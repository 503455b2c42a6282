//! Lets JSON values be compared with Rust's strings, numbers and booleans: `object["kind"] == "Pod"`.

use super::{SmolStr, Value};

macro_rules! as_texts {
    ($($text:ty),*) => {$(
        impl PartialEq<$text> for Value {
            fn eq(&self, other: &$text) -> bool {
                self.as_str() == Some(other.as_ref())
            }
        }

        impl PartialEq<Value> for $text {
            fn eq(&self, other: &Value) -> bool {
                other == self
            }
        }
    )*};
}
as_texts!(str, &str, String, SmolStr);

macro_rules! as_numbers {
    ($($number:ty => $read:ident),*) => {$(
        impl PartialEq<$number> for Value {
            fn eq(&self, other: &$number) -> bool {
                self.$read() == Some((*other).into())
            }
        }

        impl PartialEq<$number> for &Value {
            fn eq(&self, other: &$number) -> bool {
                **self == *other
            }
        }
    )*};
}
as_numbers!(bool => as_bool, u16 => as_u64, i32 => as_i64, i64 => as_i64, u32 => as_u64, u64 => as_u64, f64 => as_f64);
