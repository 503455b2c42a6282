//! The `scale` subresource of a custom resource, by which `kubectl scale` and autoscalers change the number of replicas
//! of any kind. The CustomResourceDefinition names the paths of the replica counts in the object; this module reads,
//! sets and validates the values there. Upstream: `ScaleREST` of `pkg/registry/customresource/etcd.go`, and the
//! accessors of apimachinery's `unstructured`.

use crate::codec::go_text::{GoText, go_type};
use crate::conventions::cause::Cause;
use crate::conventions::causes::Causes;
use crate::value::{Map, Value, json};

/// The paths of a `scale` subresource, split at their dots.
#[derive(Debug)]
pub struct ScalePaths {
    spec_replicas: Vec<String>,
    status_replicas: Vec<String>,
    label_selector: Option<Vec<String>>,
}

/// The part of a scale that is validated. An update of the status does not validate the desired number of replicas.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Checked {
    All,
    Status,
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

    pub fn spec_replicas_path(&self) -> Vec<&str> {
        self.spec_replicas.iter().map(String::as_str).collect()
    }

    /// Returns the path as the definition has it.
    pub fn spec_replicas_text(&self) -> String {
        json_path(&self.spec_replicas)
    }

    /// Returns the desired number of replicas, if the object has it.
    ///
    /// # Errors
    /// Upstream's message, if the path leads to something that is not a number.
    pub fn spec_replicas(&self, value: &Value) -> Result<Option<i64>, String> {
        integer(value, &self.spec_replicas)
    }

    /// Returns the observed number of replicas; 0 if the object has none.
    ///
    /// # Errors
    /// As [`spec_replicas`](Self::spec_replicas).
    pub fn status_replicas(&self, value: &Value) -> Result<i64, String> {
        integer(value, &self.status_replicas).map(Option::unwrap_or_default)
    }

    /// Returns the label selector of the pods as a string; empty if there is none.
    ///
    /// # Errors
    /// As [`spec_replicas`](Self::spec_replicas).
    pub fn selector<'v>(&self, value: &'v Value) -> Result<&'v str, String> {
        let Some(path) = &self.label_selector else { return Ok("") };
        match at(value, path)? {
            Some(found) => found.as_str().ok_or_else(|| wrong_type(path, found, "string")),
            None => Ok(""),
        }
    }

    /// Sets the desired number of replicas. Upstream: `SetNestedField`.
    ///
    /// # Errors
    /// If a value on the path is not an object.
    pub fn set_replicas(&self, value: &mut Value, replicas: i64) -> Result<(), String> {
        let Some((last, before)) = self.spec_replicas.split_last() else { return Ok(()) };
        let mut inner = value;
        for (i, name) in before.iter().enumerate() {
            let Value::Object(fields) = inner else { return Ok(()) };
            inner = fields.entry(name.as_str()).or_insert_with(|| Value::Object(Map::new()));
            if !inner.is_object() {
                let path = json_path(&before[..=i]);
                return Err(format!("value cannot be set because {path} is not a map[string]interface{{}}"));
            }
        }
        inner[last.as_str()] = json!(replicas);
        Ok(())
    }

    /// Upstream: `ValidateScaleSpec` and `ValidateScaleStatus`.
    pub(super) fn validate(&self, value: &Value, checked: Checked) -> Causes {
        let spec = (checked == Checked::All).then(|| number_fault(value, &self.spec_replicas)).flatten();
        let status = number_fault(value, &self.status_replicas);
        let selector = self
            .selector(value)
            .err()
            .map(|why| Cause::invalid(self.label_selector.as_deref().map(json_path).unwrap_or_default(), "", &why));
        [spec, status, selector].into_iter().flatten().collect()
    }
}

/// Validates the number of replicas at a path.
fn number_fault(value: &Value, path: &[String]) -> Option<Cause> {
    let (shown, why) = match integer(value, path) {
        Err(why) => (0, why),
        Ok(Some(number)) if number < 0 => (number, "should be a non-negative integer".to_owned()),
        Ok(Some(number)) if number > i64::from(i32::MAX) => {
            (number, format!("should be less than or equal to {}", i32::MAX))
        }
        Ok(_) => return None,
    };
    Some(Cause::invalid_as(json_path(path), &shown.to_string(), &why))
}

fn names(path: &str) -> Vec<String> {
    path.trim_start_matches('.').split('.').map(ToOwned::to_owned).collect()
}

fn json_path(path: &[String]) -> String {
    format!(".{}", path.join("."))
}

/// Returns the integer at a path; `None` if it is missing. Upstream: `NestedInt64`.
fn integer(value: &Value, path: &[String]) -> Result<Option<i64>, String> {
    match at(value, path)? {
        Some(found) => found.as_i64().map(Some).ok_or_else(|| wrong_type(path, found, "int64")),
        None => Ok(None),
    }
}

/// Returns the value at a path; `None` if it is missing. Upstream: `NestedFieldNoCopy`.
fn at<'v>(value: &'v Value, path: &[String]) -> Result<Option<&'v Value>, String> {
    let mut found = value;
    for (i, name) in path.iter().enumerate() {
        found = match found {
            Value::Null => return Ok(None),
            Value::Object(fields) => match fields.get(name) {
                Some(field) => field,
                None => return Ok(None),
            },
            other => return Err(wrong_type(&path[..=i], other, "map[string]interface{}")),
        };
    }
    Ok(Some(found))
}

fn wrong_type(path: &[String], found: &Value, expected: &str) -> String {
    let (path, kind) = (json_path(path), go_type(found));
    format!("{path} accessor error: {} is of the type {kind}, expected {expected}", GoText(found))
}
