//! Impersonation: requests in the name of another user (`kubectl --as`). Upstream: `WithImpersonation` in
//! `k8s.io/apiserver/pkg/endpoints/filters/impersonation`.

use http::{HeaderMap, HeaderName};

use super::attributes::{Attributes, ResourceAttributes};
use super::authorization::Authorizer;
use crate::http::status::ApiError;
use kube_machinery::conventions::escape;
use kube_machinery::conventions::user::{AUTHENTICATED, UNAUTHENTICATED, User};
use kube_machinery::kinds::{is_label, is_subdomain};

const USER: HeaderName = HeaderName::from_static("impersonate-user");
const UID: HeaderName = HeaderName::from_static("impersonate-uid");
const GROUP: HeaderName = HeaderName::from_static("impersonate-group");
const EXTRA: &str = "impersonate-extra-";

/// The API group of the rights to impersonate uids and extra fields.
const AUTHENTICATION: &str = "authentication.k8s.io";

/// Returns the user that the impersonation headers name. Removes the headers, so that handlers do not see them.
/// Fails with 400 if they name groups, extra fields or a uid, but no user.
pub(super) fn wanted_user(headers: &mut HeaderMap) -> Result<Option<User>, ApiError> {
    if !headers.keys().any(|name| name.as_str().starts_with("impersonate-")) {
        return Ok(None);
    }
    let first = |name: HeaderName| headers.get(name).map(text).unwrap_or_default();
    let mut wanted = User { name: first(USER), uid: first(UID), ..User::default() };
    wanted.groups = headers.get_all(GROUP).iter().map(text).collect();
    let extra: Vec<HeaderName> = headers.keys().filter(|name| name.as_str().starts_with(EXTRA)).cloned().collect();
    for name in &extra {
        let key = &name.as_str()[EXTRA.len()..];
        let key = escape::decode(key).unwrap_or_else(|| key.to_owned());
        wanted.extra.entry(key).or_default().extend(headers.get_all(name).iter().map(text));
    }
    if wanted == User::default() {
        return Ok(None);
    }
    if wanted.name.is_empty() {
        let references: Vec<String> = needed_rights(&wanted).iter().map(as_reference).collect();
        let references = references.join(" ");
        return Err(ApiError::bad_request(format!("requested [{references}] without impersonating a user")));
    }
    for name in extra.into_iter().chain([USER, UID, GROUP]) {
        headers.remove(name);
    }
    Ok(Some(wanted))
}

fn text(value: &http::HeaderValue) -> String {
    String::from_utf8_lossy(value.as_bytes()).into_owned()
}

/// Returns the user in whose name a request is handled: the wanted one, with the groups that follow from the name.
/// Fails with 403 if the requestor lacks a right to impersonate this user.
pub(super) fn impersonate(authorizer: &Authorizer, requestor: &User, mut wanted: User) -> Result<User, ApiError> {
    for right in needed_rights(&wanted) {
        authorizer.check(requestor, &Attributes::Resource(right))?;
    }
    if wanted.groups.is_empty()
        && let Some((namespace, _)) = service_account(&wanted.name)
    {
        wanted.groups = vec!["system:serviceaccounts".to_owned(), format!("system:serviceaccounts:{namespace}")];
    }
    let has = |group: &str| wanted.groups.iter().any(|other| other == group);
    let added = if wanted.is_anonymous() { UNAUTHENTICATED } else { AUTHENTICATED };
    if !has(added) && !has(UNAUTHENTICATED) {
        wanted.groups.push(added.to_owned());
    }
    Ok(wanted)
}

/// Returns the rights that impersonation of a user needs: to the name, each group, each extra value and the uid.
/// Upstream: `buildImpersonationRequests`.
fn needed_rights(wanted: &User) -> Vec<ResourceAttributes> {
    let right = |group: &str, resource: &str, name: &str| ResourceAttributes {
        verb: "impersonate".to_owned(),
        group: group.to_owned(),
        resource: resource.to_owned(),
        name: name.to_owned(),
        ..ResourceAttributes::default()
    };
    let mut rights = Vec::new();
    if let Some((namespace, name)) = service_account(&wanted.name) {
        rights.push(ResourceAttributes { namespace: namespace.to_owned(), ..right("", "serviceaccounts", name) });
    } else if !wanted.name.is_empty() {
        rights.push(right("", "users", &wanted.name));
    }
    rights.extend(wanted.groups.iter().map(|group| right("", "groups", group)));
    for (key, values) in &wanted.extra {
        let extra = |value: &String| right(AUTHENTICATION, "userextras", value);
        rights.extend(values.iter().map(|value| ResourceAttributes { subresource: key.clone(), ..extra(value) }));
    }
    if !wanted.uid.is_empty() {
        rights.push(right(AUTHENTICATION, "uids", &wanted.uid));
    }
    rights
}

/// Formats a right to a group, an extra value or a uid for the error message, as Go prints the `v1.ObjectReference`
/// that upstream makes of it.
fn as_reference(right: &ResourceAttributes) -> String {
    let (kind, version) = match right.resource.as_str() {
        "groups" => ("Group", ""),
        "uids" => ("UID", "authentication.k8s.io/v1"),
        _ => ("UserExtra", "authentication.k8s.io/v1"),
    };
    format!("{{{kind}  {}  {version}  {}}}", right.name, right.subresource)
}

/// Returns namespace and name of the service account in a user name.
fn service_account(user: &str) -> Option<(&str, &str)> {
    let (namespace, name) = user.strip_prefix("system:serviceaccount:")?.split_once(':')?;
    (is_label(namespace) && is_subdomain(name)).then_some((namespace, name))
}
