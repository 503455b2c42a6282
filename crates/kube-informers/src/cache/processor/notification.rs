//! Notification: a change relative to the informer's store. (A delta says only how the change became known.) Upstream:
//! `addNotification`, `updateNotification` and `deleteNotification` in `tools/cache/shared_informer.go`.

mod predicates;

use std::sync::Arc;

use super::handler::EventHandler;
use crate::cache::delta::{Deletion, InitialList};
use crate::cache::key::{Object, meta_namespace_key};

/// One change of an object, relative to the previous state in the informer's store.
#[derive(Debug, PartialEq, Eq)]
pub enum Notification<T> {
    /// The object was not in the store.
    Add {
        /// The object.
        object: Arc<T>,
        /// Tells whether the object belongs to the initial list.
        initial: InitialList,
    },
    /// The object was in the store. In a resync or a relist it may be unchanged; then the resourceVersions are equal.
    Update {
        /// The previous state in the store.
        old: Arc<T>,
        /// The new state.
        new: Arc<T>,
    },
    /// The object was deleted.
    Delete(Deletion<T>),
}

impl<T> Notification<T> {
    /// Makes the notification of an object that was stored: an update if it replaced `old`, else an add.
    pub(in crate::cache) fn stored(old: Option<Arc<T>>, object: Arc<T>, initial: InitialList) -> Self {
        match old {
            Some(old) => Self::Update { old, new: object },
            None => Self::Add { object, initial },
        }
    }

    /// Returns `add`, `update` or `delete`.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Add { .. } => "add",
            Self::Update { .. } => "update",
            Self::Delete(_) => "delete",
        }
    }

    /// Returns true for an add of the initial list.
    pub fn is_initial(&self) -> bool {
        matches!(self, Self::Add { initial: InitialList::Yes, .. })
    }

    /// Returns 1 for an add of the initial list, else 0.
    pub(crate) fn initial_adds(&self) -> usize {
        usize::from(self.is_initial())
    }

    /// Returns the changed object: the new state, or the last known state of a deletion, which a tombstone may not
    /// have.
    pub fn object(&self) -> Option<&Arc<T>> {
        match self {
            Self::Add { object, .. } | Self::Update { new: object, .. } => Some(object),
            Self::Delete(deletion) => deletion.object(),
        }
    }

    /// Returns the object's key, which is `namespace/name` or `name`; for a tombstone the key of the tombstone.
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

    /// Returns true for an update with equal, non-empty resourceVersions, which comes from a resync or a relist.
    pub fn is_unchanged(&self) -> bool
    where
        T: Object,
    {
        let Self::Update { old, new } = self else { return false };
        let (before, after) = (old.meta().resource_version, new.meta().resource_version);
        before == after && !after.is_empty()
    }

    /// Returns true for an update between two different objects with the same name. This happens if an object is
    /// deleted and created again while no watch is open, because the following list shows only the new object.
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

    /// Converts the notification for a consumer of accepted objects only; `None` if it does not concern that consumer.
    ///
    /// An update that makes the object accepted turns into an add, which never counts as a part of the initial list. An
    /// update that makes it no longer accepted turns into a deletion with the old state. A tombstone is filtered by its
    /// last known state, and kept if it has none.
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

/// Returns true if the uids differ: two objects with the same name. Returns false if either has no uid.
pub fn is_recreated<T: Object>(old: &T, new: &T) -> bool {
    let (old, new) = (old.meta(), new.meta());
    old.uid != new.uid && !old.uid.is_empty() && !new.uid.is_empty()
}
