//! The documents' drawing of a DeltaFIFO's `queue` and `items`, drawn anew after every operation.
//!
//! Chapter: `lessons/queue.md`. Trace: `fixtures/traces/queue.txt`.

use std::sync::Arc;

use anyhow::Result;
use k8s_openapi::api::core::v1::Pod;

use super::pods::name;
use crate::cache::{DeltaFifo, Deltas, Store};
use crate::lab::Lab;
use crate::trace::Style;

/// Changes three objects, two of which the consumer knows, and pops one key.
pub fn run(lab: &Lab) -> Result<()> {
    let key = |obj: &Pod| Ok(name(obj).replace("Obj", "ObjKey"));
    let known = Arc::new(Store::new(key));
    known.add(obj("Obj2"))?;
    known.add(obj("Obj3"))?;
    let queue = DeltaFifo::new(key).known_objects(known).observer(lab.observer());
    lab.tell("known objects: Obj2 and Obj3", "known objects：Obj2 和 Obj3");

    queue.add(obj("Obj1"))?;
    draw(lab, &queue, Style::Added, "Add(Obj1)");
    queue.update(obj("Obj1"))?;
    draw(lab, &queue, Style::Updated, "Update(Obj1)");
    lab.tell("the key is queued already: only its deltas grow", "key 已在队列里：只有它的 Deltas 变长");

    queue.delete(obj("Obj2"))?;
    draw(lab, &queue, Style::Deleted, "Delete(Obj2)");
    queue.resync()?;
    draw(lab, &queue, Style::Synced, "Resync()");
    lab.tell(
        "a resync queues the known objects, but not Obj2: something newer is queued for it",
        "Resync 把 known objects 放回队列，但不放 Obj2：队列里已有它更新的变化",
    );

    queue.update(obj("Obj3"))?;
    draw(lab, &queue, Style::Updated, "Update(Obj3)");
    queue.delete(obj("Obj3"))?;
    draw(lab, &queue, Style::Deleted, "Delete(Obj3)");

    queue.try_pop();
    draw(lab, &queue, Style::Plain, "Pop()");
    lab.tell("the first key left with all its deltas", "第一个 key 带着它的全部 Deltas 离开");
    Ok(())
}

fn obj(name: &str) -> Pod {
    let mut pod = Pod::default();
    pod.metadata.name = Some(name.to_owned());
    pod
}

/// Draws what the queue itself says it holds.
fn draw(lab: &Lab, queue: &DeltaFifo<Pod>, style: Style, operation: &str) {
    let row = |label: &str, cells: String| lab.line(Style::Plain, format!("{label:<8}{cells}"));
    lab.line(style, operation);

    let keys = queue.list_keys();
    row("", keys.iter().map(|key| format!("┌{}┐", bar(key.len()))).collect());
    row("queue", keys.iter().map(|key| format!("│{key}│")).collect());
    row("", keys.iter().map(|key| format!("└{}┘", bar(key.len()))).collect());

    let items: Vec<_> = keys.iter().filter_map(|key| Some(item(key, &queue.get_by_key(key)?))).collect();
    let width = items.iter().map(String::len).max().unwrap_or_default();
    for (n, item) in items.iter().enumerate() {
        let [label, left, right] = if n == 0 { ["items", "┌", "┐"] } else { ["", "├", "┤"] };
        row("", format!("{left}{}{right}", bar(width)));
        row(label, format!("│{item:width$}│"));
    }
    row("", format!("└{}┘", bar(width)));
}

/// `ObjKey1: [{"Added",Obj1},{"Updated",Obj1}]`
fn item(key: &str, deltas: &Deltas<Pod>) -> String {
    let deltas = deltas.iter().filter_map(|delta| Some(format!("{{{:?},{}}}", delta.kind(), name(delta.object()?))));
    format!("{key}: [{}]", deltas.collect::<Vec<_>>().join(","))
}

fn bar(width: usize) -> String {
    "─".repeat(width)
}
