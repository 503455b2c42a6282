//! Calls the admission plugins of the program that embeds the cluster; see
//! [`ClusterBuilder::admit`](crate::ClusterBuilder::admit). They run in this process, at the beginning of each round of
//! mutating admission, before the webhooks.

use std::borrow::Cow;

use super::attributes::Kind;
use super::{Attributes, mutating, refusal};
use crate::http::status::ApiError;
use crate::plugins::admit::AdmissionRequest;
use kube_machinery::value::Value;

/// Calls all plugins, in order. Each sees the changes of the earlier ones. The changed object replaces the object of
/// `attributes`.
pub(super) fn admit(attributes: &mut Attributes<'_>) -> Result<(), ApiError> {
    let request = attributes.request;
    if request.store.plugins.0.is_empty() {
        return Ok(());
    }
    let mut plugin_request = admission_request(attributes);
    let before = plugin_request.object.clone();
    for plugin in &request.store.plugins.0 {
        plugin.admit(&mut plugin_request).map_err(|status| refusal::of_plugin(&status))?;
    }
    if let Some(object) = plugin_request.object.filter(|object| before.as_ref().is_some_and(|before| before != object))
    {
        attributes.object = Some(Cow::Owned(mutating::converted_back(request, &request.served, object.into())?));
    }
    Ok(())
}

fn admission_request(attributes: &Attributes<'_>) -> AdmissionRequest {
    let request = attributes.request;
    let served = &request.served;
    let kind = Kind::of(request, served);
    let versioned = |value: Option<&Value>| value.map(|value| request.versioned(served, value));
    AdmissionRequest {
        operation: attributes.operation,
        group: served.group().to_owned(),
        version: served.version().to_owned(),
        kind: kind.kind.to_owned(),
        resource: served.plural().to_owned(),
        subresource: attributes.subresource().to_owned(),
        name: attributes.name().to_owned(),
        namespace: attributes.namespace().to_owned(),
        user: (*request.user).clone(),
        dry_run: request.is_dry_run(),
        object: versioned(attributes.object.as_deref()).map(Into::into),
        old_object: versioned(attributes.old).map(Into::into),
    }
}
