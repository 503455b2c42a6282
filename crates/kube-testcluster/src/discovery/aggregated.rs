//! Aggregated discovery: all groups, versions and kinds in one response of `/api` or `/apis`. Clients need them to find
//! the path of a kind; older clients ask for one group at a time (see `mod.rs`). Current clients ask for this form
//! first, by the `Accept` header, and cache it by its ETag.

use axum::body::Body;
use axum::response::Response;
use http::{HeaderMap, HeaderValue, StatusCode, header};

use super::{in_order, versions};
use crate::http::negotiation;
use crate::http::response;
use crate::http::status::ApiError;
use crate::settings::Settings;
use kube_machinery::conventions::fnv::fnv;
use kube_machinery::kinds::{Catalog, Resource};
use kube_machinery::value::{Value, json};

const CONTENT_TYPE: &str = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DiscoveryForm {
    Plain,
    Aggregated,
}

impl DiscoveryForm {
    /// Reads the form from the `Accept` header. Fails with `NotAcceptable`; the beta version of the aggregated form is
    /// no longer served.
    pub(crate) fn read(headers: &HeaderMap, settings: &Settings) -> Result<Self, ApiError> {
        let accept = headers.get(header::ACCEPT).and_then(|value| value.to_str().ok()).unwrap_or_default();
        if accept.trim().is_empty() {
            return Ok(Self::Plain);
        }
        let wanted = |clause: &negotiation::Clause| {
            let json = matches!(clause.name, "application/json" | "*/*");
            match (clause.parameter("as"), clause.parameter("g"), clause.parameter("v")) {
                ("", ..) if json || clause.name == "application/yaml" => Some(Self::Plain),
                ("APIGroupDiscoveryList", "apidiscovery.k8s.io", "v2") if json && settings.aggregated_discovery => {
                    Some(Self::Aggregated)
                }
                _ => None,
            }
        };
        negotiation::clauses(accept).iter().find_map(wanted).ok_or_else(ApiError::not_acceptable)
    }
}

/// Responds with the groups for which `requested` is true, or 304 if the client's ETag is current.
pub(crate) fn answer(headers: &HeaderMap, catalog: &Catalog, requested: fn(&str) -> bool) -> Response {
    let mut names: Vec<_> = catalog.served().map(|row| row.group()).filter(|name| requested(name)).collect();
    in_order(&mut names);
    let items: Vec<Value> = names.into_iter().map(|name| group(catalog, name)).collect();
    let body = json!({
        "kind": "APIGroupDiscoveryList", "apiVersion": "apidiscovery.k8s.io/v2", "metadata": {}, "items": items,
    });
    let body = body.to_string().into_bytes();
    let tag = format!("\"{:016X}\"", fnv(&body));
    let known = headers.get(header::IF_NONE_MATCH).is_some_and(|known| known.as_bytes() == tag.as_bytes());
    let mut response = response::json(StatusCode::OK, body);
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(CONTENT_TYPE));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("public"));
    headers.insert(header::VARY, HeaderValue::from_static("Accept"));
    headers.insert(header::ETAG, HeaderValue::from_str(&tag).expect("hexadecimal digits in quotes"));
    if known {
        headers.remove(header::CONTENT_TYPE);
        *response.status_mut() = StatusCode::NOT_MODIFIED;
        *response.body_mut() = Body::empty();
    }
    response
}

fn group(catalog: &Catalog, name: &str) -> Value {
    let metadata = if name.is_empty() { json!({}) } else { json!({"name": name}) };
    let version = |version: &str| {
        let mut rows: Vec<_> = catalog.served().filter(|row| row.group() == name && row.version() == version).collect();
        rows.sort_unstable_by_key(|row| row.plural());
        let resources: Vec<Value> = rows.into_iter().map(resource).collect();
        json!({"version": version, "resources": resources, "freshness": "Current"})
    };
    let versions: Vec<Value> = versions(catalog, name).into_iter().map(version).collect();
    json!({"metadata": metadata, "versions": versions})
}

fn resource(row: &Resource) -> Value {
    // An empty group and version mean the group and version of the surrounding list.
    let kind = |kind: &str| json!({"group": "", "version": "", "kind": kind});
    let mut resource = json!({
        "resource": row.plural(), "responseKind": kind(row.kind()), "scope": format!("{:?}", row.scope()),
        "singularResource": row.singular(), "verbs": row.verbs(),
    });
    for (field, names) in [("shortNames", row.short_names()), ("categories", row.categories())] {
        if !names.is_empty() {
            resource[field] = json!(names);
        }
    }
    let subresources = row.subresources().iter().map(|subresource| {
        let part = row.subresource_info(*subresource);
        let (group, version) = part.foreign.unwrap_or_default();
        let kind = json!({"group": group, "version": version, "kind": part.kind});
        json!({"subresource": subresource.name(), "responseKind": kind, "verbs": part.verbs})
    });
    if !row.subresources().is_empty() {
        resource["subresources"] = subresources.collect();
    }
    resource
}
