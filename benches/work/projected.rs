//! A projection of a pod: a type with only a few of a pod's fields. The benchmark `sync-projected` decodes pods into it and shows the
//! memory that a cache of projections saves.

use kube_informers::cache::{Meta, Object, SlimMeta};
use serde::Deserialize;

/// The fields that a controller needs to place or count pods.
#[derive(Debug, Deserialize)]
pub struct Projected {
    metadata: SlimMeta,
    #[allow(dead_code, reason = "measured only for its size")]
    spec: Spec,
    #[allow(dead_code, reason = "measured only for its size")]
    status: Status,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Spec {
    #[allow(dead_code, reason = "measured only for its size")]
    node_name: Option<Box<str>>,
}

#[derive(Debug, Deserialize)]
struct Status {
    #[allow(dead_code, reason = "measured only for its size")]
    phase: Option<Box<str>>,
}

impl Object for Projected {
    fn meta(&self) -> Meta<'_> {
        self.metadata.meta()
    }
}
