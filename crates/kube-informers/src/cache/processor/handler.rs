//! Event handlers. Upstream: `ResourceEventHandler` in `tools/cache/controller.go`.

use std::fmt;
use std::future::{Future, ready};
use std::sync::Arc;

use super::notification::Notification;
use crate::cache::delta::{Deletion, InitialList};

/// A synchronous handler of changes (client-go's `ResourceEventHandler`). It is called with one change at a time, in
/// order. Each method does nothing by default.
pub trait EventHandler<T> {
    /// Called when an object was added.
    fn on_add(&mut self, _object: Arc<T>, _initial: InitialList) {}
    /// Called when an object was updated, or is repeated unchanged by a resync.
    fn on_update(&mut self, _old: Arc<T>, _new: Arc<T>) {}
    /// Called when an object was deleted.
    fn on_delete(&mut self, _deletion: Deletion<T>) {}
}

/// An asynchronous handler of changes. Implemented for functions from a [`Notification`] to a future.
///
/// A waiting handler does not delay other handlers, because each has its own buffer.
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
    /// Handles a change. The next call comes after the returned future has finished.
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

/// A conversion into a handler, which lets an informer accept an [`AsyncEventHandler`] or an [`EventHandler`]. `Form`,
/// which the compiler infers, distinguishes the two.
///
/// A closure must name the type of its parameter. A closure that captures values is an ordinary closure that returns a
/// future:
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
    /// Converts the handler.
    fn into_event_handler(self) -> impl AsyncEventHandler<T>;
}

/// The [`IntoEventHandler`] form of an [`AsyncEventHandler`].
#[derive(Debug)]
pub enum MayWait {}

/// The [`IntoEventHandler`] form of an [`EventHandler`].
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

/// A handler made of closures (client-go's `ResourceEventHandlerDetailedFuncs`). A change without a closure is ignored.
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
    /// Makes a handler without closures.
    pub fn new() -> Self {
        Self { add: None, update: None, delete: None }
    }

    /// Sets the closure for added objects.
    #[must_use]
    pub fn add_func(mut self, add: impl FnMut(Arc<T>, InitialList) + Send + 'static) -> Self {
        self.add = Some(Box::new(add));
        self
    }

    /// Sets the closure for updated objects. Its arguments are the old and the new state.
    #[must_use]
    pub fn update_func(mut self, update: impl FnMut(Arc<T>, Arc<T>) + Send + 'static) -> Self {
        self.update = Some(Box::new(update));
        self
    }

    /// Sets the closure for deleted objects.
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
