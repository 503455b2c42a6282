//! Notification: one change, as handlers and subscriptions are told of it. Upstream: `addNotification` and its kin in
//! `tools/cache/shared_informer.go`.

mod predicates;

use std::sync::Arc;

use super::handler::EventHandler;
use crate::cache::delta::{Deletion, InitialList};
use crate::cache::key::{Object, meta_namespace_key};

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
    /// What storing `object` in place of `old`, if that was there, is to a handler.
    pub(in crate::cache) fn stored(old: Option<Arc<T>>, object: Arc<T>, initial: InitialList) -> Self {
        match old {
            Some(old) => Self::Update { old, new: object },
            None => Self::Add { object, initial },
        }
    }

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

    /// The object that the change is about: the new one of an update, and the last known one of a deletion. A deletion that was missed
    /// may have none.
    pub fn object(&self) -> Option<&Arc<T>> {
        match self {
            Self::Add { object, .. } | Self::Update { new: object, .. } => Some(object),
            Self::Delete(deletion) => deletion.object(),
        }
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

    /// Is it an update from an object to itself: a resync or a relist, and no change? Equal resourceVersions say so; empty ones say
    /// nothing.
    pub fn is_unchanged(&self) -> bool
    where
        T: Object,
    {
        let Self::Update { old, new } = self else { return false };
        let (before, after) = (old.meta().resource_version, new.meta().resource_version);
        before == after && !after.is_empty()
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

    /// What it is to someone who wants only the objects that `accept` says yes to: an object that begins to be wanted is added
    /// (never as part of the initial list), one that no longer is wanted is deleted with its old state. A tombstone is judged by
    /// its last known state, and stays if it has none.
    ///
    /// ```
    /// use kube_informers::cache::{Deletion, Notification};
    ///
    /// let even = |number: &i32| number % 2 == 0;
    /// let update = |old: i32, new: i32| Notification::Update { old: old.into(), new: new.into() };
    /// assert_eq!(update(2, 3).only(even), Some(Notification::Delete(Deletion::Final(2.into()))));
    /// assert_eq!(update(3, 5).only(even), None);
    /// ```
    #[must_use]
    pub fn only(self, mut accept: impl FnMut(&T) -> bool) -> Option<Self> {
        match self {
            Self::Add { object, initial } => accept(&object).then_some(Self::Add { object, initial }),
            Self::Update { old, new } => match (accept(&old), accept(&new)) {
                (true, true) => Some(Self::Update { old, new }),
                (false, true) => Some(Self::Add { object: new, initial: InitialList::No }),
                (true, false) => Some(Self::Delete(Deletion::Final(old))),
                (false, false) => None,
            },
            Self::Delete(deletion) => {
                deletion.object().is_none_or(|object| accept(object)).then_some(Self::Delete(deletion))
            }
        }
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
