//! A pod of which only some fields are kept.

use std::borrow::Cow;
use std::collections::BTreeMap;

use k8s_openapi::NamespaceResourceScope;
use k8s_openapi::api::core::v1::Pod;
use kube::Resource;
use kube::api::ObjectMeta;
use serde::Deserialize;

/// What a controller that places or counts pods wants to know.
#[derive(Debug, Deserialize)]
#[serde(from = "Wire")]
pub struct Projected {
    metadata: ObjectMeta,
    #[allow(dead_code, reason = "it is there for its size")]
    node: Option<Box<str>>,
    #[allow(dead_code, reason = "it is there for its size")]
    phase: Option<Box<str>>,
}

#[derive(Deserialize)]
struct Wire {
    metadata: WireMeta,
    #[serde(default)]
    spec: WireSpec,
    #[serde(default)]
    status: WireStatus,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct WireMeta {
    name: Option<String>,
    namespace: Option<String>,
    resource_version: Option<String>,
    uid: Option<String>,
    labels: Option<BTreeMap<String, String>>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct WireSpec {
    node_name: Option<Box<str>>,
}

#[derive(Default, Deserialize)]
struct WireStatus {
    phase: Option<Box<str>>,
}

impl From<Wire> for Projected {
    fn from(Wire { metadata, spec, status }: Wire) -> Self {
        let WireMeta { name, namespace, resource_version, uid, labels } = metadata;
        let metadata = ObjectMeta { name, namespace, resource_version, uid, labels, ..ObjectMeta::default() };
        Self { metadata, node: spec.node_name, phase: status.phase }
    }
}

impl Resource for Projected {
    type DynamicType = ();
    type Scope = NamespaceResourceScope;

    fn kind((): &()) -> Cow<'_, str> {
        Pod::kind(&())
    }

    fn group((): &()) -> Cow<'_, str> {
        Pod::group(&())
    }

    fn version((): &()) -> Cow<'_, str> {
        Pod::version(&())
    }

    fn plural((): &()) -> Cow<'_, str> {
        Pod::plural(&())
    }

    fn meta(&self) -> &ObjectMeta {
        &self.metadata
    }

    fn meta_mut(&mut self) -> &mut ObjectMeta {
        &mut self.metadata
    }
}
