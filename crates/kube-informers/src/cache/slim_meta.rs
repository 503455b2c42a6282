//! SlimMeta: the few metadata fields that informers need, for object types that keep only a part of each object. A
//! program that reads two fields of each pod need not hold the rest in memory.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::cache::key::Meta;

/// The metadata that informers need, in a fifth of the memory of `ObjectMeta`. It is meant for types that hold only the
/// fields that a program reads. See [`ListWatch::read_as`].
///
#[cfg_attr(feature = "client", doc = "[`ListWatch::read_as`]: crate::cache::ListWatch::read_as")]
#[cfg_attr(
    not(feature = "client"),
    doc = "[`ListWatch::read_as`]: https://docs.rs/kube-informers/latest/kube_informers/cache/struct.ListWatch.html#method.read_as"
)]
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct SlimMeta {
    /// `metadata.namespace`; `None` for cluster-scoped objects.
    pub namespace: Option<Box<str>>,
    /// `metadata.name`.
    pub name: Option<Box<str>>,
    /// `metadata.resourceVersion`.
    pub resource_version: Option<Box<str>>,
    /// `metadata.uid`.
    pub uid: Option<Box<str>>,
    /// `metadata.labels`.
    pub labels: Option<BTreeMap<String, String>>,
}

impl SlimMeta {
    /// Returns the fields as [`Meta`], for an implementation of [`Object::meta`](super::Object::meta).
    pub fn meta(&self) -> Meta<'_> {
        Meta::new(text(&self.namespace), text(&self.name), text(&self.resource_version))
            .uid(text(&self.uid))
            .labels(self.labels.as_ref())
    }
}

fn text(field: &Option<Box<str>>) -> &str {
    field.as_deref().unwrap_or_default()
}
