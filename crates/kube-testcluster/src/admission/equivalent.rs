//! Finds the other groups and versions in which the same objects are served. A webhook or policy for `apps/v1` with the
//! match policy `Equivalent` also matches a request that uses another version of the same kind, so that clients cannot
//! get around it. Upstream: `EquivalentResourceMapper` in `k8s.io/apimachinery/pkg/runtime/mapper.go`.

use crate::store::Store;
use kube_machinery::kinds::Resource;

/// Returns the other resources (group and version) that serve the objects of `row`. Versions that a conversion webhook
/// converts do not count, because admission does not call conversion webhooks.
pub(super) fn others(store: &Store, row: &Resource) -> Vec<Resource> {
    let has_webhook = |row: &Resource| row.conversion_webhook().is_some();
    let is_other =
        |other: &&Resource| *other != row && other.stored() == row.stored() && !has_webhook(row) && !has_webhook(other);
    store.catalog().served().filter(is_other).cloned().collect()
}
