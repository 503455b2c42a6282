//! Where a custom resource has its scale. Upstream: `ScaleREST` of `pkg/registry/customresource/etcd.go`.

use serde_json::{Value, json};

use crate::machinery::fill::object;

/// The paths of a `scale` subresource, split into names.
#[derive(Debug)]
pub(crate) struct ScalePaths {
    spec_replicas: Vec<String>,
    status_replicas: Vec<String>,
    label_selector: Option<Vec<String>>,
}

impl ScalePaths {
    pub(super) fn of(scale: &Value) -> Option<Self> {
        let path = |field: &str| Some(names(scale[field].as_str()?));
        Some(Self {
            spec_replicas: path("specReplicasPath")?,
            status_replicas: path("statusReplicasPath")?,
            label_selector: path("labelSelectorPath"),
        })
    }

    pub(crate) fn spec_replicas_path(&self) -> Vec<&str> {
        self.spec_replicas.iter().map(String::as_str).collect()
    }

    /// The wanted number, if there is one.
    pub(crate) fn spec_replicas(&self, value: &Value) -> Option<i64> {
        at(value, &self.spec_replicas)?.as_i64()
    }

    pub(crate) fn status_replicas(&self, value: &Value) -> i64 {
        at(value, &self.status_replicas).and_then(Value::as_i64).unwrap_or_default()
    }

    pub(crate) fn selector<'v>(&self, value: &'v Value) -> &'v str {
        self.label_selector.as_deref().and_then(|path| at(value, path)).and_then(Value::as_str).unwrap_or_default()
    }

    pub(crate) fn set_replicas(&self, value: &mut Value, replicas: i64) {
        let field = self
            .spec_replicas
            .iter()
            .fold(value, |value, name| object(value).entry(name.as_str()).or_insert(Value::Null));
        *field = json!(replicas);
    }

    /// The numbers that must not be negative and must fit into 32 bits: path and value.
    pub(super) fn numbers<'v>(&self, value: &'v Value) -> [(String, Option<&'v Value>); 2] {
        [&self.spec_replicas, &self.status_replicas].map(|path| (format!(".{}", path.join(".")), at(value, path)))
    }
}

fn names(path: &str) -> Vec<String> {
    path.trim_start_matches('.').split('.').map(ToOwned::to_owned).collect()
}

fn at<'v>(value: &'v Value, path: &[String]) -> Option<&'v Value> {
    path.iter().try_fold(value, |value, name| value.get(name))
}
