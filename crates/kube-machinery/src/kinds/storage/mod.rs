//! The kinds of the API group `storage.k8s.io`: StorageClass, VolumeAttributesClass, VolumeAttachment, and those that CSI
//! drivers write. This file has the rules that several of them share. Upstream: `pkg/apis/storage/validation`.

pub(super) mod csi_driver;
pub(super) mod csi_node;
pub(super) mod csi_storage_capacity;
pub(super) mod storage_class;
pub(super) mod volume_attachment;
pub(super) mod volume_attributes_class;

use super::fields::{invalid, pairs, text};
use super::names;
use crate::conventions::cause::Cause;
use crate::conventions::causes::Causes;
use crate::value::Value;

const GROUP: &str = "storage.k8s.io";

/// The largest number of parameters, and the largest size of all their keys and values together, in bytes.
const MOST: usize = 512;
const LONGEST: usize = 256 * 1024;

/// Validates the form of a provisioner's name, in which upper case is accepted. An empty name passes. Upstream:
/// `validateProvisioner`.
fn provisioner(class: &Value, field: &str) -> Causes {
    let name = text(class, field).to_lowercase();
    invalid(&field, &name, if name.is_empty() { Vec::new() } else { names::label_key(&name) })
}

/// Validates the parameters of a class. Upstream: `validateParameters`.
fn parameters(class: &Value) -> Causes {
    const AT: &str = "parameters";
    if pairs(class, AT).count() > MOST {
        return Causes::from([Cause::too_long(AT, MOST)]);
    }
    let mut causes = Causes::new();
    if pairs(class, AT).any(|(key, _)| key.is_empty()) {
        causes.push(Cause::invalid(AT, "", "field can not be empty."));
    }
    if size_of_pairs(class, AT) > LONGEST {
        causes.push(Cause::too_long(AT, LONGEST));
    }
    causes
}

/// Returns the size of all keys and values of a map, in bytes.
fn size_of_pairs(parent: &Value, field: &str) -> usize {
    pairs(parent, field).map(|(key, value)| key.len() + value.len()).sum()
}
