//! Lesson `reflector`: a Reflector lists and watches into a DeltaFIFO without known objects, and a loop pops the
//! deltas.
//!
//! [`known_objects`] adds a store as the queue's known objects. [`modern`] runs both variants, with and without known
//! objects, on RealFIFO.
//!
//! Chapter: `lessons/04-reflector`. Trace: `fixtures/traces/reflector.txt`.

pub mod known_objects;
pub mod modern;

use std::sync::Arc;

use anyhow::Result;
use futures::join;
use k8s_openapi::api::core::v1::Pod;

use super::pods::{shown, style};
use crate::lab::Lab;
use kube_informers::cache::{Delta, DeltaFifo, ListWatch, Reflector, meta_namespace_key};

// ANCHOR: reflector
/// Runs a Reflector into a DeltaFIFO and prints what is popped.
pub async fn run(lab: &Lab) -> Result<()> {
    let pods = ListWatch::<Pod>::namespaced(lab.client(), lab.namespace());
    let queue = Arc::new(DeltaFifo::new(meta_namespace_key).observer(lab.observer()));
    let reflector = lab.reflector(Reflector::new(pods, queue.clone()));

    let reflect = async {
        reflector.run(lab.stop()).await;
        queue.close(); // the loop below ends once the queue is empty
    };
    let pop = async {
        // In Go, the scheduler sometimes wakes the pop loop late, and then two deltas of a pod can come in one pop.
        // `stall` imitates that: one wake-up in a hundred is late.
        let mut race = lab.race();
        while race.stall(queue.pop(|deltas, _| show(lab, &deltas))).await.is_ok() {}
    };
    join!(reflect, pop);
    Ok(())
}

fn show(lab: &Lab, deltas: &[Delta<Pod>]) {
    for delta in deltas {
        lab.print(style(delta), shown(delta));
    }
}
// ANCHOR_END: reflector
