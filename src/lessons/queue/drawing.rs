//! Draws a queue with box characters, as a figure in the tutorials does: above, a DeltaFIFO's `queue` (the order of its
//! keys), and below, its `items` (the deltas of each key).

use k8s_openapi::api::core::v1::Pod;

use crate::lab::Lab;
use crate::lessons::pods::name;
use crate::trace::Style;
use kube_informers::cache::{Delta, DeltaFifo};

/// Draws a DeltaFIFO: its keys, and the deltas of each key.
pub(super) fn draw(lab: &Lab, queue: &DeltaFifo<Pod>) {
    let keys = queue.list_keys();
    row(lab, "", &keys.iter().map(|key| format!("┌{}┐", bar(key.len()))).collect::<String>());
    row(lab, "queue", &keys.iter().map(|key| format!("│{key}│")).collect::<String>());
    row(lab, "", &keys.iter().map(|key| format!("└{}┘", bar(key.len()))).collect::<String>());
    let item = |key: &String| Some(format!("{key}: {}", shown(&queue.get_by_key(key)?)));
    draw_items(lab, &keys.iter().filter_map(item).collect::<Vec<_>>());
}

/// Draws items, one in each row.
pub(super) fn draw_items(lab: &Lab, items: &[String]) {
    let width = items.iter().map(String::len).max().unwrap_or_default();
    for (n, item) in items.iter().enumerate() {
        let [label, left, right] = if n == 0 { ["items", "┌", "┐"] } else { ["", "├", "┤"] };
        row(lab, "", &format!("{left}{}{right}", bar(width)));
        row(lab, label, &format!("│{item:width$}│"));
    }
    row(lab, "", &format!("└{}┘", bar(width)));
}

/// Formats deltas as `[{"Added",Obj1},{"Updated",Obj1}]`.
pub(super) fn shown(deltas: &[Delta<Pod>]) -> String {
    format!("[{}]", deltas.iter().map(delta).collect::<Vec<_>>().join(","))
}

/// Formats a delta as `{"Added",Obj1}`.
pub(super) fn delta(delta: &Delta<Pod>) -> String {
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
