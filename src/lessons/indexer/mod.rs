//! Lesson `indexer`: an Indexer finds objects by the values of an index function, first on its own and then inside an
//! informer.
//!
//! Chapters: `lessons/06-indexer`, `lessons/11-informer-index`. Traces: `fixtures/traces/indexer*`.

pub mod label;
pub mod misnamed;
pub mod modern;
pub mod namespace;
pub mod serve;

use std::collections::BTreeMap;

use k8s_openapi::api::core::v1::Pod;

/// Returns a pod with a label `app`.
fn pod(namespace: &str, name: &str, app: &str) -> Pod {
    let mut pod = Pod::default();
    pod.metadata.namespace = Some(namespace.to_owned());
    pod.metadata.name = Some(name.to_owned());
    pod.metadata.labels = Some(BTreeMap::from([("app".to_owned(), app.to_owned())]));
    pod
}
