//! Translates the ownership of the number of replicas between the `managedFields` of an object and those of its `scale`
//! subresource. The number is one field in each (`spec.replicas` in a Deployment and in its Scale). Only the object
//! stores entries; those of the scale are computed from them.
//!
//! Upstream: `scalehandler.go` of `k8s.io/apimachinery/pkg/util/managedfields`.

use std::collections::BTreeMap;

use super::entries::Managed;
use super::field_manager::fields;
use super::fieldpath::{Path, Set};
use super::merge::VersionedSet;
use crate::value::Value;

pub const SCALE_VERSION: &str = "autoscaling/v1";

/// The path of the replicas in the object, for each version of its kind; `None` if the version has no scale. Upstream:
/// `ResourcePathMappings`.
pub type ReplicasPaths = BTreeMap<String, Option<Path>>;

/// Translates the entries of an object into those of its scale, and back.
#[derive(Debug)]
pub struct ScaleHandler {
    parent: Managed,
    /// The version of the object in the request.
    api_version: String,
    paths: ReplicasPaths,
}

impl ScaleHandler {
    /// # Errors
    /// If the object's entries cannot be read.
    pub fn new(parent_entries: &Value, api_version: String, paths: ReplicasPaths) -> Result<Self, String> {
        Ok(Self { parent: Managed::decode(parent_entries)?, api_version, paths })
    }

    /// Returns the entries of the scale: the managers that own the replicas. Returns null if there are none.
    pub fn to_subresource(&self) -> Value {
        let mut scale = Managed::default();
        for (manager, owned) in &self.parent.fields {
            let Some(Some(path)) = self.paths.get(&owned.api_version) else { continue };
            if owned.set.has(&path.0) {
                let set = Set::of([replicas()]);
                let owned = VersionedSet { set, api_version: SCALE_VERSION.to_owned(), applied: owned.applied };
                scale.fields.insert(manager.clone(), owned);
                keep_time(&self.parent, &mut scale, manager);
            }
        }
        scale.encode()
    }

    /// Returns the entries of the object after a write to its scale, which left the scale with `scale_entries`. A
    /// manager that no longer owns the replicas in the scale loses them in the object. Returns null if there are no
    /// entries.
    ///
    /// # Errors
    /// If the scale's entries cannot be read.
    pub fn to_parent(&self, scale_entries: &Value) -> Result<Value, String> {
        let mut scale = Managed::decode(scale_entries)?.fields;
        let mut parent = Managed::default();
        for (manager, owned) in &self.parent.fields {
            let Some(path) = self.paths.get(&owned.api_version) else { continue }; // the version is unknown
            let mut owned = owned.clone();
            if let Some(path) = path.as_ref().filter(|path| owned.set.has(&path.0))
                && scale.remove(manager).is_none()
            {
                owned.set = owned.set.difference(&Set::of([path.clone()]));
                if owned.set.is_empty() {
                    continue;
                }
            }
            parent.fields.insert(manager.clone(), owned);
            keep_time(&self.parent, &mut parent, manager);
        }
        // The managers that are left in `scale` became owners of the replicas with this write.
        let path = self.paths.get(&self.api_version).cloned().flatten();
        for (manager, owned) in scale.into_iter().filter(|(_, owned)| owned.set.has(&replicas().0)) {
            let set = Set::of(path.clone());
            let owned = VersionedSet { set, api_version: self.api_version.clone(), applied: owned.applied };
            keep_time(&self.parent, &mut parent, &manager);
            parent.fields.insert(manager, owned);
        }
        Ok(parent.encode())
    }
}

fn replicas() -> Path {
    fields(&["spec", "replicas"])
}

fn keep_time(from: &Managed, to: &mut Managed, manager: &str) {
    if let Some(time) = from.times.get(manager) {
        to.times.insert(manager.to_owned(), time.clone());
    }
}
