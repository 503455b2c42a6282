//! The Secrets, ConfigMaps, trust bundles and claims that a pod refers to, and the search for those that are missing. An
//! optional reference is left out, because the kubelet starts a pod without its object.

use std::sync::Arc;

use foldhash::HashMap;
use kube_client::Error;

use crate::nodes::requests::{ObjectRef, Received, Requests};
use kube_machinery::kinds::Resource;
use kube_machinery::value::Value;

/// An object that a pod needs, with some of its keys.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Reference<'a> {
    pub(super) resource: &'static Resource,
    pub(super) name: &'a str,
    /// The keys that the object must have.
    pub(super) keys: Vec<&'a str>,
    /// The fields of the object in which a key may be.
    pub(super) fields: &'static [&'static str],
}

/// The part of a reference that is missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Missing<'a> {
    Object,
    Key(&'a str),
}

impl Reference<'_> {
    /// Returns the error of the kubelet's `GetSecret` and `GetConfigMap`. Upstream: `watch_based_manager.go`.
    pub(super) fn not_found(&self) -> String {
        format!("{} {:?} not found", self.resource.kind().to_lowercase(), self.name)
    }
}

/// Returns true if a reference is marked as optional.
pub(super) fn is_optional(reference: &Value) -> bool {
    reference["optional"] == true
}

/// Reads the objects that one pod refers to, each once.
pub(super) struct Lookup {
    api: Arc<dyn Requests>,
    pub(super) namespace: String,
    /// By kind and name; `None` for an object that does not exist.
    read: HashMap<(String, String), Option<Received>>,
}

impl Lookup {
    pub(super) fn new(api: Arc<dyn Requests>, namespace: &str) -> Self {
        Self { api, namespace: namespace.to_owned(), read: HashMap::default() }
    }

    /// Returns the first part of the reference that is missing.
    pub(super) async fn missing<'a>(&mut self, reference: &Reference<'a>) -> Result<Option<Missing<'a>>, Error> {
        let Some(object) = self.get(reference).await? else { return Ok(Some(Missing::Object)) };
        let has = |key: &str| reference.fields.iter().any(|field| object[*field].get(key).is_some());
        Ok(reference.keys.iter().find(|key| !has(key)).map(|key| Missing::Key(key)))
    }

    /// Returns the object of a reference, for the request that waits for it.
    pub(super) fn object_ref(&self, reference: &Reference<'_>) -> ObjectRef {
        let namespace = if reference.resource.is_namespaced() { self.namespace.clone() } else { String::new() };
        let name = reference.name.to_owned();
        ObjectRef { resource: reference.resource, namespace, name }
    }

    /// Returns the object of a reference, if it exists.
    pub(super) async fn get(&mut self, reference: &Reference<'_>) -> Result<Option<Received>, Error> {
        if reference.name.is_empty() {
            return Ok(None); // validation allows an empty name, which no object has
        }
        let key = (reference.resource.kind().to_owned(), reference.name.to_owned());
        if let Some(read) = self.read.get(&key) {
            return Ok(read.clone());
        }
        let found = match self.api.get(self.object_ref(reference)).await {
            Ok(object) => Some(object),
            // 400 is the answer to a name that no object can have. Upstream's kubelet does not find it either.
            Err(Error::Api(status)) if status.code == 404 || status.code == 400 => None,
            Err(error) => return Err(error),
        };
        self.read.insert(key, found.clone());
        Ok(found)
    }
}
