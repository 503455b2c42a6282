//! The event handlers that most workload controllers share: after a change of an object of the controller's kind, or of
//! one of its dependents such as a pod, they put the key of the object that must be synced into the work queue. They
//! make no requests.

use std::sync::Arc;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube_client::api::DynamicObject;
use kube_core::Resource;
use kube_informers::cache::{Deletion, EventHandler, InitialList, Lister, deletion_key, meta_namespace_key};
use kube_selectors::LabelSelector;

use super::object::{controller, controller_of_kind, namespace};
use super::reconciler::Reconciler;
use kube_machinery::conventions::label_selector;

/// A controller that queues the objects of its kind by `namespace/name`.
pub(crate) trait Enqueue: Reconciler<Key: From<String>> {
    fn objects(&self) -> &Lister<DynamicObject>;

    /// Forgets a deleted object, so that a new one of the same name starts afresh.
    fn forget(&self, key: &str, deletion: &Deletion<DynamicObject>);

    /// Handles an added or changed object which no object of the controller's kind controls.
    fn on_unowned(&self, _: &ObjectMeta) {}

    fn enqueue(&self, object: &DynamicObject) {
        self.queue().add(meta_namespace_key(object).into());
    }

    fn enqueue_all(&self) {
        self.objects().list(&LabelSelector::everything()).iter().for_each(|object| self.enqueue(object));
    }

    /// Returns the object of the controller's kind that controls another object.
    fn owner(&self, dependent: &ObjectMeta) -> Option<Arc<DynamicObject>> {
        let owner = controller_of_kind(dependent, &Self::Kind::kind(&()))?;
        let object = self.objects().namespace(namespace(dependent)).get(&owner.name).ok()?;
        (object.metadata.uid.as_ref() == Some(&owner.uid)).then_some(object) // the owner may be an earlier object of this name
    }

    fn enqueue_owner(&self, dependent: &ObjectMeta) {
        if let Some(owner) = self.owner(dependent) {
            self.enqueue(&owner);
        }
    }

    /// Queues the objects that may adopt an object which has no controller: those whose selector matches its labels.
    fn enqueue_matching(&self, orphan: &ObjectMeta) {
        for object in self.objects().namespace(namespace(orphan)).list(&LabelSelector::everything()) {
            let selector = label_selector::read(&object.data["spec"]["selector"].clone().into());
            if selector.is_ok_and(|selector| !selector.is_everything() && selector.matches(orphan.labels.as_ref())) {
                self.enqueue(&object);
            }
        }
    }
}

/// Queues each object of the controller's kind that was added, changed or deleted.
pub(crate) struct OwnKindHandler<C>(pub(crate) Arc<C>);

impl<C: Enqueue> EventHandler<DynamicObject> for OwnKindHandler<C> {
    fn on_add(&mut self, object: Arc<DynamicObject>, _initial: InitialList) {
        self.0.enqueue(&object);
    }

    fn on_update(&mut self, _old: Arc<DynamicObject>, new: Arc<DynamicObject>) {
        self.0.enqueue(&new);
    }

    fn on_delete(&mut self, deletion: Deletion<DynamicObject>) {
        let key = deletion_key(&deletion).to_string();
        self.0.forget(&key, &deletion);
        self.0.queue().add(key.into());
    }
}

/// Queues the owner of each object that was added, changed or deleted; for an object without a controller, the objects
/// that may adopt it.
pub(crate) struct DependentHandler<C>(pub(crate) Arc<C>);

impl<C: Enqueue> DependentHandler<C> {
    /// Queues the owner. If there is none, and the change may have made an adoption possible, queues the objects that
    /// may adopt the dependent.
    fn enqueue(&self, dependent: &ObjectMeta, may_be_adopted: bool) {
        match self.0.owner(dependent) {
            Some(owner) => self.0.enqueue(&owner),
            None => {
                if may_be_adopted && controller(dependent).is_none() {
                    self.0.enqueue_matching(dependent);
                }
                self.0.on_unowned(dependent);
            }
        }
    }
}

impl<C: Enqueue, T: Resource + Send + Sync + 'static> EventHandler<T> for DependentHandler<C> {
    fn on_add(&mut self, dependent: Arc<T>, _initial: InitialList) {
        let may_be_adopted = true;
        self.enqueue(dependent.meta(), may_be_adopted);
    }

    fn on_update(&mut self, old: Arc<T>, new: Arc<T>) {
        let (old, new) = (old.meta(), new.meta());
        if old.resource_version == new.resource_version {
            return; // a resync: nothing changed
        }
        let has_moved = controller(old) != controller(new);
        if has_moved {
            self.0.enqueue_owner(old);
        }
        self.enqueue(new, has_moved || old.labels != new.labels);
    }

    fn on_delete(&mut self, deletion: Deletion<T>) {
        if let Some(dependent) = deletion.object() {
            self.0.enqueue_owner(dependent.meta());
        }
    }
}
