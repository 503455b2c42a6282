//! The interface by which the scheduler and the kubelet make requests to an API server in the same process. The server
//! handles them like those of any client, but objects are passed as they are: encoding and decoding them as JSON was
//! most of the work. `kube-testcluster` implements [`Requests`].

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use futures::future::BoxFuture;
use futures::stream::BoxStream;
use kube_client::Error;

use kube_machinery::kinds::Resource;
use kube_machinery::value::Value;

/// A reference to an object.
#[derive(Clone, Debug, PartialEq)]
pub struct ObjectRef {
    /// The kind.
    pub resource: &'static Resource,
    /// The namespace; empty for an object without one.
    pub namespace: String,
    /// The name.
    pub name: String,
}

/// An object as the server has it, shared and immutable.
#[derive(Clone)]
#[expect(missing_debug_implementations, reason = "the objects of a server may be secrets")]
pub struct Received(Arc<dyn AsRef<Value> + Send + Sync>);

impl Received {
    /// Wraps an object that the server shares.
    pub fn new(object: Arc<impl AsRef<Value> + Send + Sync + 'static>) -> Self {
        Self(object)
    }
}

impl Deref for Received {
    type Target = Value;

    fn deref(&self) -> &Value {
        (*self.0).as_ref()
    }
}

/// The component that makes a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Author {
    /// The scheduler.
    Scheduler,
    /// The kubelet.
    Kubelet,
}

/// The existing objects of a kind, and every later change of one. The changes end when the server does.
#[expect(missing_debug_implementations, reason = "a stream has nothing to show")]
pub struct ObjectWatch {
    /// All objects, as they are when the watch begins.
    pub objects: Box<dyn Iterator<Item = Received> + Send>,
    /// The revision of `objects`.
    pub revision: u64,
    /// The changes, each with its revision.
    pub changes: BoxStream<'static, (u64, ObjectChange)>,
}

/// A change of an object.
#[expect(missing_debug_implementations, reason = "the objects of a server may be secrets")]
pub enum ObjectChange {
    /// The object was created or changed.
    Written(Received),
    /// The object is gone.
    Removed {
        /// Its uid.
        uid: String,
    },
}

/// The response of a request, as a future.
pub type Answer<'a, T> = BoxFuture<'a, Result<T, Error>>;

/// Requests to the API. The responses are the same as over HTTP: errors are [`Error::Api`] with the server's Status.
pub trait Requests: fmt::Debug + Send + Sync {
    /// `GET` of an object.
    fn get(&self, object: ObjectRef) -> Answer<'_, Received>;

    /// Waits until one of these objects is written after this call. It may end early, and it does not end if the server
    /// stops.
    fn changed(&self, objects: Vec<ObjectRef>) -> BoxFuture<'static, ()>;

    /// Lists all objects of a kind, and watches their changes from there on.
    fn watch(&self, resource: &'static Resource) -> ObjectWatch;

    /// `POST` to a collection.
    fn create(&self, author: Author, resource: &'static Resource, namespace: String, object: Value) -> Answer<'_, ()>;

    /// `POST` to a pod's `binding`. Returns the pod, which a client over HTTP would see in its watch.
    fn bind(&self, pod: ObjectRef, binding: Value) -> Answer<'_, Received>;

    /// `PATCH` of an object, by a merge patch. Returns the object.
    fn patch(&self, author: Author, object: ObjectRef, patch: Value) -> Answer<'_, Received>;

    /// `PATCH` of a pod's status that merges `status` into the current status. Returns the pod. If the pod has another
    /// uid by now, the error is that of a patch that changes the uid.
    fn write_status(&self, author: Author, pod: ObjectRef, uid: String, status: Value) -> Answer<'_, Received>;

    /// `PATCH` of a node's status by a strategic merge patch, which merges conditions by their type. If the node has
    /// another uid by now, the error is that of a patch that changes the uid. Upstream: `PatchNodeStatus`.
    fn patch_node_status(&self, node: String, uid: String, status: Value) -> Answer<'_, ()>;
}
