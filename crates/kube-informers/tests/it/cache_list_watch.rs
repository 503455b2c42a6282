//! Tests of how a ListWatch decodes the API server's answers: long, cut off, of the wrong kind, or read as a smaller
//! type.

use std::collections::HashMap;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use axum::body::{Body, Bytes};
use axum::extract::Query;
use axum::http::HeaderMap;
use axum::http::header::ACCEPT;
use axum::{Router, routing::get};
use futures::stream::{self, StreamExt};
use k8s_openapi::api::core::v1::{Pod, Secret};
use kube::core::{ApiResource, DynamicObject, GroupVersionKind, PartialObjectMeta};
use kube_informers::cache::{
    ApiError, HandlerFuncs, ListOptions, ListPage, ListWatch, ListerWatcher, Meta, Object, ReflectorOptions,
    SharedIndexInformer, SlimMeta, WatchEvent, WatchList, with_causes,
};
use kube_testcluster::{Cluster, pods_from_yaml};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

/// Returns a ListWatch of a server whose answer to every request is these pieces of a body.
fn served<P: AsRef<str>>(pieces: impl IntoIterator<Item = P>) -> ListWatch<Pod> {
    served_until(pieces, None)
}

/// Returns a ListWatch of a server that answers with these pieces and then, if an error is given, breaks the
/// connection.
fn served_until<P: AsRef<str>>(
    pieces: impl IntoIterator<Item = P>,
    broken_off: Option<io::ErrorKind>,
) -> ListWatch<Pod> {
    let pieces: Vec<String> = pieces.into_iter().map(|piece| piece.as_ref().to_owned()).collect();
    let answer = async move || {
        let end = broken_off.map(|kind| Err(io::Error::from(kind)));
        Body::from_stream(stream::iter(pieces.into_iter().map(Ok).chain(end)))
    };
    ListWatch::all(kube::Client::new(Router::new().route("/api/v1/pods", get(answer)), "default"))
}

/// Lists from a server that gives this answer. Returns the number of items.
async fn listed(answer: Value) -> Result<usize, ApiError> {
    Ok(list_of(served([answer.to_string()])).await?.items.len())
}

async fn list_of<T>(source: impl ListerWatcher<T>) -> Result<ListPage<T>, ApiError> {
    source.list(ListOptions::default()).await
}

/// Returns the text of a list that is long enough to be decoded in several batches.
fn long_list() -> String {
    let pod = |n| json!({"metadata": {"name": format!("pod-{n}"), "annotations": {"long": "\"]},é".repeat(100)}}});
    let pods: Vec<_> = (0..1000).map(pod).collect();
    json!({"kind": "PodList", "metadata": {"resourceVersion": "7", "continue": "next"}, "items": pods}).to_string()
}

/// Returns the last character boundary at or before `at`.
fn boundary(text: &str, at: usize) -> usize {
    (0..=at.min(text.len())).rev().find(|&at| text.is_char_boundary(at)).unwrap_or_default()
}

fn half_a_list() -> String {
    let mut text = long_list();
    text.truncate(boundary(&text, text.len() / 2));
    text
}

#[tokio::test]
async fn a_long_list_that_arrives_in_pieces_is_decoded_whole_and_in_order() {
    let text = long_list();
    let mut pieces: Vec<&str> = Vec::new();
    let mut rest = text.as_str();
    while !rest.is_empty() {
        let (piece, behind) = rest.split_at(boundary(rest, 1009));
        pieces.push(piece);
        rest = behind;
    }
    let list = list_of(served(pieces)).await.unwrap();
    let names: Vec<_> = list.items.iter().filter_map(|pod| pod.metadata.name.clone()).collect();
    assert_eq!(names, (0..1000).map(|n| format!("pod-{n}")).collect::<Vec<_>>());
    assert_eq!((list.resource_version.as_str(), list.continue_token.as_deref()), ("7", Some("next")));
}

/// The most bytes that one object may have. client-go has the same limit for an event of a watch.
const LONGEST: usize = 16 << 20;

/// Returns a ListWatch of a server that answers every request with the status `code`, the text `begin`, and then `piece`
/// without an end. Also returns the number of bytes that the client has taken of the answers.
fn endless(code: u16, begin: &str, piece: &str) -> (ListWatch<Pod>, Arc<AtomicUsize>) {
    let (begin, piece) = (begin.to_owned(), Bytes::from(piece.repeat((64 << 10) / piece.len())));
    let taken = Arc::new(AtomicUsize::new(0));
    let counts = taken.clone();
    let answer = async move || {
        let pieces = stream::iter([Bytes::from(begin)]).chain(stream::repeat(piece));
        let counted = pieces.map(move |piece| {
            counts.fetch_add(piece.len(), Ordering::Relaxed);
            Ok::<_, io::Error>(piece)
        });
        axum::response::Response::builder().status(code).body(Body::from_stream(counted)).unwrap()
    };
    let router = Router::new().route("/api/v1/pods", get(answer));
    (ListWatch::all(kube::Client::new(router, "default")), taken)
}

#[tokio::test]
async fn a_list_whose_parts_do_not_end_is_an_error_that_names_the_limit() {
    for begin in [r#"{"kind":"PodList","items":[{"metadata":{"name":""#, r#"{"kind":""#] {
        let (pods, taken) = endless(200, begin, "x");
        let error = list_of(pods).await.unwrap_err();
        assert!(matches!(error, ApiError::TooLarge { limit: LONGEST, .. }), "{error}");
        assert!(error.to_string().contains("16777216 bytes"), "{error}");
        assert!(taken.load(Ordering::Relaxed) < LONGEST + (1 << 20), "{begin}");
    }
    let (pods, taken) = endless(200, r#"{"kind":"PodList","items":["#, ",");
    assert!(matches!(list_of(pods).await, Err(ApiError::Decode(_))));
    assert!(taken.load(Ordering::Relaxed) < 1 << 20, "empty items are decoded while they arrive");
}

#[tokio::test]
async fn a_watch_line_without_an_end_is_an_error_event_that_names_the_limit() {
    let (pods, taken) = endless(200, r#"{"type":"ADDED","object":{"kind":""#, "x");
    let events: Vec<_> = pods.watch(ListOptions::default()).await.unwrap().collect().await;
    let [WatchEvent::Error(status)] = &events[..] else { panic!("{} events", events.len()) };
    let message = "unable to decode an event from the watch stream: \
                   an event in the API server's answer is longer than 16777216 bytes";
    assert_eq!((status.code, status.message.as_str()), (500, message));
    assert!(taken.load(Ordering::Relaxed) < LONGEST + (1 << 20));
}

#[tokio::test]
async fn a_watch_line_of_just_the_limit_is_read() {
    for (length, expected) in [(LONGEST, "it is no JSON"), (LONGEST + 1, "longer than 16777216 bytes")] {
        let line = format!("{}\n", "x".repeat(length));
        let events: Vec<_> = served([line]).watch(ListOptions::default()).await.unwrap().collect().await;
        let [WatchEvent::Error(status)] = &events[..] else { panic!("{} events", events.len()) };
        assert!(status.message.contains(expected), "{}", status.message);
    }
}

#[tokio::test]
async fn the_text_of_a_refusal_is_read_up_to_a_limit() {
    let (pods, taken) = endless(503, "<html>", "x");
    for error in [list_of(pods.clone()).await.err(), pods.watch(ListOptions::default()).await.err()] {
        let Some(ApiError::Status(status)) = error else { panic!("{error:?}") };
        assert_eq!(status.code, 503);
        assert!(status.message.contains("longer than 1048576 bytes"), "{}", status.message);
    }
    assert!(taken.load(Ordering::Relaxed) < 4 << 20);
}

#[tokio::test]
async fn a_watch_line_without_an_end_reaches_on_error() {
    let watch = r#"{"type":"ADDED","object":{"kind":""#;
    let answer = async move |Query(query): Query<HashMap<String, String>>| match query.contains_key("watch") {
        true => Body::from_stream(
            stream::iter([watch.to_owned()]).chain(stream::repeat("x".repeat(64 << 10))).map(Ok::<_, io::Error>),
        ),
        false => Body::from(r#"{"kind":"PodList","metadata":{"resourceVersion":"1"},"items":[]}"#),
    };
    let client = kube::Client::new(Router::new().route("/api/v1/pods", get(answer)), "default");
    let (errors, mut seen) = mpsc::unbounded_channel();
    let options = ReflectorOptions::new().watch_list(WatchList::No).on_error(move |error| {
        let _ = errors.send(with_causes(&error).to_string());
    });
    let informer = SharedIndexInformer::builder(ListWatch::<Pod>::all(client)).reflector(options).build();
    let stop = CancellationToken::new();
    let running = tokio::spawn(informer.run(stop.clone()));
    let error = seen.recv().await.unwrap();
    assert!(error.contains("an event in the API server's answer is longer than 16777216 bytes"), "{error}");
    stop.cancel();
    running.await.unwrap().unwrap();
}

#[tokio::test(start_paused = true)]
async fn selectors_reach_the_server_and_two_selectors_both_have_to_match() {
    let pod = |name: &str, labels: &str| {
        format!(
            "{{metadata: {{name: {name}, labels: {{{labels}}}}}, spec: {{containers: [{{name: main, image: nginx}}]}}}}"
        )
    };
    let text = [pod("a", "app: web, tier: cache"), pod("b", "app: web"), pod("c", "app: web")].join("\n---\n");
    let cluster = Cluster::builder().pods(pods_from_yaml(&text, "pods.yaml", "default").unwrap()).start();
    let pods = ListWatch::<Pod>::all(cluster.client("default")).labels("app=web").labels("tier!=cache");
    let list = list_of(pods.clone()).await.unwrap();
    assert_eq!(list.items.len(), 2);
    let list = list_of(pods.fields("metadata.name=b")).await.unwrap();
    assert_eq!(list.items.len(), 1);
}

#[tokio::test]
async fn one_item_that_cannot_be_decoded_fails_a_long_list() {
    let text = long_list().replacen(r#""name":"pod-500""#, r#""name":7"#, 1);
    assert!(matches!(list_of(served([text])).await, Err(ApiError::Decode(error)) if error.is_data()));
}

#[tokio::test]
async fn a_list_that_was_cut_off_is_an_error_wherever_it_ends() {
    let text = json!({"kind": "PodList", "metadata": {}, "items": [{"metadata": {"name": "a"}}]}).to_string();
    for length in 0..text.len() {
        assert!(matches!(list_of(served([&text[..length]])).await, Err(ApiError::Decode(error)) if error.is_eof()));
    }
    assert!(matches!(list_of(served([half_a_list()])).await, Err(ApiError::Decode(error)) if error.is_eof()));
}

#[tokio::test]
async fn a_connection_that_breaks_in_a_list_is_a_failure_of_the_client() {
    for text in ["", r#"{"items":[{"metadata":"#, &half_a_list()] {
        let source = served_until([text], Some(io::ErrorKind::ConnectionReset));
        let Err(ApiError::Client(error)) = list_of(source).await else { panic!("the list succeeded") };
        assert!(error.downcast_ref::<kube::Error>().is_some());
    }
}

#[tokio::test]
async fn html_and_text_that_is_not_utf_8_are_decoding_errors() {
    assert!(matches!(list_of(served(["<html>[,]</html>"])).await, Err(ApiError::Decode(error)) if error.is_syntax()));
    let latin = b"{\"items\":[{\"metadata\":{\"name\":\"\xe9\"}}],\"kind\":\"PodList\",\"metadata\":{}}";
    let router = Router::new().route("/api/v1/pods", get(async || latin.as_slice()));
    let list = list_of(ListWatch::<Pod>::all(kube::Client::new(router, "default"))).await;
    assert!(matches!(list, Err(ApiError::Decode(error)) if error.to_string().contains("invalid utf-8")));
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_is_not_a_list_is_an_error_instead_of_an_empty_list() {
    let table =
        json!({"kind": "Table", "apiVersion": "meta.k8s.io/v1", "metadata": {"resourceVersion": "1"}, "rows": []});
    assert!(matches!(listed(table).await, Err(ApiError::NotAList(kind)) if kind == "Table"));
    assert!(matches!(listed(json!({"metadata": {}})).await, Err(ApiError::NotAList(_))));
    let status = json!({"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success"});
    assert!(matches!(listed(status).await, Err(ApiError::NotAList(kind)) if kind == "Status"));
}

#[tokio::test(start_paused = true)]
async fn a_list_of_another_kind_is_an_error_but_a_list_without_a_kind_is_accepted() {
    let of =
        |kind: &str| json!({"kind": kind, "apiVersion": "v1", "metadata": {"resourceVersion": "1"}, "items": [{}]});
    let error = listed(of("NodeList")).await.unwrap_err();
    assert_eq!(error.to_string(), "the API server's answer is a NodeList, and not a PodList");
    assert_eq!(listed(of("PodList")).await.unwrap(), 1);
    assert_eq!(listed(of("List")).await.unwrap(), 1);
    assert_eq!(listed(json!({"metadata": {}, "items": [{}, {}]})).await.unwrap(), 2);
}

#[tokio::test(start_paused = true)]
async fn a_custom_resource_may_have_any_list_kind_if_its_items_carry_their_kind() {
    let resource = ApiResource::from_gvk(&GroupVersionKind::gvk("stable.example.com", "v1", "Sheep"));
    let listed = async |items: Value| {
        let flock = json!({"kind": "Flock", "apiVersion": "stable.example.com/v1", "metadata": {}, "items": items});
        let path = "/apis/stable.example.com/v1/sheeps";
        let router = Router::new().route(path, get(async move || flock.to_string()));
        let sheep = ListWatch::<DynamicObject>::all_with(kube::Client::new(router, "default"), &resource);
        list_of(sheep).await.map(|list| list.items.len())
    };
    let sheep = json!({"kind": "Sheep", "apiVersion": "stable.example.com/v1", "metadata": {"name": "a"}});
    assert_eq!(listed(json!([sheep, sheep])).await.unwrap(), 2);
    assert!(matches!(listed(json!([sheep, {"metadata": {}}])).await, Err(ApiError::NotAList(kind)) if kind == "Flock"));
}

#[tokio::test(start_paused = true)]
async fn managed_fields_are_dropped_from_lists_and_watches_on_request() {
    let pod =
        json!({"kind": "Pod", "apiVersion": "v1", "metadata": {"name": "a", "managedFields": [{"manager": "m"}]}});
    let list = json!({"kind": "PodList", "apiVersion": "v1", "metadata": {}, "items": [pod]}).to_string();
    let kept = list_of(served([&list])).await.unwrap();
    assert!(kept.items[0].metadata.managed_fields.is_some());
    let skipped = list_of(served([&list]).without_managed_fields()).await.unwrap();
    assert!(skipped.items[0].metadata.managed_fields.is_none());
    assert_eq!(skipped.items[0].metadata.name.as_deref(), Some("a"));

    let line = json!({"type": "MODIFIED", "object": pod}).to_string();
    let pods = served([line]).without_managed_fields();
    let events: Vec<_> = pods.watch(ListOptions::default()).await.unwrap().collect().await;
    assert!(matches!(&events[..], [WatchEvent::Modified(pod)] if pod.metadata.managed_fields.is_none()));
}

#[tokio::test(start_paused = true)]
async fn a_list_watch_made_from_an_api_lists_the_same_resource_and_namespace() {
    let router = Router::new().route(
        "/api/v1/namespaces/dev/pods",
        get(async |headers: HeaderMap| {
            let metadata = headers[ACCEPT].to_str().unwrap().contains("PartialObjectMetadataList");
            let kind = if metadata { "PartialObjectMetadataList" } else { "PodList" };
            json!({"kind": kind, "metadata": {"resourceVersion": "1"}, "items": [{"metadata": {"name": "a"}}]})
                .to_string()
        }),
    );
    let client = kube::Client::new(router, "dev");
    let pods = ListWatch::from(kube::Api::<Pod>::default_namespaced(client.clone()));
    assert_eq!(ListerWatcher::<Pod>::description(&pods), "pods in namespace \"dev\"");
    assert_eq!(list_of(pods).await.unwrap().items.len(), 1);
    let partial = ListWatch::from(kube::Api::<PartialObjectMeta<Pod>>::namespaced(client, "dev"));
    let list = list_of(partial).await.unwrap();
    assert_eq!(list.items[0].types.as_ref().unwrap().kind, "PartialObjectMetadata");
}

#[tokio::test(start_paused = true)]
async fn a_list_without_items_is_empty() {
    let list = json!({"kind": "PodList", "apiVersion": "v1", "metadata": {"resourceVersion": "1"}, "items": null});
    assert_eq!(listed(list).await.unwrap(), 0);
}

#[tokio::test(start_paused = true)]
async fn an_item_that_cannot_be_decoded_fails_the_list() {
    let list = json!({"kind": "PodList", "metadata": {"resourceVersion": "1"}, "items": [{"metadata": {"name": 7}}]});
    assert!(matches!(listed(list).await, Err(ApiError::Decode(_))));
}

#[tokio::test]
async fn a_decoding_error_does_not_contain_the_values_of_the_object() {
    let secret = json!({"kind": "Secret", "apiVersion": "v1", "metadata": {"name": "a"}, "data": "hunter2"});
    let list = json!({"kind": "SecretList", "metadata": {}, "items": [secret]}).to_string();
    let line = json!({"type": "ADDED", "object": secret}).to_string();
    let answer = async move |Query(query): Query<HashMap<String, String>>| {
        if query.contains_key("watch") { format!("{line}\n") } else { list }
    };
    let router = Router::new().route("/api/v1/secrets", get(answer));
    let secrets = ListWatch::<Secret>::all(kube::Client::new(router, "default"));
    let error = secrets.list(ListOptions::default()).await.unwrap_err();
    let events: Vec<_> = secrets.watch(ListOptions::default()).await.unwrap().collect().await;
    let [WatchEvent::Error(status)] = &events[..] else { panic!("the event was decoded") };
    for message in [format!("{error:?} {}", with_causes(&error)), format!("{status:?}")] {
        assert!(!message.contains("hunter2") && message.contains("expects: a map"), "{message}");
    }
}

#[tokio::test]
async fn a_watch_line_that_cannot_be_decoded_becomes_an_error_event() {
    let lines = ["{\"type\":\"ADDED\",\"object\":{\n", "\n", "{\"type\":\"ADDED\"\n"];
    let events: Vec<_> = served(lines).watch(ListOptions::default()).await.unwrap().collect().await;
    assert!(matches!(&events[..], [WatchEvent::Error(status)] if status.code == 500));
    let latin = b"{\"type\":\"ADDED\",\"object\":{\"kind\":\"\xe9\"}}\n";
    let router = Router::new().route("/api/v1/pods", get(async || latin.as_slice()));
    let pods = ListWatch::<Pod>::all(kube::Client::new(router, "default"));
    let events: Vec<_> = pods.watch(ListOptions::default()).await.unwrap().collect().await;
    assert!(matches!(&events[..], [WatchEvent::Error(status)] if status.message.contains("invalid utf-8")));
}

#[tokio::test]
async fn tweaks_apply_in_order_and_an_empty_namespace_means_all_namespaces() {
    let answer = async |Query(query): Query<HashMap<String, String>>| {
        let name = format!("{} {}", query["labelSelector"], query["fieldSelector"]);
        json!({"metadata": {}, "items": [{"metadata": {"name": name}}]}).to_string()
    };
    let client = kube::Client::new(Router::new().route("/api/v1/pods", get(answer)), "default");
    let select = |options: &mut ListOptions| {
        options.label_selector = Some("first".into());
        options.field_selector = Some("first".into());
    };
    let known = ListWatch::<Pod>::namespaced(client.clone(), "");
    let list =
        list_of(known.tweak(select).tweak(|options| options.field_selector = Some("second".into()))).await.unwrap();
    assert_eq!(list.items[0].metadata.name.as_deref(), Some("first second"));
    let resource = ApiResource::erase::<Pod>(&());
    let dynamic = ListWatch::<DynamicObject>::namespaced_with(client, "", &resource).tweak(select);
    assert_eq!(list_of(dynamic).await.unwrap().items.len(), 1);
}

#[derive(Debug, Deserialize)]
struct Placed {
    metadata: SlimMeta,
    spec: Place,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Place {
    node_name: Option<Box<str>>,
}

impl Object for Placed {
    fn meta(&self) -> Meta<'_> {
        self.metadata.meta()
    }
}

fn placed(name: &str, node: &str) -> Value {
    json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "labels": {"app": "a"}}, "spec": {"nodeName": node, "containers": []}})
}

#[tokio::test]
async fn objects_can_be_decoded_into_a_type_with_fewer_fields() {
    let list = json!({"kind": "PodList", "metadata": {"resourceVersion": "1"}, "items": [placed("a", "node-1")]});
    let list = list_of(served([list.to_string()]).read_as::<Placed>()).await.unwrap();
    assert_eq!(list.items[0].spec.node_name.as_deref(), Some("node-1"));
    let meta = list.items[0].meta();
    assert_eq!((meta.name, meta.namespace, meta.uid), ("a", "", ""));
    assert_eq!(meta.labels.unwrap()["app"], "a");
}

#[tokio::test]
async fn a_watch_that_decodes_fewer_fields_skips_objects_of_another_kind() {
    let mut other = placed("b", "node-2");
    other["kind"] = "Service".into();
    let lines = [other, placed("a", "node-1")].map(|object| json!({"type": "ADDED", "object": object}).to_string());
    let pods = served([lines.join("\n")]).read_as::<Placed>();
    let events: Vec<_> = pods.watch(ListOptions::default()).await.unwrap().collect().await;
    assert!(matches!(&events[..], [WatchEvent::Added(pod)] if pod.metadata.name.as_deref() == Some("a")));
}

#[tokio::test(start_paused = true)]
async fn an_informer_of_objects_with_fewer_fields_follows_the_server() {
    let cluster = Cluster::builder().start();
    let client = cluster.client("default");
    let informer =
        SharedIndexInformer::new(ListWatch::<Pod>::namespaced(client.clone(), "default").read_as::<Placed>());
    let by_node = informer.index("node", |pod: &Placed| pod.spec.node_name.as_deref().into_iter().collect()).unwrap();
    let (sender, mut nodes) = mpsc::unbounded_channel();
    let handler = HandlerFuncs::new().update_func(move |_, new: Arc<Placed>| {
        sender.send(new.spec.node_name.clone()).unwrap();
    });
    informer.add_event_handler(handler).unwrap();
    let stop = CancellationToken::new();
    let running = tokio::spawn(informer.clone().run(stop.clone()));
    informer.synced().await.unwrap();

    let pod = json!({"metadata": {"name": "a"}, "spec": {"containers": [{"name": "c", "image": "i"}]}});
    let pods = kube::Api::<Pod>::default_namespaced(client);
    pods.create(&Default::default(), &serde_json::from_value(pod).unwrap()).await.unwrap();
    let node = loop {
        if let Some(node) = nodes.recv().await.unwrap() {
            break node;
        }
    };
    assert_eq!(by_node.get(&node).len(), 1);
    stop.cancel();
    running.await.unwrap().unwrap();
}

#[tokio::test(start_paused = true)]
async fn an_informer_of_metadata_receives_only_metadata() {
    let cluster = Cluster::builder().start();
    let client = cluster.client("default");
    let pod = |name: &str| {
        let pod = json!({"metadata": {"name": name}, "spec": {"containers": [{"name": "c", "image": "i"}]}});
        serde_json::from_value(pod).unwrap()
    };
    let pods = kube::Api::<Pod>::default_namespaced(client.clone());
    pods.create(&Default::default(), &pod("a")).await.unwrap();

    // A map keeps every field, so it would show if the server sent more than the metadata.
    let source = ListWatch::<Pod>::namespaced(client, "default").metadata_only();
    let listed = list_of(source.read_as::<Map<String, Value>>()).await.unwrap();
    assert_eq!(listed.items[0].keys().collect::<Vec<_>>(), ["apiVersion", "kind", "metadata"]);

    let informer = SharedIndexInformer::new(ListWatch::<Pod>::all(cluster.client("default")).metadata_only());
    let (sender, mut names) = mpsc::unbounded_channel();
    let handler = HandlerFuncs::new().add_func(move |pod: Arc<PartialObjectMeta<Pod>>, _| {
        sender.send(pod.metadata.name.clone().unwrap()).unwrap();
    });
    informer.add_event_handler(handler).unwrap();
    let stop = CancellationToken::new();
    let running = tokio::spawn(informer.clone().run(stop.clone()));
    assert_eq!(names.recv().await.unwrap(), "a");
    pods.create(&Default::default(), &pod("b")).await.unwrap();
    assert_eq!(names.recv().await.unwrap(), "b");
    stop.cancel();
    running.await.unwrap().unwrap();
}
