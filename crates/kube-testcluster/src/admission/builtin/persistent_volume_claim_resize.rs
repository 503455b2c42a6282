//! The plugin `PersistentVolumeClaimResize`: a claim grows only if it has a volume whose class allows that.

use super::WriteAttributes;
use crate::http::status::ApiError;
use crate::store::object::Key;
use kube_machinery::kinds::{STORAGE_CLASSES, class_of_claim, requests_more};
use kube_machinery::value::Value;

pub(super) fn validate(write: &WriteAttributes<'_>, new: &Value) -> Result<(), ApiError> {
    let Some(old) = write.old.filter(|old| requests_more(new, old)) else { return Ok(()) };
    if old["status"]["phase"] != "Bound" {
        return Err(write.forbidden(new, "Only bound persistent volume claims can be expanded"));
    }
    if !may_grow(write, new, old)? {
        let why = "only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support \
                   resize";
        return Err(write.forbidden(new, why));
    }
    Ok(())
}

fn may_grow(write: &WriteAttributes<'_>, new: &Value, old: &Value) -> Result<bool, ApiError> {
    let class = class_of_claim(new).filter(|class| !class.is_empty() && Some(*class) == class_of_claim(old));
    let class = class.and_then(|name| write.store.get(STORAGE_CLASSES, &Key::new(None, name)));
    Ok(match class {
        Some(class) => class.open()?.value["allowVolumeExpansion"] == true,
        None => false,
    })
}
