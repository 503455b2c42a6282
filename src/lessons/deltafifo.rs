//! DeltaFIFO: one queue slot per key, every change kept in order.
//!
//! Traces: `fixtures/traces/deltafifo*.txt`.

use std::fmt;

use anyhow::Result;

use super::go;
use super::pods::style;
use crate::cache::{Delta, DeltaFifo};
use crate::lab::Lab;
use crate::trace::Style;

/// How far the lesson goes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Step {
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

/// The documents' own pod: DeltaFIFO takes anything that a key function can name.
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

/// Queues changes of three pods and pops the first key.
pub fn run(lab: &Lab, step: Step) -> Result<()> {
    let queue = DeltaFifo::new(|pod: &Pod| Ok(pod.name.to_owned())).observer(lab.observer());
    queue.add(Pod { name: "pod1", value: 1.0 })?;
    queue.add(Pod { name: "pod2", value: 2.0 })?;
    queue.add(Pod { name: "pod3", value: 3.0 })?;
    if step == Step::List {
        lab.line(Style::Plain, go::slice(queue.list()));
        return Ok(());
    }
    if step != Step::Pop {
        let changed = Pod { name: "pod1", value: 1.1 };
        queue.update(changed.clone())?;
        queue.delete(changed)?;
    }
    lab.tell(
        "one pop gives everything that happened to one key, oldest first; older states are the Indexer's business",
        "一次 Pop 取出一个 key 的全部变化，最早的在前；旧值要到 Indexer 里取",
    );
    for delta in queue.try_pop().iter().flatten() {
        show(lab, step, delta);
    }
    Ok(())
}

fn show(lab: &Lab, step: Step, delta: &Delta<Pod>) {
    let Some(pod) = delta.object() else { return };
    let style = style(delta);
    match step {
        Step::Values => lab.line(style, format!("{} {}  value: {}", delta.kind(), pod.name, pod.value)),
        _ => lab.line(style, format!("{} : {}", delta.kind(), pod.name)),
    }
    match (step, delta) {
        (Step::Values | Step::Callbacks, Delta::Added(_)) => lab.line(style, "执行新增回调"),
        (Step::Values, Delta::Updated(_)) => lab.line(style, "执行修改回调"),
        (Step::Callbacks, Delta::Updated(_)) => lab.line(style, "执行更新回调"),
        (Step::Values | Step::Callbacks, Delta::Deleted(_)) => lab.line(style, "执行删除回调"),
        _ => {}
    }
}
