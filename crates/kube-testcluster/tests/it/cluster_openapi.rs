//! Tests that the OpenAPI documents agree with discovery and the served paths, and that clients can cache them.

use std::collections::{BTreeMap, BTreeSet};

use axum::body::Body;
use http::{HeaderMap, Request};
use http_body_util::BodyExt;
use serde_json::{Value, json};

use crate::support::api::{Api, quiet};
use crate::support::protobuf::fields;

/// The operations in a document, such as `GET /api/v1/pods`.
type Operations = BTreeSet<String>;

const METHODS: [&str; 7] = ["get", "put", "post", "delete", "options", "head", "patch"];

struct Answer {
    status: u16,
    headers: HeaderMap,
    body: Vec<u8>,
}

impl Answer {
    fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }

    fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap()
    }
}

async fn get(api: &Api, path: &str, headers: &[(&str, &str)]) -> Answer {
    let mut request = Request::get(path);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let (parts, body) = api.raw(request.body(Body::empty()).unwrap()).await.into_parts();
    let body = body.collect().await.unwrap().to_bytes().to_vec();
    Answer { status: parts.status.as_u16(), headers: parts.headers, body }
}

/// Returns the OpenAPI v3 documents that the index lists, by name.
async fn v3(api: &Api) -> BTreeMap<String, Value> {
    let index = get(api, "/openapi/v3", &[]).await.json();
    let mut documents = BTreeMap::new();
    for (name, place) in index["paths"].as_object().unwrap() {
        let answer = get(api, place["serverRelativeURL"].as_str().unwrap(), &[]).await;
        assert_eq!(answer.status, 200, "{place}");
        documents.insert(name.clone(), answer.json());
    }
    documents
}

fn operations(document: &Value) -> Operations {
    let of = |(path, item): (&String, &Value)| {
        let methods = METHODS.iter().filter(|method| item.get(**method).is_some());
        methods.map(|method| format!("{} {path}", method.to_uppercase())).collect::<Vec<_>>()
    };
    document["paths"].as_object().unwrap().iter().flat_map(of).collect()
}

/// Returns the operations that a kind's verbs stand for.
fn of_verbs(verbs: &Value, root: &str, plural: &str, scope: &Value) -> Operations {
    let mut operations = Operations::new();
    let all = format!("{root}/{plural}");
    let namespace = if scope == "Namespaced" { "/namespaces/{namespace}" } else { "" };
    let collection = format!("{namespace}/{plural}");
    for verb in verbs.as_array().unwrap() {
        let some = match verb.as_str().unwrap() {
            "create" => vec![format!("POST {root}{collection}")],
            "delete" => vec![format!("DELETE {root}{collection}/{{name}}")],
            "deletecollection" => vec![format!("DELETE {root}{collection}")],
            "get" => vec![format!("GET {root}{collection}/{{name}}")],
            "list" => vec![format!("GET {all}"), format!("GET {root}{collection}")],
            "patch" => vec![format!("PATCH {root}{collection}/{{name}}")],
            "update" => vec![format!("PUT {root}{collection}/{{name}}")],
            "watch" => [format!("/{plural}"), collection.clone(), format!("{collection}/{{name}}")]
                .map(|path| format!("GET {root}/watch{path}"))
                .to_vec(),
            other => panic!("a verb without an operation: {other}"),
        };
        operations.extend(some);
    }
    operations
}

fn of_subresource(entry: &Value, object: &str) -> Operations {
    let path = format!("{object}/{}", entry["subresource"].as_str().unwrap());
    let method = |verb: &Value| match verb.as_str().unwrap() {
        "create" => "POST",
        "get" => "GET",
        "patch" => "PATCH",
        "update" => "PUT",
        other => panic!("a verb without an operation: {other}"),
    };
    entry["verbs"].as_array().unwrap().iter().map(|verb| format!("{} {path}", method(verb))).collect()
}

/// Returns the operations of all groups, versions, kinds and subresources in discovery.
async fn discovered(api: &Api) -> Operations {
    let aggregated = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
    let mut operations = Operations::from(["GET /api/", "GET /apis/", "GET /version/"].map(ToOwned::to_owned));
    for root in ["/api", "/apis"] {
        let groups = get(api, root, &[("accept", aggregated)]).await.json();
        for group in groups["items"].as_array().unwrap() {
            let root = group["metadata"]["name"].as_str().map_or(root.to_owned(), |name| format!("{root}/{name}"));
            operations.insert(format!("GET {root}/"));
            for version in group["versions"].as_array().unwrap() {
                let root = format!("{root}/{}", version["version"].as_str().unwrap());
                operations.insert(format!("GET {root}/"));
                for kind in version["resources"].as_array().unwrap() {
                    let (plural, scope) = (kind["resource"].as_str().unwrap(), &kind["scope"]);
                    operations.extend(of_verbs(&kind["verbs"], &root, plural, scope));
                    let namespace = if scope == "Namespaced" { "/namespaces/{namespace}" } else { "" };
                    let object = format!("{root}{namespace}/{plural}/{{name}}");
                    let subresources = kind["subresources"].as_array().into_iter().flatten();
                    operations.extend(subresources.flat_map(|entry| of_subresource(entry, &object)));
                }
            }
        }
    }
    operations
}

#[tokio::test(start_paused = true)]
async fn the_documents_have_exactly_the_operations_of_discovery() {
    let api = Api::new(&quiet().start());
    let expected = discovered(&api).await;
    let v2 = operations(&get(&api, "/openapi/v2", &[]).await.json());
    let v3: Operations = v3(&api).await.values().flat_map(operations).collect();
    for (name, found) in [("v2", v2), ("v3", v3)] {
        let missing: Vec<_> = expected.difference(&found).collect();
        assert!(missing.is_empty(), "{name} does not have {missing:#?}: see peers/openapi/served.go");
        let unknown: Vec<_> = found.difference(&expected).collect();
        assert!(unknown.is_empty(), "discovery does not list {unknown:#?}, which {name} has");
    }
}

#[tokio::test(start_paused = true)]
async fn every_operation_of_the_documents_is_served() {
    let api = Api::new(&quiet().start());
    for operation in v3(&api).await.values().flat_map(operations) {
        let (method, path) = operation.split_once(' ').unwrap();
        let path = path.replace("{namespace}", "default").replace("{name}", "nothing");
        let request = Request::builder().method(method).uri(&path).body(Body::empty()).unwrap();
        let response = api.raw(request).await;
        let status = response.status().as_u16();
        assert_ne!(status, 405, "{operation}");
        if status == 404 {
            // The path is served, but the object does not exist.
            let status: Value =
                serde_json::from_slice(&response.into_body().collect().await.unwrap().to_bytes()).unwrap();
            assert_eq!(status["details"]["name"], "nothing", "{operation}: {status}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn every_reference_in_a_document_resolves_and_every_schema_is_used() {
    let api = Api::new(&quiet().start());
    let mut documents = v3(&api).await;
    documents.insert("v2".into(), get(&api, "/openapi/v2", &[]).await.json());
    for (name, document) in &documents {
        let mut references = BTreeSet::new();
        collect_references(document, &mut references);
        for reference in &references {
            let pointer = reference.strip_prefix('#').unwrap();
            assert!(document.pointer(pointer).is_some(), "{name}: {reference}");
        }
        let schemas = document["components"]["schemas"].as_object().or(document["definitions"].as_object());
        for schema in schemas.into_iter().flat_map(|schemas| schemas.keys()) {
            assert!(references.iter().any(|reference| reference.ends_with(&format!("/{schema}"))), "{name}: {schema}");
        }
        let version = get(&api, "/version", &[]).await.json();
        assert_eq!(document["info"]["version"], version["gitVersion"], "{name}");
    }
}

fn collect_references(value: &Value, found: &mut BTreeSet<String>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| collect_references(item, found)),
        Value::Object(fields) => {
            found.extend(fields.get("$ref").and_then(Value::as_str).map(ToOwned::to_owned));
            fields.values().for_each(|field| collect_references(field, found));
        }
        _ => {}
    }
}

#[tokio::test(start_paused = true)]
async fn the_documents_offer_server_side_apply() {
    let api = Api::new(&quiet().start());
    let documents = v3(&api).await;
    let patch = &documents["api/v1"]["paths"]["/api/v1/namespaces/{namespace}/pods/{name}"]["patch"];
    let content = patch["requestBody"]["content"].as_object().unwrap();
    let types = [
        "application/apply-patch+yaml",
        "application/json-patch+json",
        "application/merge-patch+json",
        "application/strategic-merge-patch+json",
    ];
    assert_eq!(content.keys().collect::<Vec<_>>(), types);
    let names: Vec<_> =
        patch["parameters"].as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["dryRun", "fieldManager", "fieldValidation", "force"]);
}

#[tokio::test(start_paused = true)]
async fn a_document_with_a_known_etag_is_not_sent_again() {
    let api = Api::new(&quiet().start());
    for path in ["/openapi/v2", "/openapi/v3", "/openapi/v3/apis/apps/v1"] {
        let first = get(&api, path, &[]).await;
        let etag = first.header("etag").to_owned();
        assert_eq!((first.status, first.header("cache-control")), (200, "no-cache, private"), "{path}");
        assert_eq!(first.header("last-modified"), "Mon, 01 May 2023 10:00:00 GMT", "{path}");
        for known in [etag.clone(), format!("\"other\", W/{etag}"), "*".into()] {
            let again = get(&api, path, &[("if-none-match", &known)]).await;
            assert_eq!((again.status, again.header("etag"), again.body.len()), (304, etag.as_str(), 0), "{path}");
            assert_eq!(again.header("content-type"), "", "{path}");
        }
        let changed = get(&api, path, &[("if-none-match", "\"other\"")]).await;
        assert_eq!((changed.status, changed.body), (200, first.body), "{path}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_document_requested_by_its_hash_may_be_cached_for_a_year() {
    let api = Api::new(&quiet().start());
    let index = get(&api, "/openapi/v3", &[]).await.json();
    let url = index["paths"]["apis/apps/v1"]["serverRelativeURL"].as_str().unwrap();
    let answer = get(&api, url, &[]).await;
    assert_eq!((answer.header("cache-control"), answer.header("vary")), ("public, immutable", "Accept"));
    assert_eq!(answer.header("expires"), "Wed, 01 May 2024 10:00:00 UTC");
    let etag = answer.header("etag").trim_matches('"').to_owned();
    assert_eq!(url, format!("/openapi/v3/apis/apps/v1?hash={etag}"));
    let known = get(&api, url, &[("if-none-match", answer.header("etag"))]).await;
    assert_eq!((known.status, known.header("cache-control")), (304, "public, immutable"));

    let outdated = get(&api, "/openapi/v3/apis/apps/v1?hash=0", &[]).await;
    assert_eq!((outdated.status, outdated.header("location")), (301, url));
    assert_eq!(outdated.body.len(), 0);
}

#[tokio::test(start_paused = true)]
async fn openapi_v2_is_available_as_protobuf() {
    let api = Api::new(&quiet().start());
    let asked = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf";
    let answered = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";
    let json = get(&api, "/openapi/v2", &[]).await;
    for accept in [asked, answered] {
        let binary = get(&api, "/openapi/v2", &[("accept", accept)]).await;
        assert_eq!((binary.status, binary.header("content-type")), (200, answered));
        assert_eq!((binary.header("etag"), binary.header("vary")), (json.header("etag"), "Accept-Encoding"));
        let document = fields(&binary.body);
        assert_eq!(document[&1], [b"2.0"]);
        // The field numbers of gnostic's `OpenAPIv2.proto`: of the document, and of the entries within its field.
        for (field, inner, member) in [(8, 2, "paths"), (9, 1, "definitions"), (10, 1, "parameters")] {
            let entries = document[&field].iter().flat_map(|part| fields(part)[&inner].clone());
            let names: BTreeSet<_> =
                entries.map(|entry| String::from_utf8(fields(entry)[&1][0].to_vec()).unwrap()).collect();
            assert_eq!(names, json.json()[member].as_object().unwrap().keys().cloned().collect(), "{member}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn an_unsupported_media_type_gets_406() {
    let api = Api::new(&quiet().start());
    for (path, accept, status) in [
        ("/openapi/v2", "application/yaml", 406),
        ("/openapi/v2", "application/yaml, */*", 200),
        ("/openapi/v2", "application/*", 200),
        ("/openapi/v3/version", "application/yaml", 406),
        ("/openapi/v3/version", "application/com.github.proto-openapi.spec.v3@v1.0+protobuf,application/json", 200),
        ("/openapi/v3/apis/nosuch/v1", "*/*", 404),
    ] {
        let answer = get(&api, path, &[("accept", accept)]).await;
        assert_eq!(answer.status, status, "{path} as {accept}");
        assert_eq!(answer.header("content-type"), if status == 200 { "application/json" } else { "" });
        assert_eq!(answer.body.is_empty(), status != 200);
    }
}

/// Puts `value` at the JSON pointer `at` of a definition, and creates that definition in a new cluster. Returns the
/// ETag and the OpenAPI document of its version.
async fn of_definition(at: &str, value: &Value) -> (String, Value) {
    let mut definition = json!({
        "metadata": {}, "spec": {
            "group": "a.example.com", "scope": "Namespaced", "names": {"plural": "widgets", "kind": "Widget", "listKind": "WidgetList"},
            "versions": [{"name": "v1", "served": true, "storage": true, "subresources": {}, "selectableFields": [],
                "schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": {"type": "object", "properties": {"size": {"type": "string"}}}}}}}],
        },
    });
    *definition.pointer_mut(at).unwrap() = value.clone();
    let spec = definition["spec"].clone();
    let (group, plural) = (spec["group"].as_str().unwrap(), spec["names"]["plural"].as_str().unwrap());
    definition["metadata"]["name"] = json!(format!("{plural}.{group}"));
    let api = Api::new(&quiet().start());
    let made = api.post("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", &definition).await;
    assert_eq!(made.status, 201, "{}", made.body);
    let version = spec["versions"][0]["name"].as_str().unwrap();
    let answer = get(&api, &format!("/openapi/v3/apis/{group}/{version}"), &[]).await;
    assert_eq!(answer.status, 200);
    (answer.header("etag").to_owned(), answer.json())
}

#[tokio::test(start_paused = true)]
async fn definitions_that_differ_in_one_property_have_documents_of_their_own() {
    let changes = [
        ("/spec/scope", json!("Namespaced")), // no change
        ("/spec/scope", json!("Cluster")),
        ("/spec/group", json!("b.example.com")),
        ("/spec/names/plural", json!("gadgets")),
        ("/spec/names/kind", json!("Gadget")),
        ("/spec/names/listKind", json!("Widgets")),
        ("/spec/versions/0/name", json!("v1beta1")),
        ("/spec/versions/0/subresources", json!({"status": {}})),
        ("/spec/versions/0/selectableFields", json!([{"jsonPath": ".spec.size"}])),
        ("/spec/versions/0/schema/openAPIV3Schema", json!({"type": "object"})),
    ];
    let mut known: BTreeMap<String, Value> = BTreeMap::new();
    for (at, value) in changes {
        let (etag, document) = of_definition(at, &value).await;
        assert!(!known.values().any(|other| *other == document), "{at}");
        assert!(known.insert(etag, document).is_none(), "{at}");
    }
}

#[tokio::test(start_paused = true)]
async fn versions_with_the_same_schema_have_documents_of_their_own() {
    let api = Api::new(&quiet().start());
    let version = |name: &str, storage: bool| json!({"name": name, "served": true, "storage": storage, "schema": {"openAPIV3Schema": {"type": "object"}}});
    let definition = json!({
        "metadata": {"name": "widgets.example.com"}, "spec": {
            "group": "example.com", "scope": "Namespaced", "names": {"plural": "widgets", "kind": "Widget"},
            "versions": [version("v1", true), version("v1beta1", false)],
        },
    });
    assert_eq!(api.post("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", &definition).await.status, 201);
    for version in ["v1", "v1beta1"] {
        let document = get(&api, &format!("/openapi/v3/apis/example.com/{version}"), &[]).await.json();
        let schema = &document["components"]["schemas"][format!("com.example.{version}.Widget")];
        let kinds = json!([{"group": "example.com", "kind": "Widget", "version": version}]);
        assert_eq!(schema["x-kubernetes-group-version-kind"], kinds);
    }
}
