//! Lesson `wake`: a controller's own write of a status comes back as an update, and wakes the controller. Four
//! ReplicaSets, whose names say how the controller treats them, show when that ends.
//!
//! Chapter: `lessons/16-controller`. Trace: `fixtures/traces/wake.txt`.

use std::collections::HashMap;
use std::sync::Arc;

use anyhow::Result;
use futures::try_join;
use k8s_openapi::api::apps::v1::{ReplicaSet, ReplicaSetCondition, ReplicaSetStatus};
use kube::Api;
use kube::api::{Patch, PatchParams};
use serde_json::json;
use tokio::time::Instant;

use crate::lab::Lab;
use crate::trace::Style;
use kube_informers::cache::{EventHandler, InitialList, ListWatch, Reader, SharedIndexInformer};
use kube_informers::workqueue::WorkQueue;

/// The number of syncs after which the lesson gives up a ReplicaSet that wakes its controller for ever.
const ENOUGH: usize = 5;

// ANCHOR: wake
/// Handles the ReplicaSets with the label `lesson=wake`, one key after the other.
pub async fn run(lab: &Lab) -> Result<()> {
    let sets = ListWatch::<ReplicaSet>::namespaced(lab.client(), lab.namespace()).labels("lesson=wake");
    let informer = lab.informer(SharedIndexInformer::builder(sets));
    let queue = Arc::new(WorkQueue::builder().observer(lab.work_observer()).build());
    informer.add_event_handler(Waking { lab: lab.clone(), queue: queue.clone() })?;

    let work = async {
        let (mut syncs, start) = (HashMap::new(), Instant::now());
        while let Some(name) = queue.get().await {
            let number: &mut usize = syncs.entry(name.to_string()).or_default();
            *number += 1;
            sync(lab, &informer.reader(), &name, *number, start).await?;
        }
        anyhow::Ok(())
    };
    let run = async {
        let ran = informer.clone().run(lab.stop()).await;
        queue.shut_down();
        Ok(ran?)
    };
    try_join!(work, run)?;
    Ok(())
}

/// Puts the name of a changed ReplicaSet into the queue.
struct Waking {
    lab: Lab,
    queue: Arc<WorkQueue<String>>,
}

impl EventHandler<ReplicaSet> for Waking {
    fn on_add(&mut self, set: Arc<ReplicaSet>, _initial: InitialList) {
        self.queue.add(name(&set));
    }

    fn on_update(&mut self, old: Arc<ReplicaSet>, new: Arc<ReplicaSet>) {
        let [before, after] = [&old, &new].map(|set| set.metadata.generation.unwrap_or_default());
        let skips = name(&new) == "generation" && before == after; // a status does not change the generation
        let does = if skips { "return" } else { "queue the key" };
        self.lab
            .print(Style::Updated, format_args!("  OnUpdate: {}, generation {before} -> {after}, {does}", name(&new)));
        if !skips {
            self.queue.add(name(&new));
        }
    }
}

/// Writes the status of a ReplicaSet, in the way that its name says.
async fn sync(lab: &Lab, cache: &Reader<ReplicaSet>, name: &str, number: usize, start: Instant) -> Result<()> {
    let Some(set) = cache.get(&format!("{}/{name}", lab.namespace())) else { return Ok(()) };
    let wanted = match name {
        "heartbeat" if number > ENOUGH => {
            lab.print(Style::Plain, format_args!("{name}: sync {number}, and so on for ever"));
            return Ok(());
        }
        "heartbeat" => status(format!("alive after {} ms", start.elapsed().as_millis())),
        _ => status("alive".to_owned()),
    };
    if name == "compare" && set.status.as_ref().is_some_and(|status| status.conditions == wanted.conditions) {
        lab.print(Style::Plain, format_args!("{name}: sync {number}, the status is right, no request"));
        return Ok(());
    }
    lab.print(Style::Added, format_args!("{name}: sync {number}, write the status"));
    let patch = Patch::Merge(json!({"status": wanted}));
    let sets = Api::<ReplicaSet>::namespaced(lab.client(), lab.namespace());
    sets.patch_status(name, &PatchParams::default(), &patch).await?;
    Ok(())
}
// ANCHOR_END: wake

fn name(set: &ReplicaSet) -> String {
    set.metadata.name.clone().unwrap_or_default()
}

/// Returns a status with one condition, which has this message.
fn status(message: String) -> ReplicaSetStatus {
    let condition = ReplicaSetCondition {
        type_: Some("Alive".to_owned()),
        status: Some("True".to_owned()),
        message: Some(message),
        ..ReplicaSetCondition::default()
    };
    ReplicaSetStatus { conditions: Some(vec![condition]), ..ReplicaSetStatus::default() }
}
