//! The Pod kind. Other kinds have pod templates, or parts of a pod such as tolerations, so their modules call these
//! submodules too.

pub(in crate::kinds) mod affinity;
pub(in crate::kinds) mod amounts;
mod annotations;
mod certificates;
pub(in crate::kinds) mod claim_template;
mod containers;
pub(in crate::kinds) mod current_amounts;
pub(in crate::kinds) mod defaults;
pub(in crate::kinds) mod disabled_fields;
mod environment;
mod ephemeral_containers_update;
mod field_references;
mod gated_pod_update;
mod image;
mod label_keys;
mod mounts;
mod network;
pub(in crate::kinds) mod paths;
mod placement;
mod port_warnings;
pub(in crate::kinds) mod ports;
mod probe_validation;
mod probes;
mod profiles;
mod projected;
pub(in crate::kinds) mod qos;
mod reset_fields;
mod resize;
pub(in crate::kinds) mod resource_validation;
mod restarts;
pub(in crate::kinds) mod retired_systems;
mod security;
mod selectors;
mod status;
mod status_update;
pub(in crate::kinds) mod storage_systems;
mod subresources;
mod tolerations;
mod update;
pub(in crate::kinds) mod validation;
pub(in crate::kinds) mod volume_sources;
mod volume_validation;
pub(in crate::kinds) mod volume_warnings;
pub(in crate::kinds) mod volumes;
pub(in crate::kinds) mod warnings;
mod windows;

use crate::kinds::columns;
use crate::kinds::metadata::UpdatedMetadata;
use crate::kinds::resource::{DeleteResponse, Deletion, Generation, ResourceRow, Subresource};

pub(in crate::kinds) use self::affinity::node_selector;
pub(in crate::kinds) use self::certificates::signer_name;
pub(in crate::kinds) use self::claim_template::metadata as template_metadata;
pub(in crate::kinds) use self::defaults::pod as set_defaults;
pub(in crate::kinds) use self::selectors::label_selector;
pub(in crate::kinds) use self::status::status as validate_status;
pub(in crate::kinds) use self::tolerations::tolerations;
pub(in crate::kinds) use self::validation::pod as validate;

/// The kind's row in the table of kinds (`kinds::served`).
pub(in crate::kinds) const ROW: ResourceRow = ResourceRow {
    plural: "pods",
    singular: "pod",
    kind: "Pod",
    storage_hash: "xPOwRZ+Yhw8=",
    short_names: &["po"],
    categories: &["all"],
    subresources: &[
        Subresource::Attach,
        Subresource::Binding,
        Subresource::EphemeralContainers,
        Subresource::Eviction,
        Subresource::Exec,
        Subresource::Log,
        Subresource::PortForward,
        Subresource::Resize,
        Subresource::Status,
    ],
    deletion: Deletion::Graceful,
    delete_response: DeleteResponse::Object,
    generation: Generation::Counted,
    fields: &[
        ("spec.nodeName", "spec.nodeName", ""),
        ("spec.restartPolicy", "spec.restartPolicy", ""),
        ("spec.schedulerName", "spec.schedulerName", ""),
        ("spec.serviceAccountName", "spec.serviceAccountName", ""),
        ("spec.hostNetwork", "spec.hostNetwork", "false"),
        ("status.phase", "status.phase", ""),
        ("status.podIP", "status.podIP", ""),
        ("status.nominatedNodeName", "status.nominatedNodeName", ""),
    ],
    defaults: set_defaults,
    defaults_but_spec: Some(defaults::status),
    prepare: subresources::prepare,
    validate,
    validate_status,
    validate_subresource: subresources::validate,
    warnings: warnings::of_pod,
    status_warnings: status::warnings,
    reset_fields: reset_fields::reset_fields,
    columns: columns::pod::COLUMNS,
    row_conditions: columns::pod::row_conditions,
    updated_metadata: UpdatedMetadata::ChangeAndWhole,
    ..ResourceRow::USUAL
};
