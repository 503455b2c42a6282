//! Tests content negotiation: JSON, YAML, protobuf, tables and metadata. Each expected answer is that of a real API
//! server, with which `peers/differential` compares this one.

use axum::body::Body;
use http::Request;
use http_body_util::BodyExt;
use serde_json::json;

use crate::support::api::{Api, quiet};

const MAPS: &str = "/api/v1/namespaces/default/configmaps";

async fn api() -> Api {
    let api = Api::new(&quiet().start());
    let map = json!({"metadata": {"name": "a"}, "data": {"k": "v"}});
    assert_eq!(api.post(MAPS, &map).await.status, 201);
    api
}

/// Returns the code, the content type and the text of the answer to a GET with this Accept header.
async fn accepting(api: &Api, accept: &str, path: &str) -> (u16, String, String) {
    let response = api.raw(Request::get(path).header("accept", accept).body(Body::empty()).unwrap()).await;
    let (parts, body) = response.into_parts();
    let text = String::from_utf8(body.collect().await.unwrap().to_bytes().to_vec()).unwrap();
    (parts.status.as_u16(), parts.headers["content-type"].to_str().unwrap().to_owned(), text)
}

/// Upstream: `ErrorNegotiated` and `WriteObjectNegotiated`.
#[tokio::test(start_paused = true)]
async fn a_table_may_be_yaml_and_an_error_is_never_a_table() {
    let api = api().await;
    let table = "application/yaml;as=Table;v=v1;g=meta.k8s.io";
    let (code, media, text) = accepting(&api, table, MAPS).await;
    assert_eq!((code, media.as_str()), (200, "application/yaml"), "{text}");
    assert!(text.contains("kind: Table\n"), "{text}");
    let missing = format!("{MAPS}/nosuch");
    let (code, media, _) = accepting(&api, table, &missing).await;
    assert_eq!((code, media.as_str()), (404, "application/json"));
    for accept in ["application/yaml", "application/json;as=Table;v=v1;g=meta.k8s.io, application/yaml"] {
        let (code, media, text) = accepting(&api, accept, &missing).await;
        assert_eq!((code, media.as_str()), (404, "application/yaml"), "{text}");
    }
}

/// Upstream: `NegotiateOutputMediaTypeStream`.
#[tokio::test(start_paused = true)]
async fn a_watch_is_not_available_as_yaml() {
    let api = api().await;
    let accept = "application/json;q=0.5, application/yaml";
    let (code, media, text) = accepting(&api, accept, &format!("{MAPS}?watch=true")).await;
    assert_eq!((code, media.as_str()), (406, "application/yaml"));
    let accepted = "application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch";
    assert!(text.contains(accepted), "{text}");
}

/// Upstream adds warnings while it decodes the body, before it negotiates the form of the answer.
#[tokio::test(start_paused = true)]
async fn a_write_without_an_acceptable_answer_still_has_its_warnings() {
    let api = api().await;
    for (accept, path) in [
        ("application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io", MAPS.to_owned()),
        ("application/json;as=Table;v=v1;g=meta.k8s.io", format!("{MAPS}?includeObject=x")),
    ] {
        let body = json!({"metadata": {"generateName": "g-"}, "unknown": 1}).to_string();
        let request = Request::post(path).header("accept", accept).header("content-type", "application/json");
        let response = api.raw(request.body(Body::from(body)).unwrap()).await;
        assert!(response.status().is_client_error());
        assert_eq!(response.headers()["warning"], "299 - \"unknown field \\\"unknown\\\"\"", "{accept}");
    }
}

/// The query may have any true value of Go, but a clause of the Accept header only `pretty=1`. If no clause fits the
/// answer, upstream writes indented JSON: an error fits no clause that asks for a Table. Upstream: `isPrettyPrint`,
/// `acceptMediaTypeOptions` and `WriteRawJSON`.
#[tokio::test(start_paused = true)]
async fn json_is_indented_on_request_or_if_no_clause_of_the_accept_header_fits() {
    let api = api().await;
    let indented = async |accept: &str, path: &str| {
        let (_, media, text) = accepting(&api, accept, path).await;
        assert_eq!(media, "application/json");
        text.contains("\n  ")
    };
    for (query, expected) in [("true", true), ("1", true), ("T", true), ("", false), ("x", false), ("yes", false)] {
        for path in [format!("{MAPS}/a"), format!("{MAPS}/nosuch"), "/api/v1/nosuch".to_owned()] {
            assert_eq!(
                indented("application/json", &format!("{path}?pretty={query}")).await,
                expected,
                "{path} {query}"
            );
        }
    }
    for (accept, path, expected) in [
        ("application/json;pretty=1", "/a", true),
        ("application/json;pretty=1", "/nosuch", true),
        ("application/json;pretty=true", "/a", false),
        ("text/html", "/a", true),
        ("application/json;as=Table;v=v1;g=meta.k8s.io", "/nosuch", true),
        ("application/json;as=Table;v=v1;g=meta.k8s.io", "/a", false),
        ("application/json;as=Table;v=v1;g=meta.k8s.io, application/json", "/nosuch", false),
    ] {
        assert_eq!(indented(accept, &format!("{MAPS}{path}")).await, expected, "{accept} {path}");
    }
    let (code, media, _) = accepting(&api, "application/yaml", "/api/v1/nosuch").await;
    assert_eq!((code, media.as_str()), (404, "application/yaml"));
}

/// Only whole objects and metadata are available as protobuf. Upstream: `AllowsMediaTypeTransform`.
#[tokio::test(start_paused = true)]
async fn metadata_may_be_protobuf_and_a_table_may_not() {
    let api = api().await;
    let form = |kind: &str| format!("application/vnd.kubernetes.protobuf;as={kind};v=v1;g=meta.k8s.io");
    for (kind, path) in [("PartialObjectMetadata", format!("{MAPS}/a")), ("PartialObjectMetadataList", MAPS.to_owned())]
    {
        let request = Request::get(path).header("accept", form(kind)).body(Body::empty()).unwrap();
        let response = api.raw(request).await;
        assert_eq!(response.headers()["content-type"], "application/vnd.kubernetes.protobuf");
        let bytes = response.into_body().collect().await.unwrap().to_bytes();
        let text = String::from_utf8_lossy(&bytes);
        assert!(text.starts_with("k8s\0") && text.contains(kind) && text.contains("default"), "{text:?}");
    }
    assert_eq!(accepting(&api, &form("Table"), MAPS).await.0, 406);
}

/// Plain JSON is written object by object; indented JSON is made of the whole list as one value.
#[tokio::test(start_paused = true)]
async fn a_list_as_a_table_or_as_metadata_has_the_same_content_however_it_is_written() {
    let api = api().await;
    let done = json!({
        "metadata": {"name": "done", "annotations": {"a": "<b>"}}, "spec": {"containers": [{"name": "c", "image": "i"}]},
    });
    assert_eq!(api.post("/api/v1/namespaces/default/pods", &done).await.status, 201);
    let path = "/api/v1/namespaces/default/pods/done/status";
    assert_eq!(api.merge(path, &json!({"status": {"phase": "Succeeded"}})).await.status, 200);
    let other = json!({"metadata": {"name": "b"}});
    assert_eq!(api.post(MAPS, &other).await.status, 201);
    for (kind, version) in [("Table", "v1"), ("Table", "v1beta1"), ("PartialObjectMetadataList", "v1beta1")] {
        let accept = format!("application/json;as={kind};v={version};g=meta.k8s.io");
        for path in [MAPS, "/api/v1/pods"] {
            for query in ["includeObject=Metadata", "includeObject=None", "limit=1"] {
                let (_, _, plain) = accepting(&api, &accept, &format!("{path}?{query}")).await;
                let (_, _, indented) = accepting(&api, &accept, &format!("{path}?{query}&pretty=true")).await;
                assert!(indented.len() > plain.len(), "{indented}");
                let [plain, indented] = [plain, indented].map(|text| text.parse::<serde_json::Value>().unwrap());
                assert_eq!(plain, indented, "{accept} {path}?{query}");
            }
        }
    }
}

/// Upstream's router checks the method, then the body's type, then the Accept header.
#[tokio::test(start_paused = true)]
async fn the_method_is_checked_before_the_headers() {
    let api = api().await;
    for (method, path, content, code) in [
        ("PATCH", MAPS.to_owned(), "text/plain", 405),
        ("PUT", "/apis/apps/v1".to_owned(), "text/plain", 405),
        ("PATCH", format!("{MAPS}/a"), "text/plain", 415),
        ("PATCH", format!("{MAPS}/a"), "application/merge-patch+json", 406),
        ("GET", format!("{MAPS}/.."), "application/json", 406), // the Accept header is checked before the name
    ] {
        let request = Request::builder().method(method).uri(path).header("accept", "text/html");
        let response = api.raw(request.header("content-type", content).body(Body::from("{}")).unwrap()).await;
        assert_eq!(response.status(), code, "{method} {content}");
    }
}

/// Upstream ends the watch at the first event, which it cannot encode. The config maps have no label `app`, so a watch
/// of `app` gets no event before its timeout.
#[tokio::test(start_paused = true)]
async fn a_watch_as_metadata_lists_ends_at_its_first_event() {
    let api = api().await;
    for (selector, seconds) in [("app", 5), ("!app", 0)] {
        let started = tokio::time::Instant::now();
        let accept = "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io";
        let path = format!("{MAPS}?watch=1&timeoutSeconds=5&labelSelector={selector}");
        let (code, _, text) = accepting(&api, accept, &path).await;
        assert_eq!((code, text.as_str()), (200, ""));
        assert_eq!(started.elapsed(), std::time::Duration::from_secs(seconds), "{selector}");
    }
}
