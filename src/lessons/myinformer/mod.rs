//! Lesson `myinformer`: a simple informer built by hand, with a handler that prints each notification.
//!
//! The informer is `WatchDog` in `watch_dog.rs`; [`modern`] builds it with RealFIFO.
//!
//! Chapter: `lessons/07-myinformer`. Trace: `fixtures/traces/myinformer.txt`.

pub mod modern;
mod watch_dog;

use std::collections::HashMap;
use std::sync::Arc;

use anyhow::Result;
use k8s_openapi::api::core::v1::Pod;

use super::pods::name;
use crate::lab::Lab;
use crate::trace::Style;
use kube_informers::cache::{Deletion, EventHandler, InitialList, ListWatch};
use watch_dog::WatchDog;

// ANCHOR: myinformer
/// Watches the pods with a WatchDog.
pub async fn run(lab: &Lab) -> Result<()> {
    let pods = ListWatch::<Pod>::namespaced(lab.client(), lab.namespace());
    WatchDog::new(lab, pods, PodHandler::new(lab)).run(lab).await
}

struct PodHandler {
    lab: Lab,
    /// The number of updates of each pod since its deletion began.
    going: HashMap<String, usize>,
}

impl EventHandler<Pod> for PodHandler {
    fn on_add(&mut self, pod: Arc<Pod>, _initial: InitialList) {
        self.lab.print(Style::Added, format_args!("OnAdd: {}", name(&pod)));
    }

    fn on_update(&mut self, _old: Arc<Pod>, new: Arc<Pod>) {
        self.lab.print(Style::Updated, format_args!("OnUpdate: {}", name(&new)));
        if new.metadata.deletion_timestamp.is_some() {
            *self.going.entry(name(&new).to_owned()).or_default() += 1;
        }
    }

    fn on_delete(&mut self, deletion: Deletion<Pod>) {
        let Some(pod) = deletion.object() else { return };
        self.lab.print(Style::Deleted, format_args!("OnDelete: {}", name(pod)));
        let updates = self.going.remove(name(pod)).unwrap_or_default();
        self.narrate(updates);
    }
}
// ANCHOR_END: myinformer

impl PodHandler {
    fn new(lab: &Lab) -> Self {
        Self { lab: lab.clone(), going: HashMap::new() }
    }

    fn narrate(&self, updates: usize) {
        self.lab.narrate(
            &format!(
                "updates during the deletion: {updates}, one for each write of the API server, the kubelet or a plugin."
            ),
            &format!("删除过程中有 {updates} 次更新：API server、kubelet 或插件每写一次就有一次。"),
        );
        self.lab.narrate(
            "The tutorials' cluster made 3 in this program and 4 in the one with the Reflector. No event was lost:",
            "教程的集群在这个程序里写了 3 次，在 Reflector 那个程序里写了 4 次。",
        );
        self.lab.narrate("the network plugin wrote one more time there", "并没有丢事件：那里的网络插件多写了一次");
    }
}
