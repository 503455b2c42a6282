//! DeltaFIFO: one queue slot per key, with all changes of the key in order. RealFIFO, today's queue: one slot per
//! change.
//!
//! Chapter: `lessons/deltafifo.md`. Traces: `fixtures/traces/deltafifo*.txt`.

use std::fmt;
use std::sync::Arc;

use anyhow::Result;

use super::go;
use super::pods::style;
use crate::lab::Era;
use crate::lab::Lab;
use crate::trace::Style;
use kube_informers::cache::{Delta, DeltaFifo, RealFifo, ReflectorStore};

/// How far the lesson goes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum DeltaFifoStep {
    /// The first key's deltas with their values, and a callback for each
    #[default]
    Values,
    /// What the queue holds after three additions
    List,
    /// Pop one key
    Pop,
    /// Pop a key that was added, updated and deleted
    Events,
    /// The same with a callback for each delta
    Callbacks,
}

/// The documents' own pod type: DeltaFIFO takes any type for which there is a key function.
#[derive(Clone, Debug)]
struct Pod {
    name: &'static str,
    value: f64,
}

impl fmt::Display for Pod {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{{{} {}}}", self.name, self.value)
    }
}

/// Queues changes of three pods and pops the first key. A RealFIFO pops one change at a time.
pub fn run(lab: &Lab, step: DeltaFifoStep) -> Result<()> {
    match lab.era() {
        Era::Classic => delta_fifo(lab, step),
        Era::Modern => real_fifo(lab, step),
    }
}

fn delta_fifo(lab: &Lab, step: DeltaFifoStep) -> Result<()> {
    let queue = DeltaFifo::new(|pod: &Pod| pod.name.to_owned()).observer(lab.observer());
    change(&queue, step)?;
    if step == DeltaFifoStep::List {
        lab.print(Style::Plain, go::slice(queue.list()));
        return Ok(());
    }
    lab.narrate(
        "one pop gives everything that happened to one key, oldest first; older states are the Indexer's business",
        "一次 Pop 取出一个 key 的全部变化，最早的在前；旧值要到 Indexer 里取",
    );
    for delta in queue.try_pop().iter().flatten() {
        show(lab, step, delta);
    }
    Ok(())
}

fn real_fifo(lab: &Lab, step: DeltaFifoStep) -> Result<()> {
    let queue = RealFifo::atomic(|pod: &Pod| pod.name.to_owned()).observer(lab.observer());
    change(&queue, step)?;
    if step == DeltaFifoStep::List {
        lab.narrate("client-go's RealFIFO cannot be listed any more", "client-go 的 RealFIFO 不能再 List 了");
        lab.print(Style::Plain, go::slice(queue.list().iter().filter_map(Delta::object)));
        return Ok(());
    }
    lab.narrate(
        "one pop gives one change: all changes stay in the order in which they came, whatever their keys",
        "一次 Pop 取出一个变化：所有变化保持到来的顺序，不分 key",
    );
    let pops = if step == DeltaFifoStep::Pop { 1 } else { queue.len() };
    for deltas in (0..pops).map_while(|_| queue.try_pop()) {
        deltas.iter().for_each(|delta| show(lab, step, delta));
    }
    Ok(())
}

/// The documents' operations, as far as the step needs them.
fn change(queue: &dyn ReflectorStore<Pod>, step: DeltaFifoStep) -> Result<()> {
    for (name, value) in [("pod1", 1.0), ("pod2", 2.0), ("pod3", 3.0)] {
        queue.add(Pod { name, value }.into())?;
    }
    if !matches!(step, DeltaFifoStep::List | DeltaFifoStep::Pop) {
        let changed = Arc::new(Pod { name: "pod1", value: 1.1 });
        queue.update(changed.clone())?;
        queue.delete(changed.into())?;
    }
    Ok(())
}

fn show(lab: &Lab, step: DeltaFifoStep, delta: &Delta<Pod>) {
    let Some(pod) = delta.object() else { return };
    let style = style(delta);
    match step {
        DeltaFifoStep::Values => lab.print(style, format!("{} {}  value: {}", delta.kind(), pod.name, pod.value)),
        _ => lab.print(style, format!("{} : {}", delta.kind(), pod.name)),
    }
    match (step, delta) {
        (DeltaFifoStep::Values | DeltaFifoStep::Callbacks, Delta::Added(_)) => lab.print(style, "执行新增回调"),
        (DeltaFifoStep::Values, Delta::Updated(_)) => lab.print(style, "执行修改回调"),
        (DeltaFifoStep::Callbacks, Delta::Updated(_)) => lab.print(style, "执行更新回调"),
        (DeltaFifoStep::Values | DeltaFifoStep::Callbacks, Delta::Deleted(_)) => lab.print(style, "执行删除回调"),
        _ => {}
    }
}
