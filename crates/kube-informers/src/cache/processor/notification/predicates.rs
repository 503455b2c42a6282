//! Predicates: which part of an object a notification changes. In Go: controller-runtime's `pkg/predicate`.

use kube_core::{Resource, ResourceExt};

use super::Notification;

/// Predicates by which a handler or a stream skips irrelevant updates. Each returns true for an add, for a deletion,
/// and for an object that was created again with the same name while no watch was open, because then everything has
/// changed.
///
/// ```
/// use kube_informers::cache::Notification;
/// use k8s_openapi::api::apps::v1::ReplicaSet;
///
/// let set = |uid: &str, generation: i64, version: &str| {
///     let mut set = ReplicaSet::default();
///     set.metadata.uid = Some(uid.into());
///     set.metadata.generation = Some(generation);
///     set.metadata.resource_version = Some(version.into());
///     std::sync::Arc::new(set)
/// };
/// let of_status = Notification::Update { old: set("a", 1, "7"), new: set("a", 1, "8") };
/// assert!(!of_status.generation_changed());
/// let created_again = Notification::Update { old: set("a", 1, "7"), new: set("b", 1, "9") };
/// assert!(created_again.generation_changed() && created_again.labels_changed());
/// ```
impl<K: Resource> Notification<K> {
    /// Returns true if the spec has changed, not only the status or the metadata (controller-runtime's
    /// `GenerationChangedPredicate`). For a kind without `metadata.generation`, such as ConfigMap, every new
    /// resourceVersion counts as a change.
    pub fn generation_changed(&self) -> bool {
        self.differs(|old, new| match (old.meta().generation, new.meta().generation) {
            (None, None) => old.meta().resource_version != new.meta().resource_version,
            (before, after) => before != after,
        })
    }

    /// Returns true if the labels have changed.
    pub fn labels_changed(&self) -> bool {
        self.differs(|old, new| old.labels() != new.labels())
    }

    /// Returns true if the annotations have changed.
    pub fn annotations_changed(&self) -> bool {
        self.differs(|old, new| old.annotations() != new.annotations())
    }

    /// Returns true if the finalizers have changed.
    pub fn finalizers_changed(&self) -> bool {
        self.differs(|old, new| old.finalizers() != new.finalizers())
    }

    fn differs(&self, differ: impl FnOnce(&K, &K) -> bool) -> bool {
        match self {
            Self::Update { old, new } => self.is_recreation() || differ(old, new),
            Self::Add { .. } | Self::Delete(_) => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use k8s_openapi::api::core::v1::ConfigMap;

    use crate::cache::delta::{Deletion, InitialList};
    use crate::cache::processor::Notification;

    fn object(change: impl FnOnce(&mut ConfigMap)) -> Arc<ConfigMap> {
        let mut object = ConfigMap::default();
        object.metadata.uid = Some("a".into());
        object.metadata.resource_version = Some("1".into());
        change(&mut object);
        object.into()
    }

    fn answers(notification: &Notification<ConfigMap>) -> [bool; 4] {
        [
            notification.generation_changed(),
            notification.labels_changed(),
            notification.annotations_changed(),
            notification.finalizers_changed(),
        ]
    }

    fn update(change: impl FnOnce(&mut ConfigMap)) -> Notification<ConfigMap> {
        Notification::Update { old: object(|_| {}), new: object(change) }
    }

    #[test]
    fn each_predicate_sees_its_own_part_of_the_metadata() {
        let map = || Some([("a".to_owned(), "b".to_owned())].into());
        assert_eq!(answers(&update(|_| {})), [false; 4]);
        assert_eq!(answers(&update(|new| new.metadata.generation = Some(2))), [true, false, false, false]);
        assert_eq!(answers(&update(|new| new.metadata.labels = map())), [false, true, false, false]);
        assert_eq!(answers(&update(|new| new.metadata.annotations = map())), [false, false, true, false]);
        assert_eq!(
            answers(&update(|new| new.metadata.finalizers = Some(vec!["a".into()]))),
            [false, false, false, true]
        );
        assert_eq!(
            answers(&update(|new| new.metadata.labels = Some([].into()))),
            [false; 4],
            "missing labels equal empty labels"
        );
    }

    #[test]
    fn without_a_generation_every_resource_version_counts() {
        let new_version = update(|new| new.metadata.resource_version = Some("2".into()));
        assert_eq!(answers(&new_version), [true, false, false, false]);
    }

    #[test]
    fn everything_has_changed_in_an_add_a_deletion_or_a_recreation() {
        let created_again = update(|new| new.metadata.uid = Some("b".into()));
        assert_eq!(answers(&created_again), [true; 4]);
        assert_eq!(answers(&Notification::Add { object: object(|_| {}), initial: InitialList::No }), [true; 4]);
        assert_eq!(answers(&Notification::Delete(Deletion::Final(object(|_| {})))), [true; 4]);
    }
}
