//! Handlers: what is called when an object changes. Upstream: `ResourceEventHandler` in `tools/cache/controller.go`.

use std::fmt;
use std::future::{Future, ready};
use std::sync::Arc;

use super::notification::Notification;
use crate::cache::delta::{Deletion, InitialList};

/// Called with each change, one at a time, in order. A method that is not written does nothing.
pub trait EventHandler<T> {
    /// An object came.
    fn on_add(&mut self, _object: Arc<T>, _initial: InitialList) {}
    /// An object changed, or is told again.
    fn on_update(&mut self, _old: Arc<T>, _new: Arc<T>) {}
    /// An object is gone.
    fn on_delete(&mut self, _deletion: Deletion<T>) {}
}

/// A handler that may wait. A function of a [`Notification`] that returns a future is one.
///
/// Only this handler waits: each has a buffer of its own, and the others go on.
///
/// ```
/// # async fn example(informer: kube_informers::cache::SharedIndexInformer<k8s_openapi::api::core::v1::Pod>)
/// # -> Result<(), Box<dyn std::error::Error>> {
/// use k8s_openapi::api::core::v1::Pod;
/// use kube_informers::cache::Notification;
///
/// informer.add_event_handler(|change: Notification<Pod>| async move { println!("{}", change.kind()) })?;
/// # Ok(()) }
/// ```
pub trait AsyncEventHandler<T>: Send + 'static {
    /// Called with each change; the next one comes when the future is ready.
    fn handle(&mut self, notification: Notification<T>) -> impl Future<Output = ()> + Send;
}

impl<T, F, Fut> AsyncEventHandler<T> for F
where
    F: FnMut(Notification<T>) -> Fut + Send + 'static,
    Fut: Future<Output = ()> + Send,
{
    fn handle(&mut self, notification: Notification<T>) -> impl Future<Output = ()> + Send {
        self(notification)
    }
}

/// What an informer takes as a handler: an [`AsyncEventHandler`], or an [`EventHandler`], which never waits.
///
/// `Form` says which of the two it is; the compiler finds it.
///
/// An asynchronous closure must name the type of its parameter. One that keeps something, such as a queue, returns a future:
///
/// ```
/// # #[tokio::main(flavor = "current_thread", start_paused = true)] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use std::future::ready;
/// use std::sync::Arc;
/// use kube_informers::cache::{ListWatch, Notification, SharedIndexInformer};
/// use kube_informers::workqueue::WorkQueue;
/// use k8s_openapi::api::core::v1::Pod;
///
/// # let client = kube_testcluster::Cluster::builder().start().client("default");
/// let informer = SharedIndexInformer::new(ListWatch::<Pod>::all(client));
/// let queue = Arc::new(WorkQueue::new());
/// let keys = queue.clone();
/// informer.add_event_handler(move |change: Notification<Pod>| {
///     keys.add(change.key());
///     ready(())
/// })?;
/// # Ok(()) }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no handler of notifications of `{T}`",
    note = "a handler is an `EventHandler`, an `AsyncEventHandler`, or a closure `|change: Notification<T>| -> impl Future<Output = ()>`",
    note = "a closure that never waits ends with `std::future::ready(())`; or loop over `informer.subscribe(..)`"
)]
pub trait IntoEventHandler<T, Form> {
    /// The handler as one that may wait.
    fn into_event_handler(self) -> impl AsyncEventHandler<T>;
}

/// The [`IntoEventHandler`] form of a handler that may wait.
#[derive(Debug)]
pub enum MayWait {}

/// The [`IntoEventHandler`] form of a handler that never waits.
#[derive(Debug)]
pub enum NeverWaits {}

impl<T, H: AsyncEventHandler<T>> IntoEventHandler<T, MayWait> for H {
    fn into_event_handler(self) -> impl AsyncEventHandler<T> {
        self
    }
}

impl<T, H: EventHandler<T> + Send + 'static> IntoEventHandler<T, NeverWaits> for H {
    fn into_event_handler(mut self) -> impl AsyncEventHandler<T> {
        move |notification: Notification<T>| {
            notification.deliver(&mut self);
            ready(())
        }
    }
}

type OnAdd<T> = Box<dyn FnMut(Arc<T>, InitialList) + Send>;
type OnUpdate<T> = Box<dyn FnMut(Arc<T>, Arc<T>) + Send>;
type OnDelete<T> = Box<dyn FnMut(Deletion<T>) + Send>;

/// A handler made of closures (client-go's `ResourceEventHandlerDetailedFuncs`); those not given do nothing.
///
/// ```
/// use kube_informers::cache::{EventHandler, HandlerFuncs, InitialList};
///
/// let mut handler = HandlerFuncs::new().add_func(|pod: std::sync::Arc<&str>, _| assert_eq!(*pod, "nettool"));
/// handler.on_add("nettool".into(), InitialList::No);
/// ```
pub struct HandlerFuncs<T> {
    add: Option<OnAdd<T>>,
    update: Option<OnUpdate<T>>,
    delete: Option<OnDelete<T>>,
}

impl<T> HandlerFuncs<T> {
    /// Does nothing yet.
    pub fn new() -> Self {
        Self { add: None, update: None, delete: None }
    }

    /// Called when an object came.
    #[must_use]
    pub fn add_func(mut self, add: impl FnMut(Arc<T>, InitialList) + Send + 'static) -> Self {
        self.add = Some(Box::new(add));
        self
    }

    /// Called when an object changed, with its old and its new state.
    #[must_use]
    pub fn update_func(mut self, update: impl FnMut(Arc<T>, Arc<T>) + Send + 'static) -> Self {
        self.update = Some(Box::new(update));
        self
    }

    /// Called when an object is gone.
    #[must_use]
    pub fn delete_func(mut self, delete: impl FnMut(Deletion<T>) + Send + 'static) -> Self {
        self.delete = Some(Box::new(delete));
        self
    }
}

impl<T> Default for HandlerFuncs<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T> EventHandler<T> for HandlerFuncs<T> {
    fn on_add(&mut self, object: Arc<T>, initial: InitialList) {
        if let Some(add) = &mut self.add {
            add(object, initial);
        }
    }

    fn on_update(&mut self, old: Arc<T>, new: Arc<T>) {
        if let Some(update) = &mut self.update {
            update(old, new);
        }
    }

    fn on_delete(&mut self, deletion: Deletion<T>) {
        if let Some(delete) = &mut self.delete {
            delete(deletion);
        }
    }
}

impl<T> fmt::Debug for HandlerFuncs<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [add, update, delete] = [self.add.is_some(), self.update.is_some(), self.delete.is_some()];
        f.debug_struct("HandlerFuncs").field("add", &add).field("update", &update).field("delete", &delete).finish()
    }
}
