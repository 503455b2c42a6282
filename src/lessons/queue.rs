//! Draws a DeltaFIFO's `queue` and `items` after every operation, as the documents do, and a RealFIFO's items.
//!
//! Chapter: `lessons/03-deltafifo`. Traces: `fixtures/traces/queue*.txt`.

use std::sync::Arc;

use anyhow::Result;
use k8s_openapi::api::core::v1::Pod;

use super::pods::name;
use crate::lab::Era;
use crate::lab::Lab;
use crate::trace::Style;
use kube_informers::cache::{Delta, DeltaFifo, Error, RealFifo, ReflectorStore, Store};

/// An operation on the queue: its style, its name, and the call.
type Operation = (Style, &'static str, fn(&dyn ReflectorStore<Pod>) -> Result<(), Error>);

const OPERATIONS: [Operation; 6] = [
    (Style::Added, "Add(Obj1)", |queue| queue.add(obj("Obj1"))),
    (Style::Updated, "Update(Obj1)", |queue| queue.update(obj("Obj1"))),
    (Style::Deleted, "Delete(Obj2)", |queue| queue.delete(obj("Obj2").into())),
    (Style::Synced, "Resync()", |queue| queue.resync()),
    (Style::Updated, "Update(Obj3)", |queue| queue.update(obj("Obj3"))),
    (Style::Deleted, "Delete(Obj3)", |queue| queue.delete(obj("Obj3").into())),
];

/// Changes three objects, two of which are known objects, and pops once.
pub fn run(lab: &Lab) -> Result<()> {
    match lab.era() {
        Era::Classic => delta_fifo(lab),
        Era::Modern => real_fifo(lab),
    }
}

fn delta_fifo(lab: &Lab) -> Result<()> {
    let known = Arc::new(Store::new(key));
    known.add(obj("Obj2"))?;
    known.add(obj("Obj3"))?;
    let queue = DeltaFifo::new(key).known_objects(known).observer(lab.observer());
    lab.narrate("known objects: Obj2 and Obj3", "known objects：Obj2 和 Obj3");
    for (style, operation, perform) in OPERATIONS {
        perform(&queue)?;
        lab.print(style, operation);
        draw_delta_fifo(lab, &queue);
        match operation {
            "Update(Obj1)" => {
                lab.narrate("the key is queued already: only its deltas grow", "key 已在队列里：只有它的 Deltas 变长");
            }
            "Resync()" => lab.narrate(
                "a resync queues the known objects, but not Obj2: something newer is queued for it",
                "Resync 把 known objects 放回队列，但不放 Obj2：队列里已有它更新的变化",
            ),
            _ => {}
        }
    }
    queue.try_pop();
    lab.print(Style::Plain, "Pop()");
    draw_delta_fifo(lab, &queue);
    lab.narrate("the first key left with all its deltas", "第一个 key 带着它的全部 Deltas 离开");
    Ok(())
}

fn real_fifo(lab: &Lab) -> Result<()> {
    let queue = RealFifo::atomic(key).observer(lab.observer());
    for (style, operation, perform) in OPERATIONS {
        perform(&queue)?;
        lab.print(style, operation);
        draw_items(lab, &queue.list().iter().map(delta).collect::<Vec<_>>());
        match operation {
            "Update(Obj1)" => lab.narrate(
                "no keys and no merging: each change has a slot of its own",
                "没有 key，也不合并：每个变化各占一格",
            ),
            "Resync()" => lab.narrate(
                "one SyncAll in its turn: the consumer repeats its store when it gets there, and so nothing older than that",
                "只是按顺序排一个 SyncAll：消费者轮到它时才重复自己的 store，不会比那时更旧",
            ),
            _ => {}
        }
    }
    queue.try_pop();
    lab.print(Style::Plain, "Pop()");
    draw_items(lab, &queue.list().iter().map(delta).collect::<Vec<_>>());
    lab.narrate("the first change left, alone", "第一个变化单独离开");
    Ok(())
}

fn key(obj: &Pod) -> String {
    name(obj).replace("Obj", "ObjKey")
}

fn obj(name: &str) -> Arc<Pod> {
    let mut pod = Pod::default();
    pod.metadata.name = Some(name.to_owned());
    pod.into()
}

/// Draws the contents of the queue: its keys, and the deltas of each key.
fn draw_delta_fifo(lab: &Lab, queue: &DeltaFifo<Pod>) {
    let keys = queue.list_keys();
    row(lab, "", &keys.iter().map(|key| format!("┌{}┐", bar(key.len()))).collect::<String>());
    row(lab, "queue", &keys.iter().map(|key| format!("│{key}│")).collect::<String>());
    row(lab, "", &keys.iter().map(|key| format!("└{}┘", bar(key.len()))).collect::<String>());
    let item = |key: &String| {
        let deltas: Vec<_> = queue.get_by_key(key)?.iter().map(delta).collect();
        Some(format!("{key}: [{}]", deltas.join(",")))
    };
    draw_items(lab, &keys.iter().filter_map(item).collect::<Vec<_>>());
}

fn draw_items(lab: &Lab, items: &[String]) {
    let width = items.iter().map(String::len).max().unwrap_or_default();
    for (n, item) in items.iter().enumerate() {
        let [label, left, right] = if n == 0 { ["items", "┌", "┐"] } else { ["", "├", "┤"] };
        row(lab, "", &format!("{left}{}{right}", bar(width)));
        row(lab, label, &format!("│{item:width$}│"));
    }
    row(lab, "", &format!("└{}┘", bar(width)));
}

/// `{"Added",Obj1}`
fn delta(delta: &Delta<Pod>) -> String {
    match delta.object() {
        Some(obj) => format!("{{{:?},{}}}", delta.kind(), name(obj)),
        None => format!("{{{:?}}}", delta.kind()),
    }
}

fn row(lab: &Lab, label: &str, cells: &str) {
    lab.print(Style::Plain, format_args!("{label:<8}{cells}"));
}

fn bar(width: usize) -> String {
    "─".repeat(width)
}
