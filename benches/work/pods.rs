//! The objects that the works are done with.

use std::sync::Arc;

use k8s_openapi::api::core::v1::Pod;
use kube::api::ObjectMeta;
use kube_informers::cache::{Meta, Object};

/// An object that is a text, as in client-go's own benchmark of the store.
#[derive(Debug)]
pub struct Text(pub String);

impl Object for Text {
    fn meta(&self) -> Meta<'_> {
        Meta::new("", "", "")
    }
}

/// A pod in `default` with this name and nothing else.
pub fn bare(name: String) -> Pod {
    let metadata = ObjectMeta { name: Some(name), namespace: Some("default".into()), ..ObjectMeta::default() };
    Pod { metadata, ..Pod::default() }
}

/// So many, `pod-0` and on.
pub fn many(number: usize) -> Vec<Arc<Pod>> {
    (0..number).map(|n| Arc::new(bare(format!("pod-{n}")))).collect()
}
