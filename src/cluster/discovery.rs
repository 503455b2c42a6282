//! What is served, for clients that ask.

use std::collections::BTreeSet;

use axum::extract::Path;
use axum::response::{IntoResponse, Response};
use http::StatusCode;
use serde_json::{Value, json};

use super::resource::{RESOURCES, Resource, Subresource};
use super::router::no_such_path;
use super::status::{self, ApiError};

pub(crate) async fn version() -> Response {
    answer(&json!({
        "major": "1", "minor": "37", "gitVersion": "v1.37.2", "gitCommit": "", "gitTreeState": "clean",
        "buildDate": "2026-01-01T00:00:00Z", "goVersion": "", "compiler": "", "platform": "",
    }))
}

pub(crate) async fn core_versions() -> Response {
    answer(&json!({"kind": "APIVersions", "versions": ["v1"], "serverAddressByClientCIDRs": []}))
}

pub(crate) async fn groups() -> Response {
    let names: BTreeSet<_> = RESOURCES.iter().map(|row| row.group).filter(|group| !group.is_empty()).collect();
    let groups: Vec<_> = names.into_iter().map(api_group).collect();
    answer(&json!({"kind": "APIGroupList", "apiVersion": "v1", "groups": groups}))
}

pub(crate) async fn group(Path(group): Path<String>) -> Response {
    if !is_served(&group) {
        return no_such_path();
    }
    let mut body = api_group(&group);
    body["kind"] = json!("APIGroup");
    body["apiVersion"] = json!("v1");
    answer(&body)
}

pub(crate) async fn core_resources(Path(version): Path<String>) -> Response {
    resources("", &version)
}

pub(crate) async fn group_resources(Path((group, version)): Path<(String, String)>) -> Response {
    if is_served(&group) { resources(&group, &version) } else { no_such_path() }
}

fn is_served(group: &str) -> bool {
    !group.is_empty() && RESOURCES.iter().any(|row| row.group == group)
}

fn api_group(group: &str) -> Value {
    let versions: BTreeSet<_> = RESOURCES.iter().filter(|row| row.group == group).map(|row| row.version).collect();
    let versions: Vec<_> = versions
        .into_iter()
        .map(|version| json!({"groupVersion": format!("{group}/{version}"), "version": version}))
        .collect();
    json!({"name": group, "preferredVersion": versions.first(), "versions": versions})
}

fn resources(group: &str, version: &str) -> Response {
    let rows: Vec<&Resource> = RESOURCES.iter().filter(|row| row.group == group && row.version == version).collect();
    let Some(first) = rows.first() else { return ApiError::unknown_resource().into_response() };
    let resources: Vec<Value> = rows.iter().flat_map(|row| entries(row)).collect();
    answer(&json!({
        "kind": "APIResourceList", "apiVersion": "v1", "groupVersion": first.api_version(), "resources": resources,
    }))
}

/// A kind and its subresources.
fn entries(row: &Resource) -> Vec<Value> {
    let mut kind = json!({
        "name": row.plural, "singularName": row.singular, "namespaced": row.is_namespaced(), "kind": row.kind,
        "verbs": ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"],
        "shortNames": row.short_names,
    });
    if !row.categories.is_empty() {
        kind["categories"] = json!(row.categories);
    }
    let subresources = row.subresources.iter().map(|subresource| {
        let (kind, verbs) = match subresource {
            Subresource::Status => (row.kind, json!(["get", "patch", "update"])),
            Subresource::Binding => ("Binding", json!(["create"])),
        };
        let name = format!("{}/{}", row.plural, subresource.name());
        json!({"name": name, "singularName": "", "namespaced": row.is_namespaced(), "kind": kind, "verbs": verbs})
    });
    std::iter::once(kind).chain(subresources).collect()
}

fn answer(body: &Value) -> Response {
    status::json(StatusCode::OK, serde_json::to_vec(body).expect("a JSON value in memory can always be written"))
}
