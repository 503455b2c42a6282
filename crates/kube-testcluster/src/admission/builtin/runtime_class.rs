//! The plugin `RuntimeClass`: a new pod gets the overhead and the nodes of its class, which must exist.

use std::sync::Arc;

use super::WriteAttributes;
use crate::http::status::ApiError;
use crate::store::object::{Key, Opened};
use kube_machinery::conventions::edit::object;
use kube_machinery::kinds::{RUNTIME_CLASSES, merge_runtime_class, overhead_problem};
use kube_machinery::value::Value;

pub(super) fn admit(write: &WriteAttributes<'_>, pod: &mut Value) -> Result<(), ApiError> {
    match class_of(write, pod)? {
        Some(class) => {
            let merged = merge_runtime_class(&class.value, object(&mut pod["spec"]));
            merged.map_err(|why| write.forbidden(pod, &why))
        }
        None => Ok(()),
    }
}

/// Refuses a pod whose overhead is not that of its class.
pub(super) fn validate(write: &WriteAttributes<'_>, pod: &Value) -> Result<(), ApiError> {
    let class = class_of(write, pod)?;
    match overhead_problem(class.as_ref().map(|class| &class.value), &pod["spec"]) {
        Some(why) => Err(write.forbidden(pod, why)),
        None => Ok(()),
    }
}

fn class_of(write: &WriteAttributes<'_>, pod: &Value) -> Result<Option<Arc<Opened>>, ApiError> {
    let Some(name) = pod["spec"]["runtimeClassName"].as_str() else { return Ok(None) };
    match write.store.get(RUNTIME_CLASSES, &Key::new(None, name)) {
        Some(class) => Ok(Some(class.open()?)),
        None => Err(write.forbidden(pod, &format!("pod rejected: RuntimeClass {name:?} not found"))),
    }
}
