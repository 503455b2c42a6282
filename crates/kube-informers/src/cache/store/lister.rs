//! Lister: reads an informer's cache with the interface of a client. Upstream: `tools/cache/listers.go`.

use std::fmt;
use std::sync::Arc;

use kube_core::{ApiResource, Status};

use super::reader::Reader;
use crate::cache::key::Object;
use crate::cache::lister_watcher::ApiError;
use crate::selector::LabelSelector;
use kube_selectors::quote::Quoted;

/// A resource's group and plural name, for messages (apimachinery's `schema.GroupResource`). `Display` writes
/// `deployments.apps`, or `pods` for the core group.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct GroupResource {
    /// The API group; empty for the core group.
    pub group: String,
    /// The plural name in lower case.
    pub resource: String,
}

impl GroupResource {
    /// Returns the group and the plural name of a type.
    pub fn of<K: kube_core::Resource<DynamicType = ()>>() -> Self {
        Self { group: K::group(&()).into_owned(), resource: K::plural(&()).into_owned() }
    }

    fn not_found(&self, name: &str) -> ApiError {
        let message = format!("{self} {} not found", Quoted(name));
        ApiError::Status(Box::new(Status::failure(&message, "NotFound").with_code(404)))
    }
}

impl From<&ApiResource> for GroupResource {
    fn from(resource: &ApiResource) -> Self {
        Self { group: resource.group.clone(), resource: resource.plural.clone() }
    }
}

impl fmt::Display for GroupResource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let dot = if self.group.is_empty() { "" } else { "." };
        write!(f, "{}{dot}{}", self.resource, self.group)
    }
}

/// Reads an informer's objects like a client reads the API server's: by selector or by name, and with the server's
/// NotFound error (client-go's `GenericLister`). A lister sends no requests. Its objects are as fresh as the
/// informer's.
///
/// ```
/// use kube_informers::selector::LabelSelector;
/// use kube_informers::cache::{
///     GroupResource, Indexer, Lister, NAMESPACE_INDEX, meta_namespace_index, meta_namespace_key,
/// };
/// use k8s_openapi::api::core::v1::Pod;
///
/// let indexer = Indexer::new(meta_namespace_key::<Pod>);
/// indexer.index(NAMESPACE_INDEX, meta_namespace_index)?;
/// let mut pod = Pod::default();
/// pod.metadata.namespace = Some("default".into());
/// pod.metadata.name = Some("nettool".into());
/// indexer.add(pod)?;
///
/// let pods = Lister::new(indexer.reader(), GroupResource::of::<Pod>());
/// assert_eq!(pods.list(&LabelSelector::everything()).len(), 1);
/// assert!(pods.namespace("default").get("nettool").is_ok());
/// let error = pods.namespace("default").get("wiremock").unwrap_err();
/// assert!(error.is_not_found());
/// assert_eq!(error.to_string(), r#"pods "wiremock" not found"#);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Lister<T> {
    reader: Reader<T>,
    resource: GroupResource,
}

impl<T: Object> Lister<T> {
    /// Makes a lister of the reader's objects. `resource` appears in error messages.
    pub fn new(reader: Reader<T>, resource: GroupResource) -> Self {
        Self { reader, resource }
    }

    /// Returns the underlying reader.
    pub fn reader(&self) -> &Reader<T> {
        &self.reader
    }

    /// Returns the selected objects of all namespaces.
    pub fn list(&self, selector: &LabelSelector) -> Vec<Arc<T>> {
        self.reader.select(selector)
    }

    /// Returns the object with this key, which is the name of a cluster-scoped object, or `namespace/name`.
    ///
    /// # Errors
    /// The API server's NotFound error, if there is no such object.
    pub fn get(&self, key: &str) -> Result<Arc<T>, ApiError> {
        self.reader.get(key).ok_or_else(|| self.resource.not_found(key))
    }

    /// Returns a lister of one namespace (client-go's `ByNamespace`).
    pub fn namespace<'a>(&'a self, namespace: &'a str) -> NamespaceLister<'a, T> {
        NamespaceLister { lister: self, namespace }
    }
}

impl<T> Clone for Lister<T> {
    fn clone(&self) -> Self {
        Self { reader: self.reader.clone(), resource: self.resource.clone() }
    }
}

impl<T> fmt::Debug for Lister<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Lister").field("resource", &self.resource).field("reader", &self.reader).finish()
    }
}

/// A [`Lister`] of one namespace (client-go's `GenericNamespaceLister`).
pub struct NamespaceLister<'a, T> {
    lister: &'a Lister<T>,
    namespace: &'a str,
}

impl<T> fmt::Debug for NamespaceLister<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NamespaceLister").field("lister", self.lister).field("namespace", &self.namespace).finish()
    }
}

impl<T: Object> NamespaceLister<'_, T> {
    /// Returns the selected objects of the namespace, or of all namespaces if its name is empty.
    pub fn list(&self, selector: &LabelSelector) -> Vec<Arc<T>> {
        self.lister.reader.select_in(self.namespace, selector)
    }

    /// Returns the object with this name.
    ///
    /// # Errors
    /// The API server's NotFound error. As in client-go, cluster-scoped objects are not found here, not even with an
    /// empty namespace.
    pub fn get(&self, name: &str) -> Result<Arc<T>, ApiError> {
        let object = self.lister.reader.get(&format!("{}/{name}", self.namespace));
        object.ok_or_else(|| self.lister.resource.not_found(name))
    }
}
