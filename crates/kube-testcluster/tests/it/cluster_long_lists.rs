//! Tests long lists, which the server encodes in pieces while it sends them.

use std::io::Read;

use axum::body::{Body, HttpBody as _};
use bytes::Bytes;
use flate2::read::GzDecoder;
use futures::TryStreamExt;
use http::{Request, Response};
use serde_json::{Value, json};

use crate::support::api::{Api, quiet};

const CONFIG_MAPS: &str = "/api/v1/namespaces/default/configmaps";
const DEFINITIONS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const PLANS: &str = "/apis/lab.io/v1/namespaces/default/plans";

/// The maximum length of a piece, in bytes, unless a single object is longer.
const PIECE: usize = 256 * 1024;

async fn list(api: &Api, path: &str, encoding: &str) -> Response<Body> {
    api.raw(Request::get(path).header("accept-encoding", encoding).body(Body::empty()).unwrap()).await
}

async fn pieces(answer: Response<Body>) -> Vec<Bytes> {
    answer.into_body().into_data_stream().try_collect().await.unwrap()
}

fn unzipped(text: &[u8]) -> Vec<u8> {
    let mut plain = Vec::new();
    GzDecoder::new(text).read_to_end(&mut plain).unwrap();
    plain
}

/// Lists a collection while it grows, and compares each item with a GET of the object. `kind` is the kind and the
/// version of a custom resource; without it, the objects are config maps.
async fn grow(path: &str, kind: Option<(&str, &str)>) {
    // A short history, so that old objects are stored compressed.
    let api = Api::new(&quiet().history(3).start());
    let versions = json!([{
        "name": "v1", "served": true, "storage": true,
        "schema": {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": true}},
    }]);
    let names = json!({"plural": "plans", "kind": "Plan"});
    let spec = json!({"group": "lab.io", "scope": "Namespaced", "names": names, "versions": versions});
    assert_eq!(api.post(DEFINITIONS, &json!({"metadata": {"name": "plans.lab.io"}, "spec": spec})).await.status, 201);
    let mut most = 0;
    for length in [0, 1, 100_000, 200_000, 262_144, 1, 700_000, 50_000, 250_000, 5, 5] {
        most = most.max(length);
        let (kind_of, api_version) = kind.unwrap_or(("ConfigMap", "v1"));
        let metadata = json!({"generateName": "a"});
        let data = json!({"a": "x".repeat(length)});
        let object = json!({"kind": kind_of, "apiVersion": api_version, "metadata": metadata, "data": data});
        assert_eq!(api.post(path, &object).await.status, 201);
        let plain = list(&api, path, "identity").await;
        let announced = plain.body().size_hint().exact();
        let pieces = pieces(plain).await;
        let text = pieces.concat();
        assert_eq!(announced, Some(text.len() as u64));
        let longest = pieces.iter().map(Bytes::len).max().unwrap();
        assert!(longest <= PIECE.max(most + 1024), "{longest} bytes in one piece");
        for mut item in serde_json::from_slice::<Value>(&text).unwrap()["items"].as_array().unwrap().clone() {
            let alone = api.get(&format!("{path}/{}", item["metadata"]["name"].as_str().unwrap())).await.body;
            if kind.is_none() {
                (item["kind"], item["apiVersion"]) = (kind_of.into(), api_version.into());
            }
            assert_eq!(item, alone);
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_long_list_is_sent_in_pieces_with_its_exact_length() {
    grow(CONFIG_MAPS, None).await;
}

#[tokio::test(start_paused = true)]
async fn a_long_list_of_custom_resources_is_sent_in_pieces_and_its_items_have_a_kind() {
    grow(PLANS, Some(("Plan", "lab.io/v1"))).await;
}

#[tokio::test(start_paused = true)]
async fn a_compressed_long_list_has_the_same_content() {
    let api = Api::new(&quiet().start());
    for n in 0..60 {
        let object = json!({"metadata": {"name": format!("a{n}")}, "data": {"a": n.to_string().repeat(9000)}});
        assert_eq!(api.post(CONFIG_MAPS, &object).await.status, 201);
    }
    let plain = list(&api, CONFIG_MAPS, "identity").await;
    let compressed = list(&api, CONFIG_MAPS, "gzip").await;
    assert_eq!(compressed.headers()["content-encoding"], "gzip");
    assert_eq!(compressed.headers()["vary"], "Accept-Encoding");
    assert!(pieces(plain).await.concat() == unzipped(&pieces(compressed).await.concat()));
}
