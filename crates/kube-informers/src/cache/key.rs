//! A key identifies an object in a store or a queue. Upstream: `MetaNamespaceKeyFunc` and the related functions in
//! `tools/cache/store.go`.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use crate::cache::delta::Deletion;
use crate::cache::error::{BoxError, KeyError};
use kube_selectors::quote::Quoted;

/// The part of an object's metadata that informers read. An empty string means "not set".
///
/// ```
/// use kube_informers::cache::Meta;
///
/// let meta = Meta::new("default", "nettool", "17").uid("5e1c");
/// assert_eq!((meta.name, meta.labels), ("nettool", None));
/// ```
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Meta<'a> {
    /// `metadata.namespace`; empty for cluster-scoped objects.
    pub namespace: &'a str,
    /// `metadata.name`.
    pub name: &'a str,
    /// `metadata.resourceVersion`. Without it, a watch does not know where to continue.
    pub resource_version: &'a str,
    /// `metadata.uid`.
    pub uid: &'a str,
    /// `metadata.labels`.
    pub labels: Option<&'a BTreeMap<String, String>>,
}

impl<'a> Meta<'a> {
    /// Makes metadata without uid and labels. The namespace is empty for a cluster-scoped object.
    pub fn new(namespace: &'a str, name: &'a str, resource_version: &'a str) -> Self {
        Self { namespace, name, resource_version, uid: "", labels: None }
    }

    /// Sets the uid.
    #[must_use]
    pub fn uid(self, uid: &'a str) -> Self {
        Self { uid, ..self }
    }

    /// Sets the labels.
    #[must_use]
    pub fn labels(self, labels: impl Into<Option<&'a BTreeMap<String, String>>>) -> Self {
        Self { labels: labels.into(), ..self }
    }
}

/// An object with Kubernetes metadata (client-go's `meta.Accessor`). Implemented for every `kube::Resource`.
pub trait Object {
    /// Returns the metadata.
    fn meta(&self) -> Meta<'_>;
}

impl<K: kube_core::Resource> Object for K {
    fn meta(&self) -> Meta<'_> {
        let meta = kube_core::Resource::meta(self);
        Meta {
            namespace: meta.namespace.as_deref().unwrap_or_default(),
            name: meta.name.as_deref().unwrap_or_default(),
            resource_version: meta.resource_version.as_deref().unwrap_or_default(),
            uid: meta.uid.as_deref().unwrap_or_default(),
            labels: meta.labels.as_ref(),
        }
    }
}

/// The result of a key function: a `String`, or a `Result<String, E>` if the function can fail.
///
/// A key function must return the same key for all states of the same object. It runs under the lock of its queue, so
/// it must not use that queue.
pub trait IntoKey: sealed::IntoKey {}

impl<K: sealed::IntoKey> IntoKey for K {}

mod sealed {
    use crate::cache::key::BoxError;

    pub trait IntoKey {
        const CAN_FAIL: bool;

        fn into_key(self) -> Result<String, BoxError>;
    }

    impl IntoKey for String {
        const CAN_FAIL: bool = false;

        fn into_key(self) -> Result<String, BoxError> {
            Ok(self)
        }
    }

    impl<E: Into<BoxError>> IntoKey for Result<String, E> {
        const CAN_FAIL: bool = true;

        fn into_key(self) -> Result<String, BoxError> {
            self.map_err(Into::into)
        }
    }
}

/// A key function of a store or a queue.
pub(crate) struct KeyFn<T> {
    function: Box<FallibleKey<T>>,
    can_fail: bool,
}

type FallibleKey<T> = dyn Fn(&T) -> Result<String, BoxError> + Send + Sync;

impl<T> KeyFn<T> {
    pub fn new<K: IntoKey>(key: impl Fn(&T) -> K + Send + Sync + 'static) -> Self {
        Self { function: Box::new(move |object| key(object).into_key()), can_fail: K::CAN_FAIL }
    }

    /// Returns true if the function may fail for some object. If it cannot fail, a queue that stores no keys need not
    /// call it.
    pub fn can_fail(&self) -> bool {
        self.can_fail
    }

    #[inline]
    pub fn key_of(&self, object: &T) -> Result<String, KeyError> {
        (self.function)(object).map_err(KeyError::new)
    }
}

/// Returns `namespace/name`, or `name` for an object without a namespace (client-go's `MetaNamespaceKeyFunc`).
///
/// ```
/// use kube_informers::cache::meta_namespace_key;
/// use k8s_openapi::api::core::v1::Pod;
///
/// let mut pod = Pod::default();
/// pod.metadata.name = Some("nettool".into());
/// assert_eq!(meta_namespace_key(&pod), "nettool");
/// pod.metadata.namespace = Some("default".into());
/// assert_eq!(meta_namespace_key(&pod), "default/nettool");
/// ```
pub fn meta_namespace_key<T: Object>(object: &T) -> String {
    let meta = object.meta();
    if meta.namespace.is_empty() {
        return meta.name.to_owned();
    }
    [meta.namespace, "/", meta.name].concat() // runs for each event, and is faster than formatting an ObjectName
}

/// Writes the key of [`meta_namespace_key`] into a string that the caller reuses, which saves an allocation for each
/// object.
pub(super) fn write_meta_namespace_key(object: &impl Object, key: &mut String) {
    let meta = object.meta();
    key.clear();
    if !meta.namespace.is_empty() {
        key.push_str(meta.namespace);
        key.push('/');
    }
    key.push_str(meta.name);
}

/// Returns the key of a deleted object: a tombstone's own key, else [`meta_namespace_key`] of the object (client-go's
/// `DeletionHandlingMetaNamespaceKeyFunc`).
pub fn deletion_key<T: Object>(deletion: &Deletion<T>) -> String {
    match deletion {
        Deletion::Final(object) => meta_namespace_key(&**object),
        Deletion::FinalStateUnknown { key, .. } => key.clone(),
    }
}

/// Returns the namespace and name of an object (client-go's `ObjectToName`).
pub fn object_to_name<T: Object>(object: &T) -> ObjectName {
    let meta = object.meta();
    ObjectName { namespace: meta.namespace.to_owned(), name: meta.name.to_owned() }
}

/// Returns the namespace and name of a deleted object, for a tombstone parsed from its key (client-go's
/// `DeletionHandlingObjectToName`).
///
/// # Errors
/// A tombstone's key has more than one slash.
pub fn deletion_name<T: Object>(deletion: &Deletion<T>) -> Result<ObjectName, BadKey> {
    match deletion {
        Deletion::Final(object) => Ok(object_to_name(&**object)),
        Deletion::FinalStateUnknown { key, .. } => key.parse(),
    }
}

/// A namespace and a name (client-go's `ObjectName`).
///
/// `Display` writes the key, and [`FromStr`] parses it (client-go's `SplitMetaNamespaceKey`). The pair does not keep a
/// leading slash: `/b` is parsed as an empty namespace and written as `b`.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ObjectName {
    /// Empty for cluster-scoped objects.
    pub namespace: String,
    /// The object's name.
    pub name: String,
}

/// The error of a key with more than one slash.
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
    fn a_key_has_at_most_one_slash() {
        assert_eq!("a/b".parse(), Ok(ObjectName { namespace: "a".into(), name: "b".into() }));
        assert_eq!("b".parse(), Ok(ObjectName { namespace: String::new(), name: "b".into() }));
        assert_eq!("a/b/c".parse::<ObjectName>(), Err(BadKey("a/b/c".into())));
    }

    #[test]
    fn a_leading_slash_is_lost_when_a_key_is_parsed_and_printed() {
        assert_eq!("/b".parse::<ObjectName>().unwrap().to_string(), "b");
        assert_eq!("a/".parse::<ObjectName>().unwrap().to_string(), "a/");
    }
}
