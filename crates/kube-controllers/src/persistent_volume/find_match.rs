//! Finds the volume that fits a claim best: the one that is reserved for it, or else the smallest of those with the
//! fewest access modes. Upstream: `findByClaim`, `FindMatchingVolume`.

use std::sync::Arc;

use kube_client::api::DynamicObject;
use kube_machinery::conventions::label_selector;
use kube_selectors::LabelSelector;

use crate::shared::object::name;
use crate::shared::volume::{
    access_modes, capacity, class, has_access_modes, is_bound_to, phase, requested_size, spec, text, volume_mode,
};

/// Tells whether a claim waits for its first pod.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Binding {
    Now,
    /// The claim waits. Until it has a pod, only a volume that is reserved for the claim fits.
    Delayed,
}

/// Returns the best volume for a claim. Of equal ones, it is the first by name; upstream has no order.
pub(super) fn best_match<'v>(
    volumes: &'v [Arc<DynamicObject>],
    claim: &DynamicObject,
    binding: Binding,
) -> Option<&'v DynamicObject> {
    let selector = label_selector::read(&spec(claim, "selector").clone().into());
    let selector = if spec(claim, "selector").is_null() { LabelSelector::everything() } else { selector.ok()? };
    let mut free = Vec::new();
    for volume in volumes.iter().map(|volume| &**volume) {
        let is_reserved = is_bound_to(volume, &claim.metadata);
        let is_free = spec(volume, "claimRef").is_null() && phase(volume) == "Available";
        // Most volumes belong to other claims. They are skipped first, because comparing their sizes would cost more.
        if !(is_reserved || is_free) || !satisfies(volume, claim) {
            continue;
        }
        if is_reserved {
            return Some(volume);
        }
        if binding == Binding::Now && is_free && selector.matches(volume.metadata.labels.as_ref()) {
            free.push(volume);
        }
    }
    free.into_iter()
        .filter(|volume| class(volume) == class(claim))
        .min_by_key(|volume| (access_modes(volume).len(), capacity(volume), name(&volume.metadata)))
}

/// Returns true if a volume has what a claim requires, whatever their classes are.
fn satisfies(volume: &DynamicObject, claim: &DynamicObject) -> bool {
    has_access_modes(volume, claim)
        && capacity(volume) >= requested_size(claim)
        && volume_mode(volume) == volume_mode(claim)
        && text(volume, "volumeAttributesClassName") == text(claim, "volumeAttributesClassName")
        && volume.metadata.deletion_timestamp.is_none()
}

/// Returns the reason why a volume that a claim names does not satisfy it. Upstream: `checkVolumeSatisfyClaim`.
pub(super) fn unsatisfied(volume: &DynamicObject, claim: &DynamicObject) -> Option<String> {
    let differs = |field: &str| text(volume, field) != text(claim, field);
    let why = if volume.metadata.deletion_timestamp.is_some() {
        return Some(format!("the volume is marked for deletion {:?}", name(&volume.metadata)));
    } else if capacity(volume) < requested_size(claim) {
        "requested PV is too small"
    } else if class(volume) != class(claim) {
        "storageClassName does not match"
    } else if differs("volumeAttributesClassName") {
        "volumeAttributesClassName does not match"
    } else if volume_mode(volume) != volume_mode(claim) {
        "incompatible volumeMode"
    } else if !has_access_modes(volume, claim) {
        "incompatible accessMode"
    } else {
        return None;
    };
    Some(why.to_owned())
}

#[cfg(test)]
mod tests {
    use k8s_openapi::api::core::v1::{PersistentVolume, PersistentVolumeClaim};
    use kube_client::api::ApiResource;
    use serde_json::{Value, json};

    use super::*;

    fn volume(name: &str, size: &str, modes: &[&str], more: &Value) -> Arc<DynamicObject> {
        let mut spec = json!({"capacity": {"storage": size}, "accessModes": modes});
        spec.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let kind = ApiResource::erase::<PersistentVolume>(&());
        let mut volume = DynamicObject::new(name, &kind).data(json!({"spec": spec, "status": {"phase": "Available"}}));
        volume.metadata.labels = Some([("disk".to_owned(), name.to_owned())].into());
        Arc::new(volume)
    }

    fn claim(more: &Value) -> DynamicObject {
        let mut spec = json!({"resources": {"requests": {"storage": "2Gi"}}, "accessModes": ["ReadWriteOnce"]});
        spec.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let kind = ApiResource::erase::<PersistentVolumeClaim>(&());
        let mut claim = DynamicObject::new("c", &kind).within("n").data(json!({ "spec": spec }));
        claim.metadata.uid = Some("u".to_owned());
        claim
    }

    fn found(volumes: &[Arc<DynamicObject>], claim: &DynamicObject, binding: Binding) -> Option<String> {
        best_match(volumes, claim, binding).and_then(|volume| volume.metadata.name.clone())
    }

    #[test]
    fn the_smallest_volume_with_the_fewest_modes_fits_best() {
        let one = ["ReadWriteOnce"];
        let volumes = [
            volume("small", "1Gi", &one, &json!({})),
            volume("shared", "2Gi", &["ReadWriteOnce", "ReadWriteMany"], &json!({})),
            volume("large", "5Gi", &one, &json!({})),
            volume("right", "3Gi", &one, &json!({})),
            volume("gold", "2Gi", &one, &json!({"storageClassName": "gold"})),
            volume("block", "2Gi", &one, &json!({"volumeMode": "Block"})),
        ];
        assert_eq!(found(&volumes, &claim(&json!({})), Binding::Now).as_deref(), Some("right"));
        assert_eq!(found(&volumes, &claim(&json!({})), Binding::Delayed), None);
        let gold = claim(&json!({"storageClassName": "gold"}));
        assert_eq!(found(&volumes, &gold, Binding::Now).as_deref(), Some("gold"));
        let labelled = claim(&json!({"selector": {"matchLabels": {"disk": "large"}}}));
        assert_eq!(found(&volumes, &labelled, Binding::Now).as_deref(), Some("large"));
        let shared = claim(&json!({"accessModes": ["ReadWriteMany"]}));
        assert_eq!(found(&volumes, &shared, Binding::Now).as_deref(), Some("shared"));
    }

    #[test]
    fn a_reserved_volume_fits_its_claim_alone() {
        let reserved = |uid: &str| json!({"claimRef": {"namespace": "n", "name": "c", "uid": uid}});
        let free = volume("free", "2Gi", &["ReadWriteOnce"], &json!({}));
        let own = volume("own", "9Gi", &["ReadWriteOnce"], &reserved("u"));
        let earlier = volume("earlier", "2Gi", &["ReadWriteOnce"], &reserved("other"));
        let volumes = [earlier.clone(), free.clone(), own];
        assert_eq!(found(&volumes, &claim(&json!({})), Binding::Delayed).as_deref(), Some("own"));
        assert_eq!(found(&[earlier, free], &claim(&json!({})), Binding::Now).as_deref(), Some("free"));
    }

    #[test]
    fn a_named_volume_that_does_not_satisfy_a_claim_says_why() {
        for (volume, why) in [
            (volume("v", "1Gi", &["ReadWriteOnce"], &json!({})), Some("requested PV is too small")),
            (volume("v", "2Gi", &["ReadOnlyMany"], &json!({})), Some("incompatible accessMode")),
            (volume("v", "2Gi", &["ReadWriteOnce"], &json!({"volumeMode": "Block"})), Some("incompatible volumeMode")),
            (volume("v", "2Gi", &["ReadWriteOnce"], &json!({})), None),
        ] {
            assert_eq!(unsatisfied(&volume, &claim(&json!({}))).as_deref(), why);
        }
    }
}
