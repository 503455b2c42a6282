//! Finds the parameter objects of a policy binding. A policy with `paramKind` reads values such as limits from objects
//! of that kind; the `paramRef` of the binding chooses them by name or by selector. Upstream: `CollectParams` in
//! `admission/plugin/policy/generic/policy_dispatcher.go`.

use std::sync::Arc;

use kube_informers::selector::LabelSelector;

use super::super::Attributes;
use crate::http::status::ApiError;
use crate::store::Store;
use crate::store::filter::Filter;
use crate::store::object::{Key, Object, Opened};
use crate::webhook::conversion;
use kube_machinery::kinds::Resource;
use kube_machinery::kinds::admission::{Binding, NotFound, ParamKind, ParamRef, Policy};
use kube_machinery::value::Value;

/// Returns the kind of a policy's parameters, as it is served; `None` if the policy has no parameters.
/// Fails if the kind is not served.
pub(super) fn kind_of(policy: &Policy, store: &Store) -> Result<Option<Resource>, String> {
    let Some(kind) = &policy.param_kind else { return Ok(None) };
    let row = kind.row(&store.catalog()).cloned();
    row.map(Some).ok_or_else(|| format!("failed to find resource referenced by paramKind: '{}'", kind_text(kind)))
}

/// Upstream: `GroupVersionKind.String`.
fn kind_text(kind: &ParamKind) -> String {
    let (group, version) = kind.group_version();
    format!("{group}/{version}, Kind={}", kind.kind)
}

/// Returns the parameters; the policy runs once for each. Without parameters it runs once with `null`. The error is a
/// configuration error of the binding.
pub(super) async fn collect(
    kind: Option<&Resource>,
    binding: &Binding,
    attributes: &Attributes<'_>,
) -> Result<Vec<Value>, String> {
    let (Some(row), Some(reference)) = (kind, &binding.params) else { return Ok(vec![Value::Null]) };
    let namespace = namespace(row, reference, attributes)?;
    let store = attributes.request.store;
    let found = match &reference.selector {
        _ if !reference.name.is_empty() => {
            let found = store.get(row.stored(), &Key::new(namespace.as_deref(), &reference.name));
            let opened = found.map(|object| object.open()).transpose();
            let opened = opened.map_err(|why| ApiError::from(why).message().to_owned())?;
            opened.into_iter().collect()
        }
        Some(selector) => selected(store, row, namespace, selector.clone()?)?,
        None => return Err("one of name or selector must be provided".to_owned()),
    };
    if found.is_empty() && reference.not_found == NotFound::Deny {
        return Err("no params found for policy binding with `Deny` parameterNotFoundAction".to_owned());
    }
    // Built-in kinds convert without a webhook. Custom resources may be stored in another version than `paramKind`
    // names.
    if !row.is_unstructured() {
        return Ok(found.iter().map(|stored| row.served_object(&stored.value)).collect());
    }
    let found = found.iter().map(|stored| stored.resource.served_object(&stored.value)).collect();
    conversion::in_version(store, row, found).await.map_err(|why| why.message().to_owned())
}

/// Returns the namespace of the parameters: the one that the binding names, or else the request's.
fn namespace(row: &Resource, reference: &ParamRef, attributes: &Attributes<'_>) -> Result<Option<String>, String> {
    match (row.is_namespaced(), reference.namespace.as_str(), attributes.namespace()) {
        (false, "", _) => Ok(None),
        (false, ..) => Err("paramRef.namespace must not be provided for a cluster-scoped `paramKind`".to_owned()),
        (true, "", "") => {
            Err("cannot use namespaced paramRef in policy binding that matches cluster-scoped resources".to_owned())
        }
        (true, "", of_request) => Ok(Some(of_request.to_owned())),
        (true, named, _) => Ok(Some(named.to_owned())),
    }
}

/// Returns the parameters that a selector matches, in key order.
fn selected(
    store: &Store,
    row: &Resource,
    namespace: Option<String>,
    selector: LabelSelector,
) -> Result<Vec<Arc<Opened>>, String> {
    let filter = Filter { namespace, labels: selector, ..Filter::default() };
    let (start, prefix) = filter.range();
    let objects: Vec<Arc<Object>> = {
        let state = store.lock();
        let all = state.storage.range(row.stored(), start);
        let placed = all.take_while(|object| object.key.as_str().starts_with(&prefix));
        placed.filter(|object| filter.matches(object)).cloned().collect()
    };
    objects.iter().map(Object::open).collect::<Result<_, _>>().map_err(|why| ApiError::from(why).message().to_owned())
}
