//! Handlers: what is called when an object changes. Upstream: `ResourceEventHandler` in `tools/cache/controller.go`.

use std::future::{Future, ready};
use std::sync::Arc;

use super::delta::{Deletion, InitialList};
use super::key::{Object, meta_namespace_key};

/// What a handler is told: one change as the consumer's store saw it.
#[derive(Debug, PartialEq, Eq)]
pub enum Notification<T> {
    /// The object was not in the store.
    Add {
        /// The object.
        object: Arc<T>,
        /// Was it there when the watching began?
        initial: InitialList,
    },
    /// The object was in the store; it may be unchanged (a resync or a relist), then the resourceVersions are equal.
    Update {
        /// As the store had it.
        old: Arc<T>,
        /// As it is.
        new: Arc<T>,
    },
    /// The object is gone.
    Delete(Deletion<T>),
}

impl<T> Notification<T> {
    /// `add`, `update` or `delete`.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Add { .. } => "add",
            Self::Update { .. } => "update",
            Self::Delete(_) => "delete",
        }
    }

    /// Is it an addition of the initial list?
    pub fn is_initial(&self) -> bool {
        matches!(self, Self::Add { initial: InitialList::Yes, .. })
    }

    pub(crate) fn initial_adds(&self) -> usize {
        usize::from(self.is_initial())
    }

    /// The key of the object.
    pub fn key(&self) -> String
    where
        T: Object,
    {
        let object = match self {
            Self::Add { object, .. } | Self::Update { new: object, .. } => object,
            Self::Delete(Deletion::Final(object)) => object,
            Self::Delete(Deletion::FinalStateUnknown { key, .. }) => return key.clone(),
        };
        meta_namespace_key(&**object)
    }

    /// Is it an update between two objects of one name? That happens when one is deleted and the next created while no watch
    /// was open: the list that follows shows only the new one.
    ///
    /// ```
    /// use kube_informers::cache::Notification;
    /// use k8s_openapi::api::core::v1::Pod;
    ///
    /// let pod = |uid: &str| {
    ///     let mut pod = Pod::default();
    ///     pod.metadata.uid = Some(uid.into());
    ///     std::sync::Arc::new(pod)
    /// };
    /// assert!(Notification::Update { old: pod("a"), new: pod("b") }.is_recreation());
    /// assert!(!Notification::Update { old: pod("a"), new: pod("a") }.is_recreation());
    /// ```
    pub fn is_recreation(&self) -> bool
    where
        T: Object,
    {
        matches!(self, Self::Update { old, new } if is_recreated(&**old, &**new))
    }

    /// Calls the matching method of `handler`.
    pub fn deliver(self, handler: &mut impl EventHandler<T>) {
        match self {
            Self::Add { object, initial } => handler.on_add(object, initial),
            Self::Update { old, new } => handler.on_update(old, new),
            Self::Delete(deletion) => handler.on_delete(deletion),
        }
    }
}

impl<T> Clone for Notification<T> {
    fn clone(&self) -> Self {
        match self {
            Self::Add { object, initial } => Self::Add { object: object.clone(), initial: *initial },
            Self::Update { old, new } => Self::Update { old: old.clone(), new: new.clone() },
            Self::Delete(deletion) => Self::Delete(deletion.clone()),
        }
    }
}

/// Is `new` another object than `old`, of the same name? Its uid says so; without one, no.
pub fn is_recreated<T: Object>(old: &T, new: &T) -> bool {
    let (old, new) = (old.meta(), new.meta());
    old.uid != new.uid && !old.uid.is_empty() && !new.uid.is_empty()
}

/// Called with each change, one at a time, in order. A method that is not written does nothing.
pub trait EventHandler<T> {
    /// An object came.
    fn on_add(&mut self, _object: Arc<T>, _initial: InitialList) {}
    /// An object changed, or is told again.
    fn on_update(&mut self, _old: Arc<T>, _new: Arc<T>) {}
    /// An object is gone.
    fn on_delete(&mut self, _deletion: Deletion<T>) {}
}

/// A handler that may wait. Every [`EventHandler`] is one that doesn't.
///
/// Only this handler waits: each has a buffer of its own, and the others go on.
pub trait AsyncEventHandler<T>: Send + 'static {
    /// Called with each change; the next one comes when the future is ready.
    fn handle(&mut self, notification: Notification<T>) -> impl Future<Output = ()> + Send;
}

impl<T, H: EventHandler<T> + Send + 'static> AsyncEventHandler<T> for H {
    fn handle(&mut self, notification: Notification<T>) -> impl Future<Output = ()> + Send {
        notification.deliver(self);
        ready(())
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
