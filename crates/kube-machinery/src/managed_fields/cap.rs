//! The limit of an object's entries with the operation `Update`. Upstream: `capManagersManager`.

use std::collections::BTreeMap;

use super::entries::{Identifier, Managed, UPDATE};

/// The most entries of an object with the operation `Update`; older ones are merged into one. Upstream:
/// `DefaultMaxUpdateManagers`.
pub const MOST_UPDATE_MANAGERS: usize = 10;

/// The manager of the merged update entries.
const ANCIENT: &str = "ancient-changes";

/// Merges the oldest update entries of each version until at most `most` are left, or one of each version. Upstream:
/// `capUpdateManagers`.
pub(super) fn capped(mut managed: Managed, most: usize) -> Managed {
    let mut updaters: Vec<String> =
        managed.fields.iter().filter(|(_, owned)| !owned.applied).map(|(name, _)| name.clone()).collect();
    updaters.sort_by(|left, right| (managed.times.get(left), left).cmp(&(managed.times.get(right), right)));
    let mut entries_left = updaters.len();
    // The oldest entry of each version. It is renamed to the merged entry when a second one of its version joins it.
    let mut first_of: BTreeMap<String, String> = BTreeMap::new();
    for name in updaters {
        if entries_left <= most {
            break;
        }
        let Some(owned) = managed.fields.get(&name).cloned() else { continue };
        let Some(first) = first_of.get(&owned.api_version) else {
            first_of.insert(owned.api_version.clone(), name);
            continue;
        };
        let bucket = Identifier {
            manager: ANCIENT.to_owned(),
            operation: UPDATE.to_owned(),
            api_version: owned.api_version.clone(),
            ..Identifier::default()
        };
        let bucket = bucket.text();
        if !managed.fields.contains_key(&bucket)
            && let Some(moved) = managed.fields.remove(first)
        {
            managed.fields.insert(bucket.clone(), moved);
        }
        if let Some(joined) = managed.fields.get_mut(&bucket) {
            joined.set = owned.set.union(&joined.set);
        }
        managed.fields.remove(&name);
        entries_left -= 1;
        if let Some(time) = managed.times.get(&name).cloned() {
            managed.times.insert(bucket, time);
        }
    }
    managed
}
