//! managedFields: who set which field, as server-side apply needs it. They are often most of an object and few controllers read
//! them, so they can be skipped while an object is read.

use std::borrow::Cow;
use std::fmt;

use serde::Deserialize;
use serde::de::value::BorrowedStrDeserializer;
use serde::de::{
    DeserializeOwned, DeserializeSeed, Deserializer, Error, IgnoredAny, IntoDeserializer, MapAccess, SeqAccess, Visitor,
};
use serde::forward_to_deserialize_any;

/// What is done with `metadata.managedFields`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::cache) enum ManagedFields {
    Kept,
    Skipped,
}

/// Reads an object as if its `metadata` had no `managedFields`. Their text is passed over; nothing is allocated for it.
pub(super) fn without_managed_fields<T: DeserializeOwned>(text: &str) -> serde_json::Result<T> {
    let mut json = serde_json::Deserializer::from_str(text);
    let object = T::deserialize(Skipping { inner: &mut json, within: Within::Object })?;
    json.end()?;
    Ok(object)
}

/// What is being read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Within {
    /// The object: its `metadata` is read as [`Within::Metadata`], the rest as it is.
    Object,
    /// The metadata: its `managedFields` are skipped.
    Metadata,
}

/// Stands between a type and what it is read from: a deserializer, a visitor, a seed or the members of an object.
struct Skipping<I> {
    inner: I,
    within: Within,
}

/// The same for the members of an object.
struct Members<A> {
    inner: A,
    within: Within,
    /// The next value is that of the object's `metadata`.
    at_metadata: bool,
}

/// The name of a member.
#[derive(Deserialize)]
struct Name<'t>(#[serde(borrow)] Cow<'t, str>);

impl<'de, D: Deserializer<'de>> Deserializer<'de> for Skipping<D> {
    type Error = D::Error;

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf
        unit unit_struct seq tuple tuple_struct identifier
    }

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        self.inner.deserialize_any(Skipping { inner: visitor, within: self.within })
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        self.inner.deserialize_map(Skipping { inner: visitor, within: self.within })
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        self.inner.deserialize_struct(name, fields, Skipping { inner: visitor, within: self.within })
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        self.inner.deserialize_option(Skipping { inner: visitor, within: self.within })
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, name: &'static str, visitor: V) -> Result<V::Value, D::Error> {
        self.inner.deserialize_newtype_struct(name, Skipping { inner: visitor, within: self.within })
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        self.inner.deserialize_enum(name, variants, visitor)
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        self.inner.deserialize_ignored_any(visitor)
    }
}

/// A value that is no object is handed on as it is.
macro_rules! handed_on {
    ($($visit:ident $value:ty,)*) => {
        $(fn $visit<E: Error>(self, value: $value) -> Result<V::Value, E> {
            self.inner.$visit(value)
        })*
    };
}

impl<'de, V: Visitor<'de>> Visitor<'de> for Skipping<V> {
    type Value = V::Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.inner.expecting(f)
    }

    handed_on! {
        visit_bool bool, visit_i64 i64, visit_u64 u64, visit_f64 f64,
        visit_str &str, visit_borrowed_str &'de str, visit_string String,
    }

    fn visit_unit<E: Error>(self) -> Result<V::Value, E> {
        self.inner.visit_unit()
    }

    fn visit_none<E: Error>(self) -> Result<V::Value, E> {
        self.inner.visit_none()
    }

    fn visit_some<D: Deserializer<'de>>(self, value: D) -> Result<V::Value, D::Error> {
        self.inner.visit_some(Skipping { inner: value, within: self.within })
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, value: D) -> Result<V::Value, D::Error> {
        self.inner.visit_newtype_struct(Skipping { inner: value, within: self.within })
    }

    fn visit_seq<A: SeqAccess<'de>>(self, items: A) -> Result<V::Value, A::Error> {
        self.inner.visit_seq(items)
    }

    fn visit_map<A: MapAccess<'de>>(self, members: A) -> Result<V::Value, A::Error> {
        self.inner.visit_map(Members { inner: members, within: self.within, at_metadata: false })
    }
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for Members<A> {
    type Error = A::Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, A::Error> {
        while let Some(Name(name)) = self.inner.next_key()? {
            if self.within == Within::Metadata && name == "managedFields" {
                self.inner.next_value::<IgnoredAny>()?;
                continue;
            }
            self.at_metadata = self.within == Within::Object && name == "metadata";
            let key = match name {
                Cow::Borrowed(name) => seed.deserialize(BorrowedStrDeserializer::new(name)),
                Cow::Owned(name) => seed.deserialize(name.into_deserializer()),
            };
            return key.map(Some);
        }
        Ok(None)
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, A::Error> {
        if self.at_metadata {
            self.inner.next_value_seed(Skipping { inner: seed, within: Within::Metadata })
        } else {
            self.inner.next_value_seed(seed)
        }
    }
}

impl<'de, S: DeserializeSeed<'de>> DeserializeSeed<'de> for Skipping<S> {
    type Value = S::Value;

    fn deserialize<D: Deserializer<'de>>(self, value: D) -> Result<S::Value, D::Error> {
        self.inner.deserialize(Skipping { inner: value, within: self.within })
    }
}

#[cfg(test)]
mod tests {
    use k8s_openapi::api::core::v1::Pod;
    use kube_core::{DynamicObject, PartialObjectMeta};
    use serde_json::{Value, json};

    use super::*;

    fn pod() -> Value {
        json!({
            "kind": "Pod", "apiVersion": "v1",
            "metadata": {
                "name": "a",
                "managedFields": [{"manager": "kubectl", "fieldsV1": {"f:metadata": {"f:labels": {}}}}],
                "annotations": {"managedFields": "[]}", "metadata": "kept"},
                "uid": "1",
            },
            "spec": {"containers": [{"name": "c", "image": "i"}], "managedFields": 1},
        })
    }

    #[test]
    fn every_type_is_read_as_if_there_were_none() {
        let (with, mut without) = (pod(), pod());
        without["metadata"].as_object_mut().unwrap().remove("managedFields");
        assert_eq!(without_managed_fields::<Value>(&with.to_string()).unwrap(), without);
        let (with, without) = (with.to_string(), without.to_string());
        let pod: Pod = without_managed_fields(&with).unwrap();
        assert_eq!(pod, serde_json::from_str(&without).unwrap());
        let object: DynamicObject = without_managed_fields(&with).unwrap();
        assert_eq!(object, serde_json::from_str::<DynamicObject>(&without).unwrap());
        let partial: PartialObjectMeta<Pod> = without_managed_fields(&with).unwrap();
        assert_eq!((partial.metadata, partial.types), (object.metadata, object.types));
        #[derive(Debug, PartialEq, Deserialize)]
        struct Wrapped(Option<Box<Value>>);
        let wrapped: Wrapped = without_managed_fields(&with).unwrap();
        assert_eq!(wrapped, serde_json::from_str(&without).unwrap());
    }

    #[test]
    fn only_those_of_the_metadata_are_skipped_whatever_they_are_and_however_they_are_written() {
        let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
        for fields in [r#"[{"a":"]}\"\\"}]"#, "null", "7", r#""text""#, "{}", &deep] {
            for name in ["managedFields", r"managed\u0046ields"] {
                let text = format!(r#"{{"managedFields":1,"metadata":{{"name":"a","{name}":{fields},"uid":"1"}}}}"#);
                let read: Value = without_managed_fields(&text).unwrap();
                assert_eq!(read, json!({"managedFields": 1, "metadata": {"name": "a", "uid": "1"}}));
            }
        }
    }

    #[test]
    fn what_is_wrong_is_as_wrong_as_it_was() {
        let whole = pod().to_string();
        for text in (0..whole.len()).map(|length| &whole[..length]).chain([
            r#"{"metadata":{"managedFields":[}}"#,
            r#"{"metadata":{"managedFields":}}"#,
            r#"{"metadata":{"managedFields"}}"#,
            r#"{"metadata":{"name":7}}"#,
            r#"{"metadata":[]}"#,
            r#"{"metadata":{}}x"#,
            "[]",
            "7",
            "null",
        ]) {
            let (read, plain) = (without_managed_fields::<Pod>(text), serde_json::from_str::<Pod>(text));
            let kind = |error: serde_json::Error| error.classify();
            assert_eq!(read.map_err(kind), plain.map_err(kind), "{text}");
        }
    }

    #[test]
    fn metadata_that_is_missing_or_null_is_read_as_without_it() {
        for text in [r#"{"spec":{"containers":[]}}"#, r#"{"metadata":null}"#, "{}"] {
            let plain = serde_json::from_str::<Pod>(text).map_err(|error| error.to_string());
            assert_eq!(without_managed_fields::<Pod>(text).map_err(|error| error.to_string()), plain);
        }
    }
}
