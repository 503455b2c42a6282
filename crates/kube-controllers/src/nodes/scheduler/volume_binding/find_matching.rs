//! Chooses volumes for claims on a node. Upstream: `findMatchingVolumes`, `FindMatchingVolume`.

use std::sync::Arc;

use super::{Claim, Node, Volume};

/// A claim with the volume that it can get.
type Match<'a> = (&'a Arc<Claim>, &'a Arc<Volume>);

/// Returns the claims, the smallest first, with their volumes, and the claims that find none.
pub(super) fn find_matching_volumes<'a>(
    claims: &[&'a Arc<Claim>],
    volumes: &'a [Arc<Volume>],
    node: &Node,
) -> (Vec<Match<'a>>, Vec<&'a Arc<Claim>>) {
    let (mut matches, mut unmatched): (Vec<Match<'a>>, Vec<_>) = (Vec::new(), Vec::new());
    for claim in claims {
        let is_free = |volume: &&Arc<Volume>| matches.iter().all(|(_, taken)| taken.name != volume.name);
        match find_matching_volume(claim, volumes.iter().filter(is_free), node) {
            Some(volume) => matches.push((claim, volume)),
            None => unmatched.push(*claim),
        }
    }
    (matches, unmatched)
}

/// Returns the volume that is reserved for a claim, or else the smallest one. Of equal ones, it is the first by name;
/// upstream has no order. A volume that is reserved for the claim and not for the node rules all others out.
fn find_matching_volume<'a>(
    claim: &Claim,
    volumes: impl Iterator<Item = &'a Arc<Volume>>,
    node: &Node,
) -> Option<&'a Arc<Volume>> {
    let mut smallest: Option<&Arc<Volume>> = None;
    for volume in volumes.filter(|volume| volume.class == claim.class && volume.satisfies(claim)) {
        if volume.is_bound_to(claim) {
            return Some(volume).filter(|volume| volume.selects(&node.labels));
        }
        let is_smaller = smallest.is_none_or(|smallest| volume.size < smallest.size);
        if is_smaller && volume.is_available_for(claim) && volume.selects(&node.labels) {
            smallest = Some(volume);
        }
    }
    smallest
}
