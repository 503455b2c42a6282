//! Lesson `deltafifo --era modern`: RealFIFO, client-go's queue since 0.33, keeps every change on its own, in the order
//! in which the changes came.
//!
//! Contains the five programs of [`super`], with RealFIFO. Traces: `fixtures/traces/deltafifo*-modern.txt`.

use anyhow::Result;

use super::pod::{Pod, pod_key};
use crate::lab::Lab;
use crate::lessons::go;
use crate::lessons::pods::style;
use crate::trace::Style;
use kube_informers::cache::{Delta, RealFifo};

// ANCHOR: queue
fn queue_of_three(lab: &Lab) -> Result<RealFifo<Pod>> {
    // Informers use `atomic`, too. It only matters for whole lists, and this lesson queues none.
    let queue = RealFifo::atomic(pod_key).observer(lab.observer());
    lab.narrate("Add(pod1) Add(pod2) Add(pod3)", "Add(pod1) Add(pod2) Add(pod3)");
    queue.add(Pod::new("pod1", 1.0))?;
    queue.add(Pod::new("pod2", 2.0))?;
    queue.add(Pod::new("pod3", 3.0))?;
    Ok(queue)
}

fn queue_of_five(lab: &Lab) -> Result<RealFifo<Pod>> {
    let queue = queue_of_three(lab)?;
    lab.narrate("pod1.Value = 1.1: Update(pod1) Delete(pod1)", "pod1.Value = 1.1：Update(pod1) Delete(pod1)");
    queue.update(Pod::new("pod1", 1.1))?;
    queue.delete(Pod::new("pod1", 1.1))?;
    Ok(queue)
}
// ANCHOR_END: queue

/// `list`: lists the queue. client-go's RealFIFO can no longer be listed; ours can, for lessons.
pub async fn list(lab: &Lab) -> Result<()> {
    let queue = queue_of_three(lab)?;
    lab.narrate("List: client-go's RealFIFO has none any more", "List：client-go 的 RealFIFO 已经没有这个操作");
    lab.print(Style::Plain, go::slice(queue.list().iter().filter_map(Delta::object)));
    Ok(())
}

// ANCHOR: pop
/// `pop`: one pop returns one change.
pub async fn pop(lab: &Lab) -> Result<()> {
    let queue = queue_of_three(lab)?;
    lab.narrate("Pop", "Pop");
    let popped = queue.pop(|deltas, _| {
        for delta in &deltas {
            let Some(pod) = delta.object() else { continue };
            lab.print(style(delta), format_args!("{} : {}", delta.kind(), pod.name));
        }
    });
    Ok(popped.await?)
}
// ANCHOR_END: pop

// ANCHOR: events
/// `events`: five pops return the five changes, and the changes of pod1 are not together.
pub async fn events(lab: &Lab) -> Result<()> {
    let queue = queue_of_five(lab)?;
    while !queue.is_empty() {
        lab.narrate("Pop", "Pop");
        let popped = queue.pop(|deltas, _| {
            for delta in &deltas {
                let Some(pod) = delta.object() else { continue };
                lab.print(style(delta), format_args!("{} : {}", delta.kind(), pod.name));
            }
        });
        popped.await?;
    }
    Ok(())
}
// ANCHOR_END: events

/// `callbacks`: calls a callback for each change.
pub async fn callbacks(lab: &Lab) -> Result<()> {
    let queue = queue_of_five(lab)?;
    while !queue.is_empty() {
        lab.narrate("Pop", "Pop");
        let popped = queue.pop(|deltas, _| {
            for delta in &deltas {
                let Some(pod) = delta.object() else { continue };
                lab.print(style(delta), format_args!("{} : {}", delta.kind(), pod.name));
                call_back(lab, delta, "执行更新回调");
            }
        });
        popped.await?;
    }
    Ok(())
}

/// `values`: prints the pod's value in each change.
pub async fn values(lab: &Lab) -> Result<()> {
    let queue = queue_of_five(lab)?;
    while !queue.is_empty() {
        lab.narrate("Pop", "Pop");
        let popped = queue.pop(|deltas, _| {
            for delta in &deltas {
                let Some(pod) = delta.object() else { continue };
                lab.print(style(delta), format_args!("{} {}  value: {}", delta.kind(), pod.name, pod.value));
                call_back(lab, delta, "执行修改回调");
            }
        });
        popped.await?;
    }
    Ok(())
}

/// Prints the tutorials' words for a callback. Two of the programs have different words for an update.
fn call_back(lab: &Lab, delta: &Delta<Pod>, updated: &str) {
    match delta {
        Delta::Added(_) => lab.print(style(delta), "执行新增回调"),
        Delta::Updated(_) => lab.print(style(delta), updated),
        Delta::Deleted(_) => lab.print(style(delta), "执行删除回调"),
        _ => {} // nothing else was queued
    }
}
