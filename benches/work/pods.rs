//! Makes the objects that the benchmarks put into queues and caches: pods with hardly any fields, and objects that are only a string.

use std::sync::Arc;

use k8s_openapi::api::core::v1::Pod;
use kube::api::ObjectMeta;
use kube_informers::cache::{Meta, Object};

/// An object that is only a string, as in client-go's own benchmark of the store.
#[derive(Debug)]
pub struct Text(pub String);

impl Object for Text {
    fn meta(&self) -> Meta<'_> {
        Meta::new("", "", "")
    }
}

/// Returns a pod in the namespace `default` with this name and no other fields.
pub fn bare(name: String) -> Pod {
    let metadata = ObjectMeta { name: Some(name), namespace: Some("default".into()), ..ObjectMeta::default() };
    Pod { metadata, ..Pod::default() }
}

/// Returns `number` pods, named `pod-0`, `pod-1` and so on.
pub fn many(number: usize) -> Vec<Arc<Pod>> {
    (0..number).map(|n| Arc::new(bare(format!("pod-{n}")))).collect()
}
