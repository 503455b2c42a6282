//! Writes and deletes the Endpoints of a service.

use std::collections::BTreeMap;

use kube_client::Api;
use kube_client::api::{DeleteParams, DynamicObject, PostParams};
use serde_json::Value;

use super::{Controller, capacity};
use crate::shared::error::SyncError;
use crate::shared::object::{annotation, api, name};
use crate::shared::recorder::Reason;
use crate::shared::services::{HEADLESS, has_ip};

/// The label by which the controller marks its Endpoints. Upstream: `LabelManagedBy`.
const MANAGED_BY: &str = "endpoints.kubernetes.io/managed-by";

/// The value of the label.
const NAME: &str = "endpoint-controller";

/// The annotation of Endpoints that lack addresses, because the service has too many.
const OVER_CAPACITY: &str = "endpoints.kubernetes.io/over-capacity";

type Labels = BTreeMap<String, String>;

/// Returns true if this controller made the Endpoints, and not a user.
pub(crate) fn is_ours(endpoints: &DynamicObject) -> bool {
    endpoints.metadata.labels.as_ref().and_then(|labels| labels.get(MANAGED_BY)).is_some_and(|by| by == NAME)
}

impl Controller {
    /// Creates or updates the Endpoints of a service, unless they are right already.
    pub(super) async fn write(&self, key: &str, service: &DynamicObject, subsets: Vec<Value>) -> Result<(), SyncError> {
        let current = self.endpoints.get(key);
        if current.as_ref().is_some_and(|current| is_up_to_date(current, service, &subsets)) {
            return Ok(());
        }
        let endpoints = self.wanted(service, current.as_deref(), subsets);
        let (api, parameters) = (api(&self.client, &service.metadata, &self.kind), PostParams::default());
        let written = match &current {
            Some(_) => api.replace(name(&service.metadata), &parameters, &endpoints).await,
            None => api.create(&parameters, &endpoints).await,
        };
        let written = written.map_err(SyncError::refused(format!("write the Endpoints of {key}")));
        match written {
            Ok(written) => {
                self.writes.wrote(key, written.metadata.resource_version);
                Ok(())
            }
            Err(error) if current.is_none() && error.is_namespace_terminating() => Ok(()),
            Err(error) => {
                let (reason, what) = match current {
                    Some(_) => (Reason::FailedToUpdateEndpoint, "update endpoint"),
                    None => (Reason::FailedToCreateEndpoint, "create endpoint for service"),
                };
                let message = format!("Failed to {what} {key}: {}", error.reason());
                self.recorder.record(&endpoints.metadata, reason, message).await;
                Err(error)
            }
        }
    }

    /// Returns the Endpoints that a service should have.
    fn wanted(
        &self,
        service: &DynamicObject,
        current: Option<&DynamicObject>,
        mut subsets: Vec<Value>,
    ) -> DynamicObject {
        let mut endpoints = current.cloned().unwrap_or_else(|| {
            let mut new = DynamicObject::new(name(&service.metadata), &self.kind);
            new.metadata.namespace.clone_from(&service.metadata.namespace);
            new
        });
        let mut labels = service.metadata.labels.clone().unwrap_or_default();
        match has_ip(service) {
            true => drop(labels.remove(HEADLESS)),
            false => drop(labels.insert(HEADLESS.to_owned(), String::new())),
        }
        labels.insert(MANAGED_BY.to_owned(), NAME.to_owned());
        endpoints.metadata.labels = Some(labels);
        let annotations = endpoints.metadata.annotations.get_or_insert_default();
        match capacity::truncate(&mut subsets) {
            true => drop(annotations.insert(OVER_CAPACITY.to_owned(), "truncated".to_owned())),
            false => drop(annotations.remove(OVER_CAPACITY)),
        }
        endpoints.data["subsets"] = Value::Array(subsets);
        endpoints
    }

    /// Deletes the Endpoints of a service that no longer exists.
    pub(super) async fn delete(&self, key: &str) -> Result<(), SyncError> {
        self.writes.forget(key);
        let (namespace, name) = key.split_once('/').unwrap_or(("", key));
        let api: Api<DynamicObject> = Api::namespaced_with(self.client.clone(), namespace, &self.kind);
        match api.delete(name, &DeleteParams::default()).await {
            Err(kube_client::Error::Api(status)) if status.code == 404 => Ok(()),
            deleted => deleted.map(drop).map_err(SyncError::refused(format!("delete the Endpoints of {key}"))),
        }
    }
}

/// Returns true if Endpoints have these subsets, the labels of their service, and no wrong annotation.
fn is_up_to_date(current: &DynamicObject, service: &DynamicObject, subsets: &[Value]) -> bool {
    let before = current.data["subsets"].as_array().map_or(&[][..], Vec::as_slice);
    before == subsets
        && has_labels_of(current, service)
        && !capacity::is_exceeded(before)
        && annotation(current, OVER_CAPACITY).is_none()
}

/// Returns true if Endpoints have the labels of their service and the controller's label. The label of headless
/// services does not count. Upstream: `labelsCorrectForEndpoints`.
fn has_labels_of(endpoints: &DynamicObject, service: &DynamicObject) -> bool {
    let without = |labels: Option<&Labels>, own: &[&str]| -> Labels {
        let free = labels.into_iter().flatten().filter(|(key, _)| !own.contains(&key.as_str()));
        free.map(|(key, value)| (key.clone(), value.clone())).collect()
    };
    let (theirs, wanted) = (endpoints.metadata.labels.as_ref(), service.metadata.labels.as_ref());
    is_ours(endpoints) && without(theirs, &[HEADLESS, MANAGED_BY]) == without(wanted, &[])
}
