//! Checks the writes of ResourceClaims that need more than the right to write the object: administrative access to
//! devices needs a label of the namespace, an allocation the right to bind claims, and the status of a device the right
//! to speak for its driver. Upstream: `AuthorizedForAdmin`, `AuthorizedForBinding` and `AuthorizedForDeviceStatus` in
//! `pkg/registry/resource`.

use std::collections::BTreeSet;

use super::access::Caller;
use super::attributes::{Attributes, ResourceAttributes};
use super::certificates::Update;
use crate::plugins::authorization::Authorize;
use crate::store::Store;
use crate::store::object::Key;
use kube_machinery::conventions::cause::Cause;
use kube_machinery::conventions::user::User;
use kube_machinery::kinds::{NAMESPACES, RESOURCE_CLAIMS, Resource, Subresource, admin_access};
use kube_machinery::value::Value;

/// The extra of a service account's token that names the node of its pod.
const NODE_NAME: &str = "authentication.kubernetes.io/node-name";

/// Returns the cause of a 422 for a new object that asks for administrative access.
pub(crate) fn cause_of_new(store: &Store, resource: &Resource, namespace: Option<&str>, new: &Value) -> Option<Cause> {
    admin_access(resource, None, new, None, || read_namespace(store, namespace))
}

/// Returns the causes of a 422 for an update of a status. The cluster's own writes have no caller.
pub(crate) fn causes_of_update(
    store: &Store,
    caller: Option<&Caller>,
    namespace: Option<&str>,
    update: Update<'_>,
) -> Vec<Cause> {
    let Update { resource, subresource, old, new } = update;
    let admin = admin_access(resource, subresource, new, Some(old), || read_namespace(store, namespace));
    let is_status = resource == RESOURCE_CLAIMS && subresource == Some(Subresource::Status);
    let mut causes: Vec<Cause> = admin.into_iter().collect();
    if let Some(caller) = caller.filter(|_| is_status) {
        causes.extend(caller.binding_cause(&old["status"], &new["status"]));
        causes.extend(caller.driver_causes(&old["status"], &new["status"], namespace.unwrap_or_default()));
    }
    causes
}

fn read_namespace(store: &Store, name: Option<&str>) -> Option<Value> {
    let namespace = store.get(NAMESPACES, &Key::new(None, name?))?;
    namespace.open().ok().map(|opened| opened.value.clone())
}

impl Caller {
    /// Checks a change of the allocation or of the pods for which a claim is reserved.
    fn binding_cause(&self, old: &Value, new: &Value) -> Option<Cause> {
        if ["allocation", "reservedFor"].iter().all(|field| old[*field] == new[*field]) {
            return None;
        }
        let why = self.refusal_for("binding", self.verb, "", "").err()?;
        let verb = self.verb;
        let text = format!(
            r#"changing status.allocation or status.reservedFor requires resource="resourceclaims/binding", verb="{verb}" permission: {why}"#
        );
        Some(Cause::forbidden("status.allocation", &text))
    }

    /// Checks a change of what drivers report about devices. The status of a claim that is not allocated is dropped.
    fn driver_causes(&self, old: &Value, new: &Value, namespace: &str) -> Vec<Cause> {
        if new["allocation"].is_null() {
            return Vec::new();
        }
        let mut verbs = vec![format!("arbitrary-node:{}", self.verb)];
        if node_of(&new["allocation"]).is_some_and(|node| runs_on(&self.user, node)) {
            verbs.insert(0, format!("associated-node:{}", self.verb));
        }
        let refusal = |driver: &str| {
            let mut refusals = Vec::new();
            for verb in &verbs {
                refusals.push(self.refusal_for("driver", verb, namespace, driver).err()?);
            }
            refusals.into_iter().next()
        };
        let cause = |driver: &str| {
            let (why, verbs) = (refusal(driver)?, verbs.join(" "));
            let text = format!(
                r#"changing status.devices requires resource="resourceclaims/driver", verb="[{verbs}]" permission: {why}"#
            );
            Some(Cause::forbidden("status.devices", &text))
        };
        changed_drivers(old, new).into_iter().filter_map(cause).collect()
    }

    /// Fails with the message of a 403 if the caller has no right for this subresource of claims, which only exists for
    /// authorization.
    fn refusal_for(&self, subresource: &str, verb: &str, namespace: &str, name: &str) -> Result<(), String> {
        let attributes = Attributes::Resource(ResourceAttributes {
            verb: verb.to_owned(),
            group: RESOURCE_CLAIMS.group().to_owned(),
            namespace: namespace.to_owned(),
            resource: RESOURCE_CLAIMS.plural().to_owned(),
            subresource: subresource.to_owned(),
            name: name.to_owned(),
        });
        let decision = self.authorizer.authorize(&self.user, &attributes);
        if decision.allowed {
            return Ok(());
        }
        Err(attributes.forbidden(&self.user.name, &decision.reason).message().to_owned())
    }
}

/// Returns the drivers of the devices whose status was added, changed or removed. Upstream: `getModifiedDrivers`.
fn changed_drivers<'v>(old: &'v Value, new: &'v Value) -> BTreeSet<&'v str> {
    let devices = |status: &'v Value| status["devices"].as_array().into_iter().flatten();
    let is_same = |one: &Value, other: &Value| {
        ["driver", "pool", "device", "shareID"].iter().all(|field| one[*field] == other[*field])
    };
    let changed = devices(new).filter(|device| devices(old).find(|old| is_same(old, device)) != Some(device));
    let gone = devices(old).filter(|device| !devices(new).any(|new| is_same(new, device)));
    changed.chain(gone).filter_map(|device| device["driver"].as_str()).collect()
}

/// Returns the node of an allocation that is for one node only. Upstream: `nodeNameFromAllocation`.
fn node_of(allocation: &Value) -> Option<&str> {
    let [term] = allocation["nodeSelector"]["nodeSelectorTerms"].as_array()?.as_slice() else { return None };
    let [field] = term["matchFields"].as_array()?.as_slice() else { return None };
    let has_expressions = term["matchExpressions"].as_array().is_some_and(|list| !list.is_empty());
    let is_name = field["key"] == "metadata.name" && field["operator"] == "In" && !has_expressions;
    match field["values"].as_array()?.as_slice() {
        [name] if is_name => name.as_str(),
        _ => None,
    }
}

/// Returns true for a service account whose pod is on this node. Upstream: `saAssociatedWithAllocatedNode`.
fn runs_on(user: &User, node: &str) -> bool {
    let nodes = user.extra.get(NODE_NAME).map(Vec::as_slice).unwrap_or_default();
    user.name.starts_with("system:serviceaccount:") && matches!(nodes, [one] if one == node)
}
