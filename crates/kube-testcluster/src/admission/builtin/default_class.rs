//! The plugins `DefaultStorageClass` and `DefaultIngressClass`: a new claim or ingress that names no class gets the
//! default one.

use std::cmp::Reverse;

use super::WriteAttributes;
use crate::http::status::ApiError;
use crate::store::filter::Filter;
use crate::verbs::list::everything;
use kube_machinery::conventions::edit::object;
use kube_machinery::kinds::{INGRESS_CLASSES, Resource, STORAGE_CLASSES, class_of_claim};
use kube_machinery::value::{Value, json};

pub(super) fn admit_claim(write: &WriteAttributes<'_>, claim: &mut Value) -> Result<(), ApiError> {
    const DEFAULT: [&str; 2] =
        ["storageclass.kubernetes.io/is-default-class", "storageclass.beta.kubernetes.io/is-default-class"];
    if class_of_claim(claim).is_none()
        && let Some(class) = default_class(write, STORAGE_CLASSES, &DEFAULT)?
    {
        object(&mut claim["spec"]).insert("storageClassName".into(), json!(class));
    }
    Ok(())
}

pub(super) fn admit_ingress(write: &WriteAttributes<'_>, ingress: &mut Value) -> Result<(), ApiError> {
    const DEFAULT: [&str; 1] = ["ingressclass.kubernetes.io/is-default-class"];
    let annotation = &ingress["metadata"]["annotations"]["kubernetes.io/ingress.class"];
    if annotation.is_null()
        && ingress["spec"]["ingressClassName"].is_null()
        && let Some(class) = default_class(write, INGRESS_CLASSES, &DEFAULT)?
    {
        object(&mut ingress["spec"]).insert("ingressClassName".into(), json!(class));
    }
    Ok(())
}

/// Returns the name of the default class: of several, the newest one, and of those the first by name. One of these
/// annotations makes a class the default.
fn default_class(
    write: &WriteAttributes<'_>,
    kind: &Resource,
    annotations: &[&str],
) -> Result<Option<String>, ApiError> {
    let mut defaults = Vec::new();
    for class in everything(write.store, kind, &Filter::default()).objects {
        let class = class.open()?;
        let metadata = &class.value["metadata"];
        if annotations.iter().any(|annotation| metadata["annotations"][*annotation] == "true") {
            let created = metadata["creationTimestamp"].as_str().unwrap_or_default().to_owned();
            defaults.push((Reverse(created), class.key.name().to_owned()));
        }
    }
    Ok(defaults.into_iter().min().map(|(_, name)| name))
}
