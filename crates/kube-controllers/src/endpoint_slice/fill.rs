//! Distributes the endpoints of a service over slices. Endpoints stay in their slice if possible, because every changed
//! slice is sent to all nodes: few writes matter more than few slices. Upstream: `reconcileByPortMapping`.

use std::sync::Arc;

use kube_client::api::DynamicObject;
use serde_json::{Value, json};

use super::endpoint::{Endpoints, are_equal};
use super::plan::Plan;
use super::service::{has_labels_of, labels};

/// The largest number of endpoints in a slice. Upstream: `--max-endpoints-per-slice`.
pub(super) const MOST_ENDPOINTS: usize = 100;

/// Endpoints with the same ports. A slice has one list of ports for all its endpoints, so each group has its own
/// slices.
pub(super) struct Group {
    pub(super) ports: Vec<Value>,
    pub(super) endpoints: Endpoints,
}

pub(super) fn endpoints(slice: &DynamicObject) -> &[Value] {
    slice.data["endpoints"].as_array().map_or(&[][..], Vec::as_slice)
}

/// Puts a group of endpoints into the existing slices with its ports, and into new slices if needed.
pub(super) fn fill(plan: &mut Plan, service: &DynamicObject, existing: Vec<Arc<DynamicObject>>, group: Group) {
    let Group { ports, endpoints: mut waiting } = group; // `waiting`: the endpoints that are in no slice yet
    let (mut changed, mut unchanged) = keep(plan, service, existing, &mut waiting);
    // The slices that are written anyway take new endpoints first, the fullest ones before the others.
    changed.sort_by_key(|slice| std::cmp::Reverse(endpoints(slice).len()));
    changed.iter_mut().for_each(|slice| top_up(slice, &mut waiting));
    // The rest goes into an unchanged slice, if it fits there as a whole, or else into new slices.
    while waiting.len() > 0 {
        let found = to_fill(&unchanged, waiting.len());
        let mut slice = match found {
            Some(index) => DynamicObject::clone(&unchanged.swap_remove(index)),
            None => plan.new_slice(&ports),
        };
        top_up(&mut slice, &mut waiting);
        if found.is_some() { &mut changed } else { &mut plan.create }.push(slice);
    }
    plan.update.append(&mut changed);
    plan.unchanged.append(&mut unchanged);
}

/// Keeps the endpoints of each slice that are still wanted, and removes them from `waiting`. Plans to delete slices
/// that keep none. Returns the changed and the unchanged slices.
fn keep(
    plan: &mut Plan,
    service: &DynamicObject,
    existing: Vec<Arc<DynamicObject>>,
    waiting: &mut Endpoints,
) -> (Vec<DynamicObject>, Vec<Arc<DynamicObject>>) {
    let (mut changed, mut unchanged) = (Vec::new(), Vec::new());
    for slice in existing {
        let (mut is_same, mut kept) = (true, Vec::new());
        for endpoint in endpoints(&slice) {
            match waiting.take(endpoint) {
                Some(wanted) => {
                    is_same &= are_equal(&wanted, endpoint);
                    kept.push(wanted);
                }
                None => is_same = false,
            }
        }
        if is_same && has_labels_of(&slice, service) {
            unchanged.push(slice);
        } else if kept.is_empty() && !is_same {
            // As upstream, a slice goes with its last endpoints. A slice that was empty before stays.
            plan.delete.push(slice);
        } else {
            let mut slice = DynamicObject::clone(&slice);
            slice.data["endpoints"] = Value::Array(kept);
            slice.metadata.labels = Some(labels(service));
            changed.push(slice);
        }
    }
    (changed, unchanged)
}

fn top_up(slice: &mut DynamicObject, waiting: &mut Endpoints) {
    let mut all = endpoints(slice).to_vec();
    all.extend(waiting.take_some(MOST_ENDPOINTS.saturating_sub(all.len())));
    slice.data["endpoints"] = json!(all);
}

/// Returns the index of the slice that is the fullest after adding `more` endpoints, if a slice has room for them.
/// Upstream: `getSliceToFill`.
fn to_fill(slices: &[Arc<DynamicObject>], more: usize) -> Option<usize> {
    // As upstream, an unchanged slice only gets endpoints that are too few to fill a slice of their own.
    let with = |slice: &DynamicObject| endpoints(slice).len() + more;
    let fitting = slices.iter().enumerate().filter(|(_, slice)| more < MOST_ENDPOINTS && with(slice) <= MOST_ENDPOINTS);
    fitting.max_by_key(|(_, slice)| with(slice)).map(|(index, _)| index)
}
