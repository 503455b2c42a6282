//! A cache that hands out its own objects for writing, as client-go's cache in Go does. The lesson `mutate` shows what
//! goes wrong with it.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use k8s_openapi::api::core::v1::Pod;
use tokio::sync::RwLock;

use super::app;
use kube_informers::cache::meta_namespace_key;

// ANCHOR: go_cache
/// Pods by key, and their keys by the label `app`. A caller of `get` may write to the pod: the index does not notice.
#[derive(Default)]
pub(super) struct GoCache {
    pods: HashMap<String, Arc<RwLock<Pod>>>,
    by_app: BTreeMap<String, Vec<String>>,
}

impl GoCache {
    pub(super) fn add(&mut self, pod: Pod) {
        let key = meta_namespace_key(&pod);
        self.by_app.entry(app(&pod).to_owned()).or_default().push(key.clone());
        self.pods.insert(key, Arc::new(RwLock::new(pod)));
    }

    pub(super) fn get(&self, key: &str) -> Option<&Arc<RwLock<Pod>>> {
        self.pods.get(key)
    }

    pub(super) fn keys(&self, app: &str) -> &[String] {
        self.by_app.get(app).map_or(&[], Vec::as_slice)
    }
}
// ANCHOR_END: go_cache
