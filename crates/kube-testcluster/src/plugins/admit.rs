//! The public interface of admission plugins: code of the program that embeds the cluster, which may refuse or change a
//! write before it is stored. A plugin is registered with [`ClusterBuilder::admit`](crate::ClusterBuilder::admit);
//! `admission/in_process.rs` calls it.
//!
//! Upstream: `Attributes` and `Interface` in `k8s.io/apiserver/pkg/admission`.

use std::fmt;
use std::sync::Arc;

use kube_core::Status;
use serde_json::Value;

pub use kube_machinery::conventions::operation::Operation;
use kube_machinery::conventions::user::User;

/// A write before it is stored. Its objects are in the version of the request, with `kind` and `apiVersion`.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct AdmissionRequest {
    /// The operation.
    pub operation: Operation,
    /// The group of the resource; empty for the core group.
    pub group: String,
    /// The version of the request.
    pub version: String,
    /// The kind of the object; for a subresource, the subresource's own kind, such as `Scale`.
    pub kind: String,
    /// The plural name of the resource.
    pub resource: String,
    /// The subresource; empty for the object itself.
    pub subresource: String,
    /// The name of the object. Empty if it is still to be generated, and for an object that is deleted with its
    /// collection.
    pub name: String,
    /// The namespace; empty for a cluster-scoped kind.
    pub namespace: String,
    /// The user who makes the request. A listener without TLS does not authenticate users.
    pub user: User,
    /// True for a dry run, which stores nothing.
    pub dry_run: bool,
    /// The object that will be stored, including changes made here; `None` for a deletion.
    pub object: Option<Value>,
    /// The stored object; `None` for a new one.
    pub old_object: Option<Value>,
}

/// An admission plugin that runs in the cluster's process: see
/// [`ClusterBuilder::admit`](crate::ClusterBuilder::admit).
///
/// Closures implement it: `Fn(&mut AdmissionRequest) -> Result<(), Box<Status>>`.
pub trait Admit: Send + Sync {
    /// Allows the request, changes its object, or refuses it.
    ///
    /// The cluster holds no lock during the call, and calls again if the object was written meanwhile. The call must
    /// not block.
    ///
    /// # Errors
    /// The Status that the client gets. A code below 400 becomes 400.
    fn admit(&self, request: &mut AdmissionRequest) -> Result<(), Box<Status>>;
}

impl<F: Fn(&mut AdmissionRequest) -> Result<(), Box<Status>> + Send + Sync> Admit for F {
    fn admit(&self, request: &mut AdmissionRequest) -> Result<(), Box<Status>> {
        self(request)
    }
}

/// The admission plugins of a cluster, in the order in which they run.
#[derive(Clone, Default)]
pub(crate) struct Plugins(pub(crate) Vec<Arc<dyn Admit>>);

impl fmt::Debug for Plugins {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Plugins").field(&self.0.len()).finish()
    }
}
