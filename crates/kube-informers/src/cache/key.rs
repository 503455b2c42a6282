//! Keys: how stores and queues name an object. Upstream: `MetaNamespaceKeyFunc` and its kin in `tools/cache/store.go`.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use super::delta::Deletion;
use super::error::{BoxError, NoMetadata};
use crate::quote::Quoted;

/// The part of an object's metadata that the machinery reads. An empty string means "not set".
#[derive(Clone, Copy, Debug, Default)]
pub struct Meta<'a> {
    /// `metadata.namespace`; empty for cluster-scoped objects.
    pub namespace: &'a str,
    /// `metadata.name`.
    pub name: &'a str,
    /// `metadata.resourceVersion`: opaque, compared for equality only.
    pub resource_version: &'a str,
    /// `metadata.uid`.
    pub uid: &'a str,
    /// `metadata.labels`.
    pub labels: Option<&'a BTreeMap<String, String>>,
}

/// Anything that may have Kubernetes metadata (client-go's `meta.Accessor`). Every `kube::Resource` does.
pub trait Object {
    /// The metadata, or nothing for objects that have none.
    fn meta(&self) -> Option<Meta<'_>>;
}

impl<K: kube_core::Resource> Object for K {
    fn meta(&self) -> Option<Meta<'_>> {
        let meta = kube_core::Resource::meta(self);
        Some(Meta {
            namespace: meta.namespace.as_deref().unwrap_or_default(),
            name: meta.name.as_deref().unwrap_or_default(),
            resource_version: meta.resource_version.as_deref().unwrap_or_default(),
            uid: meta.uid.as_deref().unwrap_or_default(),
            labels: meta.labels.as_ref(),
        })
    }
}

/// Computes an object's key. Must give the same key for the same object, whatever changes in it.
pub type KeyFn<T> = Arc<dyn Fn(&T) -> Result<String, BoxError> + Send + Sync>;

/// `namespace/name`, or `name` where there is no namespace (client-go's `MetaNamespaceKeyFunc`).
///
/// ```
/// use kube_informers::cache::meta_namespace_key;
/// use k8s_openapi::api::core::v1::Pod;
///
/// let mut pod = Pod::default();
/// pod.metadata.name = Some("nettool".into());
/// assert_eq!(meta_namespace_key(&pod)?, "nettool");
/// pod.metadata.namespace = Some("default".into());
/// assert_eq!(meta_namespace_key(&pod)?, "default/nettool");
/// # Ok::<(), Box<dyn std::error::Error + Send + Sync>>(())
/// ```
///
/// # Errors
/// [`NoMetadata`] for an object without metadata.
pub fn meta_namespace_key<T: Object>(object: &T) -> Result<String, BoxError> {
    let meta = object.meta().ok_or(NoMetadata)?;
    if meta.namespace.is_empty() {
        return Ok(meta.name.to_owned());
    }
    Ok([meta.namespace, "/", meta.name].concat()) // for every object that passes, so without the formatting of ObjectName
}

/// The key of a deletion: a tombstone's own key, else [`meta_namespace_key`] of the object
/// (client-go's `DeletionHandlingMetaNamespaceKeyFunc`).
///
/// # Errors
/// [`NoMetadata`] for a final object without metadata.
pub fn deletion_key<T: Object>(deletion: &Deletion<T>) -> Result<String, BoxError> {
    match deletion {
        Deletion::Final(object) => meta_namespace_key(&**object),
        Deletion::FinalStateUnknown { key, .. } => Ok(key.clone()),
    }
}

/// The name of an object (client-go's `ObjectToName`).
///
/// # Errors
/// [`NoMetadata`] for an object without metadata.
pub fn object_to_name<T: Object>(object: &T) -> Result<ObjectName, NoMetadata> {
    let meta = object.meta().ok_or(NoMetadata)?;
    Ok(ObjectName { namespace: meta.namespace.to_owned(), name: meta.name.to_owned() })
}

/// The name of a deleted object: that in a tombstone's key, else the object's own (client-go's
/// `DeletionHandlingObjectToName`).
///
/// # Errors
/// [`BadKey`] for a tombstone's key with several slashes, [`NoMetadata`] for a final object without metadata.
pub fn deletion_name<T: Object>(deletion: &Deletion<T>) -> Result<ObjectName, BoxError> {
    match deletion {
        Deletion::Final(object) => Ok(object_to_name(&**object)?),
        Deletion::FinalStateUnknown { key, .. } => Ok(key.parse::<ObjectName>()?),
    }
}

/// A namespace and a name; its text form is the key, and [`FromStr`] reads it back (client-go's `ObjectName`,
/// `SplitMetaNamespaceKey`). One leading slash, an empty namespace, is lost on the way.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ObjectName {
    /// Empty for cluster-scoped objects.
    pub namespace: String,
    /// The object's name.
    pub name: String,
}

/// A key has more than one slash.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unexpected key format: {}", Quoted(.0))]
pub struct BadKey(pub String);

impl fmt::Display for ObjectName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.namespace.is_empty() {
            write!(f, "{}/", self.namespace)?;
        }
        f.write_str(&self.name)
    }
}

impl FromStr for ObjectName {
    type Err = BadKey;

    fn from_str(key: &str) -> Result<Self, BadKey> {
        let (namespace, name) = key.split_once('/').unwrap_or(("", key));
        if name.contains('/') {
            return Err(BadKey(key.to_owned()));
        }
        Ok(Self { namespace: namespace.to_owned(), name: name.to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_has_one_slash_at_most() {
        assert_eq!("a/b".parse(), Ok(ObjectName { namespace: "a".into(), name: "b".into() }));
        assert_eq!("b".parse(), Ok(ObjectName { namespace: String::new(), name: "b".into() }));
        assert_eq!("a/b/c".parse::<ObjectName>(), Err(BadKey("a/b/c".into())));
    }

    #[test]
    fn a_leading_slash_is_lost_when_a_key_is_read_and_printed() {
        assert_eq!("/b".parse::<ObjectName>().unwrap().to_string(), "b");
        assert_eq!("a/".parse::<ObjectName>().unwrap().to_string(), "a/");
    }
}
