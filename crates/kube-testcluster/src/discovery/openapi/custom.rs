//! Makes the OpenAPI documents of custom resources, which are known only at run time. All kinds have the same set of
//! paths, so a document takes over the paths of a built-in kind (the pattern: Deployment) with other names, and adds
//! the schemas of the definitions. Upstream: `pkg/controller/openapi/builder` of `k8s.io/apiextensions-apiserver`.

use std::collections::{BTreeMap, BTreeSet};

use bytes::Bytes;

use super::documents::{self, Document};
use crate::store::Store;
use kube_machinery::conventions::fnv::fnv;
use kube_machinery::kinds::{Catalog, Resource, Subresource};
use kube_machinery::value::{Map, Value, format_smolstr, json};

/// The document of the pattern, the kind whose paths are copied. It is namespaced, and has a status and a scale.
const PATTERN: &str = "v3/apis/apps/v1";
const PATTERN_PATH: &str = "/apis/apps/v1/namespaces/{namespace}/deployments";
const PATTERN_PATH_OF_ALL: &str = "/apis/apps/v1/deployments";
const PATTERN_MODEL: &str = "io.k8s.api.apps.v1.Deployment";

const SCHEMAS: &str = "#/components/schemas/";
const OBJECT_META: &str = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";

/// Returns the group versions of custom resources, with the hashes of their documents.
pub(super) fn index(catalog: &Catalog) -> BTreeMap<String, String> {
    let versions: BTreeSet<_> = catalog.custom().map(|row| (row.group(), row.version())).collect();
    versions
        .into_iter()
        .map(|(group, version)| (format!("apis/{group}/{version}"), etag(catalog, group, version)))
        .collect()
}

/// Returns the document of a group version of custom resources. It is made at the first request, and kept in the store
/// until a definition changes.
pub(super) fn find(store: &Store, name: &str) -> Option<Document> {
    let (group, version) = name.strip_prefix("apis/")?.split_once('/')?;
    let catalog = store.catalog();
    let rows: Vec<_> = rows(&catalog, group, version).collect();
    if rows.is_empty() {
        return None;
    }
    let etag = etag(&catalog, group, version);
    if let Some(json) = store.document(group, version, &etag) {
        return Some(Document { etag, json, protobuf: None });
    }
    let json: Bytes = document(&rows)?.to_string().into_bytes().into();
    store.keep_document(&catalog, group, version, &etag, json.clone());
    Some(Document { etag, json, protobuf: None })
}

fn rows<'c>(catalog: &'c Catalog, group: &str, version: &str) -> impl Iterator<Item = &'c Resource> {
    catalog.custom().filter(move |row| row.group() == group && row.version() == version)
}

/// Returns a hash of everything that a document depends on, so that the index needs no documents.
fn etag(catalog: &Catalog, group: &str, version: &str) -> String {
    let mut hashes = Vec::new();
    for row in rows(catalog, group, version) {
        let names = [row.group(), row.version(), row.plural(), row.kind(), &row.list_kind()].join(" ");
        let document = row.custom.as_ref().map(|custom| &custom.document);
        let selectable: Vec<_> = row.fields().map(|field| field.0).collect();
        let all = format!("{names} {} {:?} {selectable:?} {document:?}", row.is_namespaced(), row.subresources());
        hashes.extend(fnv(all.as_bytes()).to_be_bytes());
    }
    format!("{:016X}", fnv(&hashes))
}

fn document(rows: &[&Resource]) -> Option<Value> {
    let pattern: Value = serde_json::from_slice(&documents::find(PATTERN)?.json).ok()?;
    let mut paths = Map::new();
    let mut schemas = Map::new();
    for row in rows {
        for (path, item) in pattern["paths"].as_object()? {
            if let Some(path) = path_of(row, path) {
                let mut item = item.clone();
                rename(&mut item, row);
                if !row.is_namespaced() {
                    drop_namespace(&mut item);
                }
                paths.insert(path.into(), item);
            }
        }
        let model = model(row);
        schemas.insert(model.clone().into(), full_schema(row, &pattern)?);
        schemas.insert(format_smolstr!("{model}List"), list(row, &model, &pattern));
    }
    let mut used = BTreeSet::new();
    references(&Value::Object(paths.clone()), &mut used);
    references(&Value::Object(schemas.clone()), &mut used);
    add_used(&mut schemas, used, &pattern);
    let info = json!({"title": "Kubernetes CRD Swagger", "version": "v0.1.0"});
    Some(json!({"openapi": "3.0.0", "info": info, "paths": paths, "components": {"schemas": schemas}}))
}

/// Returns the path of a kind that corresponds to a path of the pattern; `None` if the kind does not have it.
fn path_of(row: &Resource, pattern: &str) -> Option<String> {
    let root = format!("/apis/{}/{}", row.group(), row.version());
    if pattern == PATTERN_PATH_OF_ALL {
        return row.is_namespaced().then(|| format!("{root}/{}", row.plural()));
    }
    let rest = pattern.strip_prefix(PATTERN_PATH)?;
    let has = |part| row.subresources().contains(&part);
    let is_served = match rest {
        "" | "/{name}" => true,
        "/{name}/status" => has(Subresource::Status),
        "/{name}/scale" => has(Subresource::Scale),
        _ => false,
    };
    let namespace = if row.is_namespaced() { "/namespaces/{namespace}" } else { "" };
    is_served.then(|| format!("{root}{namespace}/{}{rest}", row.plural()))
}

/// Returns the name of a kind's schema. It begins with the reversed group.
fn model(row: &Resource) -> String {
    let group: Vec<&str> = row.group().rsplit('.').collect();
    format!("{}.{}.{}", group.join("."), row.version(), row.kind())
}

/// Replaces the pattern's names by those of a kind, and removes the media types that custom resources do not support.
fn rename(value: &mut Value, row: &Resource) {
    match value {
        Value::String(text) => {
            if let Some(rest) = text.strip_prefix(SCHEMAS).and_then(|model| model.strip_prefix(PATTERN_MODEL)) {
                if matches!(rest, "" | "List") {
                    *text = format_smolstr!("{SCHEMAS}{}{rest}", model(row));
                }
            // Names of operations and short descriptions; a long text is a description of Deployment itself.
            } else if text.contains("Deployment") && text.len() < 100 {
                *text = text.replace("AppsV1", "").replace("Deployment", row.kind()).into();
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| rename(item, row)),
        Value::Object(fields) => {
            fields.retain(|name, _| {
                !name.contains("protobuf") && !name.contains("strategic-merge-patch") && !name.contains("cbor")
            });
            if fields.get("kind") == Some(&json!("Deployment")) && fields.contains_key("version") {
                *fields = Map::from_iter([
                    ("group".to_owned(), json!(row.group())),
                    ("kind".to_owned(), json!(row.kind())),
                    ("version".to_owned(), json!(row.version())),
                ]);
                return;
            }
            fields.values_mut().for_each(|value| rename(value, row));
        }
        _ => {}
    }
}

fn drop_namespace(item: &mut Value) {
    if let Some(parameters) = item["parameters"].as_array_mut() {
        parameters.retain(|parameter| parameter["name"] != "namespace");
    }
}

/// Returns the whole schema of a kind: that of its definition, with the fields that all objects have.
fn full_schema(row: &Resource, pattern: &Value) -> Option<Value> {
    let custom = row.custom.as_ref()?;
    let mut schema: Value = serde_json::from_str(&custom.document).ok()?;
    complete(&mut schema, pattern);
    let properties = schema.as_object_mut()?.entry("properties").or_insert_with(|| json!({}));
    set_meta(properties, pattern);
    schema["x-kubernetes-group-version-kind"] =
        json!([{"group": row.group(), "kind": row.kind(), "version": row.version()}]);
    let selectable: Vec<Value> = row.fields().map(|(name, ..)| json!({"fieldPath": name})).collect();
    if !selectable.is_empty() {
        schema["x-kubernetes-selectable-fields"] = selectable.into();
    }
    Some(schema)
}

/// Adds the schemas that follow from extensions: the types of an int-or-string, and the fields of an embedded resource.
fn complete(schema: &mut Value, pattern: &Value) {
    match schema {
        Value::Array(items) => items.iter_mut().for_each(|item| complete(item, pattern)),
        Value::Object(fields) => {
            // These three fields hold values, not schemas.
            for (_, value) in
                fields.iter_mut().filter(|(name, _)| !matches!(name.as_str(), "default" | "enum" | "example"))
            {
                complete(value, pattern);
            }
            let has = |fields: &Map, name: &str| fields.get(name) == Some(&json!(true));
            if has(fields, "x-kubernetes-int-or-string") && !fields.contains_key("anyOf") {
                fields.insert("anyOf".into(), json!([{"type": "integer"}, {"type": "string"}]));
            }
            if has(fields, "x-kubernetes-embedded-resource") {
                set_meta(fields.entry("properties").or_insert_with(|| json!({})), pattern);
                let required = fields.entry("required").or_insert_with(|| json!([]));
                if let Value::Array(names) = required {
                    for name in ["kind", "apiVersion"].map(Value::from) {
                        if !names.contains(&name) {
                            names.push(name);
                        }
                    }
                }
            }
        }
        _ => {}
    }
}

/// Sets the schemas of `apiVersion`, `kind` and `metadata`, which definitions leave out.
fn set_meta(properties: &mut Value, pattern: &Value) {
    let of_pattern = &pattern["components"]["schemas"][PATTERN_MODEL]["properties"];
    for name in ["apiVersion", "kind"] {
        properties[name] = of_pattern[name].clone();
    }
    properties["metadata"] = json!({
        "description": "Standard object's metadata. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata",
        "allOf": [{"$ref": format!("{SCHEMAS}{OBJECT_META}")}],
    });
}

fn list(row: &Resource, model: &str, pattern: &Value) -> Value {
    let mut list = pattern["components"]["schemas"][format!("{PATTERN_MODEL}List")].clone();
    let kind = row.list_kind();
    list["description"] = json!(format!("{kind} is a list of {}", row.kind()));
    list["properties"]["items"] = json!({
        "description": format!("List of {}. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md", row.plural()),
        "items": {"$ref": format!("{SCHEMAS}{model}")}, "type": "array",
    });
    list["x-kubernetes-group-version-kind"] = json!([{"group": row.group(), "kind": kind, "version": row.version()}]);
    list
}

/// Collects the schemas that a part of a document refers to.
fn references(value: &Value, found: &mut BTreeSet<String>) {
    match value {
        Value::String(text) => found.extend(text.strip_prefix(SCHEMAS).map(ToOwned::to_owned)),
        Value::Array(items) => items.iter().for_each(|item| references(item, found)),
        Value::Object(fields) => fields.values().for_each(|value| references(value, found)),
        _ => {}
    }
}

/// Adds the schemas of the pattern that the document uses, and those that they refer to.
fn add_used(schemas: &mut Map, used: BTreeSet<String>, pattern: &Value) {
    let mut due: Vec<String> = used.into_iter().collect();
    while let Some(name) = due.pop() {
        let Some(schema) = pattern["components"]["schemas"].get(&name).filter(|_| !schemas.contains_key(&name)) else {
            continue;
        };
        let mut more = BTreeSet::new();
        references(schema, &mut more);
        schemas.insert(name.into(), schema.clone());
        due.extend(more);
    }
}
