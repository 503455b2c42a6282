//! Writes the slices of Endpoints: one for each type of address and list of ports. Upstream: `reconciler.go`.

use std::collections::BTreeMap;
use std::sync::Arc;

use kube_client::Api;
use kube_client::api::{DeleteParams, DynamicObject, PostParams};
use serde_json::Value;

use super::Controller;
use super::mirrored::{MOST_ADDRESSES, WantedSlice, has_metadata_of, key_of_ports, new_slice, wanted};
use crate::shared::endpoint_subsets::items;
use crate::shared::error::SyncError;
use crate::shared::object::{api, name, namespace};
use crate::shared::recorder::Reason;

type Slices = Vec<Arc<DynamicObject>>;

impl Controller {
    pub(super) async fn reconcile(
        &self,
        key: &str,
        endpoints: &DynamicObject,
        existing: Slices,
    ) -> Result<(), SyncError> {
        let wanted = wanted(endpoints);
        if wanted.left_out > 0 {
            let message = format!(
                "A max of {MOST_ADDRESSES} addresses can be mirrored to EndpointSlices per Endpoints subset. \
                 {} addresses were skipped",
                wanted.left_out
            );
            self.recorder.record(&endpoints.metadata, Reason::TooManyAddressesToMirror, message).await;
        }
        let mut by_key = BTreeMap::<(String, String), Slices>::new();
        for slice in existing {
            by_key.entry(key_of_slice(&slice)).or_default().push(slice);
        }
        let (mut missing, mut surplus) = (Vec::new(), Slices::new());
        for ((address_type, ports), content) in wanted.slices {
            let mut same = by_key.remove(&(address_type.to_owned(), ports)).unwrap_or_default();
            match same.pop() {
                Some(slice) => self.update(key, endpoints, &slice, content).await?,
                None => missing.push((address_type, content)),
            }
            surplus.append(&mut same);
        }
        surplus.extend(by_key.into_values().flatten());
        for (address_type, content) in missing {
            // A slice that would be deleted is used again, because one write is cheaper than two.
            match surplus.iter().position(|slice| slice.data["addressType"] == address_type) {
                Some(index) => self.update(key, endpoints, &surplus.swap_remove(index), content).await?,
                None => self.create(key, endpoints, address_type, content).await?,
            }
        }
        self.delete(key, &surplus).await
    }

    /// Creates a slice, unless its Endpoints are being deleted.
    async fn create(
        &self,
        key: &str,
        endpoints: &DynamicObject,
        address_type: &str,
        content: WantedSlice,
    ) -> Result<(), SyncError> {
        if endpoints.metadata.deletion_timestamp.is_some() {
            return Ok(());
        }
        let slice = new_slice(endpoints, &self.kind_of_slices, address_type, content);
        let api = api(&self.client, &endpoints.metadata, &self.kind_of_slices);
        let created = api.create(&PostParams::default(), &slice).await;
        let created = created.map_err(SyncError::refused(format!("create a slice of {key}")));
        if created.as_ref().is_err_and(SyncError::is_namespace_terminating) {
            return Ok(());
        }
        self.writes.wrote(key, created?.metadata.resource_version);
        Ok(())
    }

    /// Updates a slice, unless it is right already.
    async fn update(
        &self,
        key: &str,
        endpoints: &DynamicObject,
        slice: &DynamicObject,
        content: WantedSlice,
    ) -> Result<(), SyncError> {
        let address_type = slice.data["addressType"].as_str().unwrap_or_default();
        let mut new = new_slice(endpoints, &self.kind_of_slices, address_type, content);
        if key_of_slice(slice) == key_of_slice(&new) && has_endpoints_of(slice, &new) && has_metadata_of(slice, &new) {
            return Ok(());
        }
        new.metadata.name.clone_from(&slice.metadata.name);
        let api = api(&self.client, &endpoints.metadata, &self.kind_of_slices);
        let updated = api.replace(name(&slice.metadata), &PostParams::default(), &new).await;
        let updated = updated.map_err(SyncError::refused(format!("update a slice of {key}")))?;
        self.writes.wrote(key, updated.metadata.resource_version);
        Ok(())
    }

    pub(super) async fn delete(&self, key: &str, slices: &[Arc<DynamicObject>]) -> Result<(), SyncError> {
        for slice in slices {
            let api: Api<DynamicObject> =
                Api::namespaced_with(self.client.clone(), namespace(&slice.metadata), &self.kind_of_slices);
            match api.delete(name(&slice.metadata), &DeleteParams::default()).await {
                Err(kube_client::Error::Api(status)) if status.code == 404 => {}
                deleted => drop(deleted.map_err(SyncError::refused(format!("delete a slice of {key}")))?),
            }
        }
        Ok(())
    }
}

/// Returns the type of the addresses and the ports of a slice.
fn key_of_slice(slice: &DynamicObject) -> (String, String) {
    let address_type = slice.data["addressType"].as_str().unwrap_or_default();
    (address_type.to_owned(), key_of_ports(items(&slice.data["ports"])))
}

/// Returns true if two slices have the same endpoints, in any order.
fn has_endpoints_of(one: &DynamicObject, other: &DynamicObject) -> bool {
    let sorted = |slice: &DynamicObject| {
        let mut texts: Vec<String> = items(&slice.data["endpoints"]).iter().map(Value::to_string).collect();
        texts.sort();
        texts
    };
    sorted(one) == sorted(other)
}
