//! Computes the usage of a volume claim, which also counts in the resources of its storage class, such as
//! `gold.storageclass.storage.k8s.io/requests.storage`. Upstream: `evaluator/core/persistent_volume_claims.go`.

use super::resources::one;
use super::scope::Requirement;
use crate::conventions::quantity::Quantity;
use crate::kinds::core::persistent_volume_claim::class_of_claim;
use crate::kinds::core::pod::amounts::Amounts;
use crate::kinds::core::pod::resource_validation::parsed;
use crate::value::Value;

const CLAIMS: &str = "persistentvolumeclaims";
const STORAGE: &str = "requests.storage";
const CLASS_SUFFIX: &str = ".storageclass.storage.k8s.io/";

pub(super) fn tracks(name: &str) -> bool {
    let of_class = name.rsplit_once(CLASS_SUFFIX).map_or(name, |(_, resource)| resource);
    name == "count/persistentvolumeclaims" || of_class == CLAIMS || of_class == STORAGE
}

pub(super) fn usage(claim: &Value) -> Amounts {
    let mut used = Amounts::from([(CLAIMS.to_owned(), one()), (format!("count/{CLAIMS}"), one())]);
    let storage = storage(claim);
    if let Some(class) = class_of_claim(claim).filter(|class| !class.is_empty()) {
        used.insert(format!("{class}{CLASS_SUFFIX}{CLAIMS}"), one());
        used.extend(storage.clone().map(|storage| (format!("{class}{CLASS_SUFFIX}{STORAGE}"), storage)));
    }
    used.extend(storage.map(|storage| (STORAGE.to_owned(), storage)));
    used
}

/// Returns the size that a claim requests, in whole bytes; the allocated one if it is larger, because a claim that
/// shrinks back after a failed growth still has it. Upstream: `getStorageUsage`.
fn storage(claim: &Value) -> Option<Quantity> {
    let requested = parsed(&claim["spec"]["resources"]["requests"]["storage"])?.rounded_up(0);
    let allocated = parsed(&claim["status"]["allocatedResources"]["storage"]).map(|amount| amount.rounded_up(0));
    Some(allocated.filter(|allocated| allocated.compare(&requested).is_gt()).unwrap_or(requested))
}

/// Returns true if a claim is in the scope. Upstream: `pvcMatchesScopeFunc`.
pub(super) fn meets(claim: &Value, requirement: &Requirement<'_>) -> bool {
    requirement.scope == "VolumeAttributesClass" && requirement.is_met_by_any(&attributes_classes(claim))
}

/// Returns true if an update of the status can change what the claim uses. Upstream: `RequiresQuotaReplenish`.
pub(super) fn requires_replenish(old: &Value, new: &Value) -> bool {
    let allocated = |claim: &Value| claim["status"]["allocatedResources"]["storage"].clone();
    allocated(old) != allocated(new) || attributes_classes(old) != attributes_classes(new)
}

/// Returns the volume attributes classes that the claim has, wants, and is changed to. Upstream:
/// `getReferencedVolumeAttributesClassNames`.
pub(super) fn attributes_classes(claim: &Value) -> Vec<&str> {
    let status = &claim["status"];
    let names = [
        &claim["spec"]["volumeAttributesClassName"],
        &status["currentVolumeAttributesClassName"],
        &status["modifyVolumeStatus"]["targetVolumeAttributesClassName"],
    ];
    let mut names: Vec<&str> = names.into_iter().filter_map(Value::as_str).filter(|name| !name.is_empty()).collect();
    names.sort_unstable();
    names.dedup();
    names
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kinds::quota::resources::print;
    use crate::value::json;

    #[test]
    fn a_claim_counts_for_its_class_too() {
        let claim = json!({
            "spec": {"storageClassName": "gold", "resources": {"requests": {"storage": "1500m"}}},
            "status": {"allocatedResources": {"storage": "3"}},
        });
        assert_eq!(
            print(&usage(&claim)),
            "count/persistentvolumeclaims=1,gold.storageclass.storage.k8s.io/persistentvolumeclaims=1,\
             gold.storageclass.storage.k8s.io/requests.storage=3,persistentvolumeclaims=1,requests.storage=3"
        );
        assert!(usage(&claim).keys().all(|name| tracks(name)));
        assert!(!tracks("gold.storageclass.storage.k8s.io/pods") && !tracks("pods"));
    }
}
