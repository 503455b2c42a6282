//! Reads single members of a JSON object from its text, without building the whole object. Checking an object's
//! `kind` and cutting out its managed fields thus cost little beside decoding it.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use serde::Deserialize;
use serde::de::{Deserializer, Error, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

/// A JSON string, borrowed unless it has escapes.
#[derive(Deserialize)]
pub(super) struct Text<'t>(#[serde(borrow)] pub Cow<'t, str>);

/// Returns the value of the first member with this name; `None` if there is none or it cannot be read. The text behind
/// that member is not read.
pub(super) fn member<'t, V: Deserialize<'t>>(object: &'t str, name: &str) -> Option<V> {
    let mut found = None;
    // The visitor returns an error to stop at the member. The error has no other meaning.
    let _ = serde_json::Deserializer::from_str(object).deserialize_map(First { name, found: &mut found });
    found
}

/// Visits members up to the first with this name.
struct First<'a, V> {
    name: &'a str,
    found: &'a mut Option<V>,
}

impl<'de, V: Deserialize<'de>> Visitor<'de> for First<'_, V> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<(), A::Error> {
        while let Some(Text(name)) = members.next_key()? {
            if name == self.name {
                *self.found = Some(members.next_value()?);
                return Err(A::Error::custom("found"));
            }
            members.next_value::<IgnoredAny>()?;
        }
        Ok(())
    }
}

/// All members of a JSON object as name and value, both as raw text.
pub(super) struct Members<'t>(pub Vec<(&'t RawValue, &'t RawValue)>);

impl<'de> Deserialize<'de> for Members<'de> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_map(All(PhantomData))
    }
}

/// Visits all members.
struct All<'t>(PhantomData<&'t str>);

impl<'de> Visitor<'de> for All<'de> {
    type Value = Members<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Members<'de>, A::Error> {
        let mut all = Vec::new();
        while let Some(member) = members.next_entry()? {
            all.push(member);
        }
        Ok(Members(all))
    }
}
