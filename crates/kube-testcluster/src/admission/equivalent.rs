//! The same objects in other groups and versions. Upstream: `EquivalentResourceMapper` in
//! `k8s.io/apimachinery/pkg/runtime/mapper.go`.

use crate::store::Store;
use kube_machinery::kinds::Resource;

/// The other rows in which the objects of a row are served. Versions that a webhook converts are none.
pub(super) fn others(store: &Store, row: &'static Resource) -> Vec<&'static Resource> {
    let is_asked = |row: &Resource| row.conversion_webhook().is_some();
    let is_other = |other: &&'static Resource| {
        *other != row && other.stored() == row.stored() && !is_asked(row) && !is_asked(other)
    };
    store.catalog().served().filter(is_other).collect()
}
