//! Writes a list as a Table, or as the metadata of its objects, object by object: only one object is decoded at a time,
//! and its metadata is copied from the stored text.

use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::answer::List;
use super::table::{IncludeObject, Table, list_metadata_of};
use crate::store::StoreError;
use kube_machinery::value::{Map, SmolStr, Value};

/// Returns the list as a Table. A row includes the metadata of its object or nothing: `table.include` must not be
/// `Object`.
pub(super) fn table(list: &List, table: &Table<'_>) -> Result<Vec<u8>, StoreError> {
    let (metadata, definitions) = (list_metadata_of(&list.metadata), table.definitions());
    let head = format!(
        r#"{{"kind":"Table","apiVersion":"{}","metadata":{metadata},"columnDefinitions":{definitions},"rows":["#,
        table.version
    );
    items(head, list, |out, text| {
        let Row { metadata, object } = serde_json::from_slice(text)?;
        out.extend_from_slice(br#"{"cells":"#);
        out.extend_from_slice(&table.cells(&object).to_json());
        if let Some(conditions) = (table.resource.row_conditions)(&object) {
            out.extend_from_slice(br#","conditions":"#);
            out.extend_from_slice(&conditions.to_json());
        }
        out.extend_from_slice(br#","object":"#);
        match table.include {
            IncludeObject::None => out.extend_from_slice(b"null"),
            _ => write_metadata(out, table.version, metadata),
        }
        out.push(b'}');
        Ok(())
    })
}

/// Returns the list as a `PartialObjectMetadataList`, in a version of `meta.k8s.io`.
pub(super) fn metadata(list: &List, version: &str) -> Result<Vec<u8>, StoreError> {
    let list_metadata = list_metadata_of(&list.metadata);
    let head = format!(
        r#"{{"kind":"PartialObjectMetadataList","apiVersion":"{version}","metadata":{list_metadata},"items":["#
    );
    items(head, list, |out, text| {
        let OnlyMetadata { metadata } = serde_json::from_slice(text)?;
        write_metadata(out, version, metadata);
        Ok(())
    })
}

/// Fills the open list at the end of `head`, and closes it: `write` writes the item of each object.
fn items(
    head: String,
    list: &List,
    write: impl Fn(&mut Vec<u8>, &[u8]) -> serde_json::Result<()>,
) -> Result<Vec<u8>, StoreError> {
    let mut out = head.into_bytes();
    for (n, object) in list.objects.iter().enumerate() {
        if n > 0 {
            out.push(b',');
        }
        write(&mut out, &object.json()).map_err(|error| object.unreadable(&error))?;
    }
    out.extend_from_slice(b"]}\n");
    Ok(out)
}

fn write_metadata(out: &mut Vec<u8>, version: &str, metadata: &RawValue) {
    for piece in [r#"{"kind":"PartialObjectMetadata","apiVersion":""#, version, r#"","metadata":"#, metadata.get(), "}"]
    {
        out.extend_from_slice(piece.as_bytes());
    }
}

#[derive(Deserialize)]
struct OnlyMetadata<'a> {
    #[serde(borrow)]
    metadata: &'a RawValue,
}

/// An object as the row of a Table needs it.
struct Row<'a> {
    metadata: &'a RawValue,
    /// The decoded object without `managedFields`, which no column of a built-in kind shows.
    object: Value,
}

impl<'de> Deserialize<'de> for Row<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(RowVisitor)
    }
}

struct RowVisitor;

impl<'de> Visitor<'de> for RowVisitor {
    type Value = Row<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Row<'de>, A::Error> {
        let (mut metadata, mut object) = (None, Map::new());
        while let Some(name) = fields.next_key::<SmolStr>()? {
            if name == "metadata" {
                let text: &RawValue = fields.next_value()?;
                let Unmanaged(decoded) = serde_json::from_str(text.get()).map_err(serde::de::Error::custom)?;
                object.insert(name, decoded.into());
                metadata = Some(text);
            } else {
                object.insert(name, fields.next_value()?);
            }
        }
        let metadata = metadata.ok_or_else(|| serde::de::Error::missing_field("metadata"))?;
        Ok(Row { metadata, object: object.into() })
    }
}

/// The metadata of an object without `managedFields`.
struct Unmanaged(Map);

impl<'de> Deserialize<'de> for Unmanaged {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(UnmanagedVisitor)
    }
}

struct UnmanagedVisitor;

impl<'de> Visitor<'de> for UnmanagedVisitor {
    type Value = Unmanaged;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the metadata of an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Unmanaged, A::Error> {
        let mut metadata = Map::new();
        while let Some(name) = fields.next_key::<SmolStr>()? {
            if name == "managedFields" {
                fields.next_value::<IgnoredAny>()?;
            } else {
                metadata.insert(name, fields.next_value()?);
            }
        }
        Ok(Unmanaged(metadata))
    }
}
