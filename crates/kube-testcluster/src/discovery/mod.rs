//! Discovery: the paths by which clients such as kubectl find out which groups, versions and kinds the server has (`/`,
//! `/api`, `/apis` and the paths of groups and versions), and `/version`. Here is the form for clients that ask for one
//! group at a time; `aggregated` serves all groups at once, and `openapi` serves the schemas.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, State};
use axum::response::{IntoResponse, Response};
use http::{HeaderMap, StatusCode, header};

use self::aggregated::DiscoveryForm;
use crate::healthz;
use crate::http::negotiation::{Accept, Media, accept_header};
use crate::http::represent::encode;
use crate::http::response::{self, no_such_path};
use crate::http::status::ApiError;
use crate::settings::Era;
use crate::store::Store;
use kube_machinery::KUBERNETES_VERSION;
use kube_machinery::kinds::api_service::discovery_order;
use kube_machinery::kinds::{Catalog, Dispatcher, Resource, preference};
use kube_machinery::value::{Value, json};

mod aggregated;
pub(crate) mod openapi;

/// Serves `/`: the paths that the server has.
pub(crate) async fn index(State(store): State<Arc<Store>>) -> Response {
    let mut paths: Vec<String> = healthz::paths().collect();
    paths.extend(["/api", "/apis", "/openapi/v2", "/openapi/v3", "/openapi/v3/", "/version"].map(ToOwned::to_owned));
    for row in store.catalog().served() {
        let group = row.group();
        let own = if group.is_empty() {
            vec!["/api/v1".into()]
        } else {
            vec![format!("/apis/{group}"), format!("/apis/{}", row.api_version())]
        };
        paths.extend(own);
    }
    paths.sort_unstable();
    paths.dedup();
    answer(&json!({"paths": paths}))
}

/// Serves `/version`: current Kubernetes, or the last one with an unordered watch cache.
pub(crate) async fn version(State(store): State<Arc<Store>>) -> Response {
    let full = match store.settings.era {
        Era::Modern => KUBERNETES_VERSION,
        Era::Classic => "v1.26.15",
    };
    let minor =
        full.split('.').nth(1).and_then(|minor| minor.parse::<u32>().ok()).expect("a version is v1.MINOR.PATCH");
    let (minor, previous) = (minor.to_string(), (minor - 1).to_string());
    let architecture = match std::env::consts::ARCH {
        "x86_64" => "amd64",
        "aarch64" => "arm64",
        other => other,
    };
    answer(&json!({
        "major": "1", "minor": minor, "emulationMajor": "1", "emulationMinor": minor, "minCompatibilityMajor": "1",
        "minCompatibilityMinor": previous, "gitVersion": full, "gitCommit": "0".repeat(40), "gitTreeState": "clean",
        "buildDate": "2026-01-01T00:00:00Z", "goVersion": "", "compiler": "rustc",
        "platform": format!("{}/{architecture}", std::env::consts::OS),
    }))
}

/// Serves `/api`: the versions of the core group.
pub(crate) async fn core_versions(State(store): State<Arc<Store>>, headers: HeaderMap) -> Response {
    match DiscoveryForm::read(&headers, &store.settings) {
        Ok(DiscoveryForm::Aggregated) => aggregated::answer(&headers, &store.catalog(), |group| group.is_empty()),
        Ok(DiscoveryForm::Plain) => {
            let body =
                json!({"kind": "APIVersions", "versions": ["v1"], "serverAddressByClientCIDRs": address(&headers)});
            negotiated(&headers, &body)
        }
        Err(error) => error.into_response(),
    }
}

/// Serves `/apis`: all groups except the core group.
pub(crate) async fn groups(State(store): State<Arc<Store>>, headers: HeaderMap) -> Response {
    let catalog = store.catalog();
    match DiscoveryForm::read(&headers, &store.settings) {
        Ok(DiscoveryForm::Aggregated) => aggregated::answer(&headers, &catalog, |group| !group.is_empty()),
        Ok(DiscoveryForm::Plain) => {
            let mut names: Vec<_> = catalog.served().map(|row| row.group()).filter(|group| !group.is_empty()).collect();
            in_order(&mut names);
            let group = |name| {
                let mut group = api_group(&catalog, name);
                group["serverAddressByClientCIDRs"] = address(&headers);
                group
            };
            let groups: Vec<_> = names.into_iter().map(group).collect();
            negotiated(&headers, &json!({"kind": "APIGroupList", "groups": groups}))
        }
        Err(error) => error.into_response(),
    }
}

/// Sorts the names of groups as upstream's aggregator lists them, by priority and then by name, and removes duplicates.
fn in_order(groups: &mut Vec<&str>) {
    groups.sort_unstable_by_key(|group| (discovery_order(group), *group));
    groups.dedup();
}

/// Returns the address under which the client reached the server.
fn address(headers: &HeaderMap) -> Value {
    let host = headers.get(header::HOST).and_then(|host| host.to_str().ok()).unwrap_or("127.0.0.1");
    json!([{"clientCIDR": "0.0.0.0/0", "serverAddress": host}])
}

/// A segment of a path. A segment that is not text names nothing that is served.
type Segment<T> = Result<Path<T>, PathRejection>;

/// Serves `/apis/GROUP`: the versions of a group.
pub(crate) async fn group(State(store): State<Arc<Store>>, group: Segment<String>, headers: HeaderMap) -> Response {
    let Ok(Path(group)) = group else { return no_such_path() };
    let catalog = store.catalog();
    if !is_served(&catalog, &group) {
        return no_such_path();
    }
    let mut body = api_group(&catalog, &group);
    body["kind"] = json!("APIGroup");
    body["apiVersion"] = json!("v1");
    negotiated(&headers, &body)
}

/// Serves `/api/VERSION`: the kinds of the core group.
pub(crate) async fn core_resources(
    State(store): State<Arc<Store>>,
    version: Segment<String>,
    headers: HeaderMap,
) -> Response {
    resources(&store.catalog(), "", &version.map(|Path(version)| version).unwrap_or_default(), &headers)
}

/// Serves `/apis/GROUP/VERSION`: the kinds of a version.
pub(crate) async fn group_resources(
    State(store): State<Arc<Store>>,
    names: Segment<(String, String)>,
    headers: HeaderMap,
) -> Response {
    let Ok(Path((group, version))) = names else { return no_such_path() };
    let catalog = store.catalog();
    if is_served(&catalog, &group) { resources(&catalog, &group, &version, &headers) } else { no_such_path() }
}

fn is_served(catalog: &Catalog, group: &str) -> bool {
    !group.is_empty() && catalog.served().any(|row| row.group() == group)
}

/// Returns the versions of a group, the preferred one first.
fn versions<'c>(catalog: &'c Catalog, group: &str) -> Vec<&'c str> {
    let mut versions: Vec<_> = catalog.served().filter(|row| row.group() == group).map(|row| row.version()).collect();
    versions.sort_by(|a, b| preference(a, b));
    versions.dedup();
    versions
}

/// Returns the `APIGroup` of a group, without its kind.
fn api_group(catalog: &Catalog, group: &str) -> Value {
    let versions: Vec<_> = versions(catalog, group)
        .into_iter()
        .map(|version| json!({"groupVersion": format!("{group}/{version}"), "version": version}))
        .collect();
    json!({"name": group, "preferredVersion": versions.first(), "versions": versions})
}

fn resources(catalog: &Catalog, group: &str, version: &str, headers: &HeaderMap) -> Response {
    let mut rows: Vec<&Resource> =
        catalog.served().filter(|row| row.group() == group && row.version() == version).collect();
    rows.sort_unstable_by_key(|row| row.plural());
    let Some(first) = rows.first() else {
        // Upstream's handler of custom resources delegates unknown resources to the next handler, which answers `404
        // page not found`.
        return match catalog.dispatcher_of(group) {
            Dispatcher::CrdHandler => no_such_path(),
            Dispatcher::GoRestful => ApiError::unknown_resource().into_response(),
        };
    };
    let resources: Vec<Value> = rows.iter().flat_map(|row| entries(row)).collect();
    let mut body = json!({"kind": "APIResourceList", "groupVersion": first.api_version(), "resources": resources});
    if !group.is_empty() {
        body["apiVersion"] = json!("v1"); // upstream omits it for the core group
    }
    negotiated(headers, &body)
}

fn entries(row: &Resource) -> Vec<Value> {
    let mut kind = json!({
        "name": row.plural(), "singularName": row.singular(), "namespaced": row.is_namespaced(), "kind": row.kind(),
        "verbs": row.verbs(),
    });
    if row.is_stored() {
        kind["storageVersionHash"] = json!(row.storage_hash());
    }
    for (field, names) in [("shortNames", row.short_names()), ("categories", row.categories())] {
        if !names.is_empty() {
            kind[field] = json!(names);
        }
    }
    let subresources = row.subresources().iter().map(|subresource| {
        let part = row.subresource_info(*subresource);
        let name = format!("{}/{}", row.plural(), subresource.name());
        let mut entry = json!({
            "name": name, "singularName": "", "namespaced": row.is_namespaced(), "kind": part.kind, "verbs": part.verbs,
        });
        if let Some((group, version)) = part.foreign {
            entry["group"] = json!(group);
            entry["version"] = json!(version);
        }
        entry
    });
    std::iter::once(kind).chain(subresources).collect()
}

/// Returns the response in YAML, if the client prefers it, or else in JSON.
fn negotiated(headers: &HeaderMap, body: &Value) -> Response {
    match Accept::parse(&accept_header(headers)).form_of_errors().media {
        Media::Yaml => {
            response::answer(StatusCode::OK, Media::Yaml.name(), Body::from(encode(Media::Yaml, false, body)))
        }
        _ => answer(body),
    }
}

fn answer(body: &Value) -> Response {
    response::json(StatusCode::OK, serde_json::to_vec(body).expect("a JSON value in memory can always be written"))
}
