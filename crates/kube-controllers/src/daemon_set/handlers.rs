//! The DaemonSet controller's handler of nodes, because a change of the nodes changes where daemon pods must run. The
//! handlers of DaemonSets and of pods are the ones in `shared/handlers.rs`.

use std::sync::Arc;

use kube_client::api::DynamicObject;
use kube_informers::cache::{Deletion, EventHandler, InitialList};

use super::Controller;
use crate::shared::handlers::Enqueue;

/// Queues all DaemonSets when a node is added or removed, or when its labels or taints change.
pub(super) struct NodeHandler(pub(super) Arc<Controller>);

impl EventHandler<DynamicObject> for NodeHandler {
    fn on_add(&mut self, _node: Arc<DynamicObject>, _initial: InitialList) {
        self.0.enqueue_all();
    }

    fn on_update(&mut self, old: Arc<DynamicObject>, new: Arc<DynamicObject>) {
        let taints = |node: &DynamicObject| node.data["spec"]["taints"].clone();
        if old.metadata.labels != new.metadata.labels || taints(&old) != taints(&new) {
            self.0.enqueue_all();
        }
    }

    fn on_delete(&mut self, _deletion: Deletion<DynamicObject>) {
        self.0.enqueue_all();
    }
}
