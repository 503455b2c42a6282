//! Plans which slices of a service are created, updated and deleted, and then performs these writes. Upstream:
//! `reconcileByAddressType`, `finalize`.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use kube_client::api::{ApiResource, DeleteParams, DynamicObject, PostParams};
use serde_json::{Value, json};

use super::Controller;
use super::fill::{Group, endpoints, fill};
use super::hints::hinted;
use super::service::{new_slice, owns};
use crate::shared::error::SyncError;
use crate::shared::object::{api, name};

/// The writes that make the slices of one address type match the wanted endpoints.
pub(super) struct Plan {
    /// A slice without endpoints and ports, from which new slices are made.
    template: DynamicObject,
    pub(super) create: Vec<DynamicObject>,
    pub(super) update: Vec<DynamicObject>,
    pub(super) delete: Vec<Arc<DynamicObject>>,
    pub(super) unchanged: Vec<Arc<DynamicObject>>,
}

/// The ports of a slice in a form that can be compared, to group slices with the same ports.
pub(super) type Ports = BTreeSet<String>;

pub(super) fn ports_of(ports: &[Value]) -> Ports {
    ports.iter().map(ToString::to_string).collect()
}

fn ports(slice: &DynamicObject) -> Ports {
    ports_of(slice.data["ports"].as_array().map_or(&[][..], Vec::as_slice))
}

impl Plan {
    pub(super) fn new(
        service: &DynamicObject,
        kind: &ApiResource,
        address_type: &str,
        existing: Vec<Arc<DynamicObject>>,
        groups: BTreeMap<Ports, Group>,
    ) -> Self {
        let template = new_slice(service, kind, address_type);
        let mut plan = Self { template, create: vec![], update: vec![], delete: vec![], unchanged: vec![] };
        let mut by_ports = BTreeMap::<Ports, Vec<Arc<DynamicObject>>>::new();
        for slice in existing {
            match owns(service, &slice) {
                true => by_ports.entry(ports(&slice)).or_default().push(slice),
                false => plan.delete.push(slice), // it belongs to an earlier service of the same name
            }
        }
        for (ports, group) in groups {
            fill(&mut plan, service, by_ports.remove(&ports).unwrap_or_default(), group);
        }
        plan.delete.extend(by_ports.into_values().flatten()); // no endpoint has these ports any more
        plan.leave_one(service);
        plan.reuse(service);
        plan.give_hints(service);
        plan
    }

    pub(super) fn new_slice(&self, ports: &[Value]) -> DynamicObject {
        let mut slice = self.template.clone();
        slice.data["ports"] = json!(ports);
        slice
    }

    /// Keeps or creates one empty slice if the service has no endpoints. As upstream, it is a placeholder.
    fn leave_one(&mut self, service: &DynamicObject) {
        if !(self.create.is_empty() && self.update.is_empty() && self.unchanged.is_empty()) {
            return;
        }
        match self.delete.as_slice() {
            [slice] if owns(service, slice) && self.is_empty(slice) => self.unchanged.append(&mut self.delete),
            _ => self.create.push(self.template.clone()),
        }
    }

    fn is_empty(&self, slice: &DynamicObject) -> bool {
        endpoints(slice).is_empty() && ports(slice).is_empty() && slice.metadata.labels == self.template.metadata.labels
    }

    /// Turns pairs of a deletion and a creation into updates, because one write is cheaper than two.
    fn reuse(&mut self, service: &DynamicObject) {
        let (create, update) = (&mut self.create, &mut self.update);
        self.delete.retain(|old| {
            let Some(mut new) = create.pop_if(|_| owns(service, old)) else { return true };
            new.metadata.name.clone_from(&old.metadata.name);
            update.push(new);
            false
        });
    }

    fn give_hints(&mut self, service: &DynamicObject) {
        for slice in self.create.iter_mut().chain(&mut self.update) {
            if let Some(endpoints) = hinted(service, slice) {
                slice.data["endpoints"] = Value::Array(endpoints);
            }
        }
        for slice in &self.unchanged {
            if let Some(endpoints) = hinted(service, slice) {
                let mut slice = DynamicObject::clone(slice);
                slice.data["endpoints"] = Value::Array(endpoints);
                self.update.push(slice);
            }
        }
    }
}

impl Controller {
    /// Performs the planned writes.
    pub(super) async fn write(&self, key: &str, service: &DynamicObject, plan: Plan) -> Result<(), SyncError> {
        let (api, parameters) = (api(&self.client, &service.metadata, &self.kind_of_slices), PostParams::default());
        // A service that is being deleted gets no new slices, because the garbage collector deletes its slices.
        let create = if service.metadata.deletion_timestamp.is_none() { plan.create } else { Vec::new() };
        for slice in create {
            let created = api.create(&parameters, &slice).await;
            let created = created.map_err(SyncError::refused(format!("create a slice of {key}")));
            if created.as_ref().is_err_and(SyncError::is_namespace_terminating) {
                return Ok(());
            }
            self.writes.wrote(key, created?.metadata.resource_version);
        }
        for slice in plan.update {
            let updated = api.replace(name(&slice.metadata), &parameters, &slice).await;
            let updated = updated.map_err(SyncError::refused(format!("update a slice of {key}")))?;
            self.writes.wrote(key, updated.metadata.resource_version);
        }
        for slice in plan.delete {
            self.delete(key, service, &slice).await?;
        }
        Ok(())
    }

    pub(super) async fn delete(
        &self,
        key: &str,
        service: &DynamicObject,
        slice: &DynamicObject,
    ) -> Result<(), SyncError> {
        let api = api(&self.client, &service.metadata, &self.kind_of_slices);
        match api.delete(name(&slice.metadata), &DeleteParams::default()).await {
            Err(kube_client::Error::Api(status)) if status.code == 404 => Ok(()),
            deleted => deleted.map(drop).map_err(SyncError::refused(format!("delete a slice of {key}"))),
        }
    }
}
