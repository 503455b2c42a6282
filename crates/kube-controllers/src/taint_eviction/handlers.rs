//! The event handlers, which queue the nodes whose `NoExecute` taints have changed, and the pods whose tolerations or
//! nodes have. They make no requests.

use std::sync::Arc;

use kube_client::api::DynamicObject;
use kube_informers::cache::{Deletion, EventHandler, InitialList, deletion_key, meta_namespace_key};

use super::pod::PodTolerations;
use super::tolerations::no_execute;
use super::{Controller, Key};

/// Upstream: `NodeUpdated`.
pub(super) struct NodeHandler(pub(super) Arc<Controller>);

impl EventHandler<DynamicObject> for NodeHandler {
    fn on_add(&mut self, node: Arc<DynamicObject>, _initial: InitialList) {
        self.0.queue.add(Key::Node(meta_namespace_key(&*node)));
    }

    fn on_update(&mut self, old: Arc<DynamicObject>, new: Arc<DynamicObject>) {
        if no_execute(&old) != no_execute(&new) {
            self.0.queue.add(Key::Node(meta_namespace_key(&*new)));
        }
    }

    /// The pods of a deleted node are the pod garbage collector's work.
    fn on_delete(&mut self, _deletion: Deletion<DynamicObject>) {}
}

/// Upstream: `PodUpdated`.
pub(super) struct PodHandler(pub(super) Arc<Controller>);

impl EventHandler<PodTolerations> for PodHandler {
    fn on_add(&mut self, pod: Arc<PodTolerations>, _initial: InitialList) {
        self.0.queue.add(Key::Pod(meta_namespace_key(&*pod)));
    }

    fn on_update(&mut self, old: Arc<PodTolerations>, new: Arc<PodTolerations>) {
        if (old.node(), &old.tolerations) != (new.node(), &new.tolerations) {
            self.0.queue.add(Key::Pod(meta_namespace_key(&*new)));
        }
    }

    fn on_delete(&mut self, deletion: Deletion<PodTolerations>) {
        self.0.queue.add(Key::Pod(deletion_key(&deletion).to_string()));
    }
}
