//! The requests of the scheduler and the kubelet. They are clients of the API, which decides and answers as it does for any
//! other. Only the text is left out: it would be written to be read again in the same process, and was most of their work.

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use futures::future::BoxFuture;
use futures::stream::BoxStream;
use kube_client::Error;

use kube_machinery::kinds::Resource;
use kube_machinery::value::Value;

/// An object that is there.
#[derive(Clone, Debug)]
pub struct ObjectRef {
    pub resource: &'static Resource,
    pub namespace: String,
    pub name: String,
}

/// An object as the server has it. It is shared, and nobody changes it.
#[derive(Clone)]
pub struct Received(Arc<dyn AsRef<Value> + Send + Sync>);

impl Received {
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

/// Who asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Author {
    Scheduler,
    Kubelet,
}

/// The pods there are, and every later change of one. The changes end when the server does.
pub struct PodWatch {
    pub pods: Box<dyn Iterator<Item = Received> + Send>,
    /// The revision of this state.
    pub revision: u64,
    /// Each with its revision.
    pub changes: BoxStream<'static, (u64, PodChange)>,
}

/// What became of a pod.
pub enum PodChange {
    Written(Received),
    Removed { uid: String },
}

/// What an answer is, or becomes.
pub type Answer<'a, T> = BoxFuture<'a, Result<T, Error>>;

/// Requests to the API. Each has the answer of the request over HTTP: the errors are [`Error::Api`] with the server's Status.
pub trait Requests: fmt::Debug + Send + Sync {
    /// `GET` of an object.
    fn get(&self, object: ObjectRef) -> Answer<'_, Received>;

    /// A watch of all pods that begins with those there are.
    fn watch_pods(&self) -> PodWatch;

    /// `POST` to a collection.
    fn create(&self, author: Author, resource: &'static Resource, namespace: String, object: Value) -> Answer<'_, ()>;

    /// `POST` to a pod's `binding`. The answer is the pod: a client over HTTP would see it in its watch.
    fn bind(&self, pod: ObjectRef, binding: Value) -> Answer<'_, Received>;

    /// `PATCH` of an object, by a merge patch. The answer is the object.
    fn patch(&self, object: ObjectRef, patch: Value) -> Answer<'_, Received>;

    /// The `PATCH` of a pod's status that puts what is said over the status of the moment. The answer is the pod, or that of a patch
    /// which changes the uid if the pod is another one.
    fn write_status(&self, author: Author, pod: ObjectRef, uid: String, said: Value) -> Answer<'_, Received>;
}
