//! The columns that `kubectl get` shows for the kinds of `resource.k8s.io`. The descriptions are upstream's:
//! `pkg/printers/internalversion`.

use super::age::age;
use super::{AGE, Column, NAME, text};
use crate::kinds::fields::items;
use crate::value::Value;

pub(in crate::kinds) const CLASSES: &[Column] = &[NAME, AGE];

pub(in crate::kinds) const CLAIMS: &[Column] = &[
    NAME,
    Column::new("State", "A summary of the current state (allocated, pending, reserved, etc.).", |claim, _| {
        state(claim).into()
    }),
    AGE,
];

pub(in crate::kinds) const CLAIM_TEMPLATES: &[Column] = &[NAME, AGE];

pub(in crate::kinds) const SLICES: &[Column] = &[
    NAME,
    Column::new(
        "Node",
        "NodeName identifies the node which provides the resources in this pool. A field selector can be used to list only ResourceSlice objects belonging to a certain node.\n\nThis field can be used to limit access from nodes to ResourceSlices with the same node name. It also indicates to autoscalers that adding new nodes of the same type as some old node might also make new resources available.\n\nExactly one of NodeName, NodeSelector, AllNodes, and PerDeviceNodeSelection must be set. This field is immutable.",
        |slice, _| text(slice, "/spec/nodeName"),
    ),
    Column::new(
        "Driver",
        "Driver identifies the DRA driver providing the capacity information. A field selector can be used to list only ResourceSlice objects with a certain driver name.\n\nMust be a DNS subdomain and should end with a DNS domain owned by the vendor of the driver. It should use only lower case characters. This field is immutable.",
        |slice, _| text(slice, "/spec/driver"),
    ),
    Column::new(
        "Pool",
        "Name is used to identify the pool. For node-local devices, this is often the node name, but this is not required. A field selector can be used to list only ResourceSlice objects belonging to a certain pool.\n\nIt must not be longer than 253 characters and must consist of one or more DNS sub-domains separated by slashes. This field is immutable.",
        |slice, _| text(slice, "/spec/pool/name"),
    ),
    AGE,
];

pub(in crate::kinds) const TAINT_RULES: &[Column] = &[
    NAME,
    Column::new("Key", "The taint key to be applied to a device. Must be a label name.", |rule, _| {
        text(rule, "/spec/taint/key")
    }),
    Column::new("Value", "The taint value corresponding to the taint key. Must be a label value.", |rule, _| {
        text(rule, "/spec/taint/value")
    }),
    Column::new(
        "Effect",
        "The effect of the taint on claims that do not tolerate the taint and through such claims on the pods using them.\n\nValid effects are None, NoSchedule and NoExecute. PreferNoSchedule as used for nodes is not valid here. More effects may get added in the future. Consumers must treat unknown effects like None.",
        |rule, _| text(rule, "/spec/taint/effect"),
    ),
    Column::new(
        "TimeAdded",
        "TimeAdded represents the time at which the taint was added or (only in a DeviceTaintRule) the effect was modified. Added automatically during create or update if not set.\n\nIn addition, in a DeviceTaintRule a value provided during an update gets replaced with the current time if the provided value is the same as the old one and the new effect is different. Changing the key and/or value while keeping the effect unchanged is possible and does not update the time stamp because the eviction which uses it is either already started (NoExecute) or not started yet (NoEffect, NoSchedule).",
        |rule, now| match &rule["spec"]["taint"]["timeAdded"] {
            Value::Null => "".into(),
            time => age(time, now).into(),
        },
    ),
    AGE,
];

/// Upstream: `resourceClaimState`.
fn state(claim: &Value) -> String {
    let (status, is_deleted) = (&claim["status"], !claim["metadata"]["deletionTimestamp"].is_null());
    let is_allocated = !status["allocation"].is_null();
    let states = [
        (is_deleted, "deleted"),
        (!is_allocated && !is_deleted, "pending"),
        (is_allocated, "allocated"),
        (is_allocated && !items(status, "reservedFor").is_empty(), "reserved"),
    ];
    states.into_iter().filter_map(|(applies, state)| applies.then_some(state)).collect::<Vec<_>>().join(",")
}
