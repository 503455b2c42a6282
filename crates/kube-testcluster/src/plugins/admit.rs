//! What decides about a write before it is stored. Upstream: `Attributes` and `Interface` in `k8s.io/apiserver/pkg/admission`.

use std::fmt;
use std::sync::Arc;

use kube_core::Status;
use serde_json::Value;

pub use kube_machinery::conventions::operation::Operation;
use kube_machinery::conventions::user::User;

/// A write before it is stored. Objects have the version of the request, with `kind` and `apiVersion`.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct AdmissionRequest {
    /// What is done.
    pub operation: Operation,
    /// The group of the resource; empty for the core group.
    pub group: String,
    /// The version of the request.
    pub version: String,
    /// The kind of the object: of a subresource, its own, such as `Scale`.
    pub kind: String,
    /// The plural.
    pub resource: String,
    /// Empty for the object itself.
    pub subresource: String,
    /// Empty for a new object whose name is still to be generated, and for an object of a collection that is deleted.
    pub name: String,
    /// Empty for a kind without namespaces.
    pub namespace: String,
    /// Who asks. A listener without TLS knows nobody.
    pub user: User,
    /// Whether nothing will be stored.
    pub dry_run: bool,
    /// The object as it is to be stored; `None` for a deletion. What is changed in it, is stored.
    pub object: Option<Value>,
    /// The object as it is stored; `None` for a new one.
    pub old_object: Option<Value>,
}

/// Decides about writes, in the process of the cluster: see [`ClusterBuilder::admit`](crate::ClusterBuilder::admit).
///
/// A closure is one: `Fn(&mut AdmissionRequest) -> Result<(), Box<Status>>`.
pub trait Admit: Send + Sync {
    /// Allows the request, changes its object, or refuses it.
    ///
    /// It runs without any lock, and once more if the object was written meanwhile. It must not wait.
    ///
    /// # Errors
    /// What the client is told. A code below 400 becomes 400.
    fn admit(&self, request: &mut AdmissionRequest) -> Result<(), Box<Status>>;
}

impl<F: Fn(&mut AdmissionRequest) -> Result<(), Box<Status>> + Send + Sync> Admit for F {
    fn admit(&self, request: &mut AdmissionRequest) -> Result<(), Box<Status>> {
        self(request)
    }
}

/// Those of a cluster, in the order in which they are asked.
#[derive(Clone, Default)]
pub(crate) struct Plugins(pub(crate) Vec<Arc<dyn Admit>>);

impl fmt::Debug for Plugins {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Plugins").field(&self.0.len()).finish()
    }
}
