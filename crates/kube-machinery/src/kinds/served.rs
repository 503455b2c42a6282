//! The table of kinds: the rows of all built-in kinds. A row is a [`Resource`], and says how the server treats the
//! objects of a kind. `Catalog` adds the rows of custom resources. Kinds that the server handles specially have a name
//! of their own here, such as [`PODS`].

use super::resource::Resource;
use super::reviews::REVIEWS;
use super::{
    admission, api_service, apps, batch, certificate_signing_request, cluster_trust_bundle, core,
    custom_resource_definition, dynamic_resources, endpoint_slice, event, flow_control, horizontal_pod_autoscaler,
    lease, networking, pod_certificate_request, pod_disruption_budget, priority_class, rbac, runtime_class, storage,
    storage_version_migration,
};

pub static NAMESPACES: &Resource = &Resource::of(&core::namespace::ROW);
pub static PODS: &Resource = &Resource::of(&core::pod::ROW);
pub static EVENTS: &Resource = &Resource::of(&core::event::ROW);
pub static NODES: &Resource = &Resource::of(&core::node::ROW);
pub static SERVICE_ACCOUNTS: &Resource = &Resource::of(&core::service_account::ROW);
pub static ENDPOINTS: &Resource = &Resource::of(&core::endpoints::ROW);
pub static ENDPOINT_SLICES: &Resource = &Resource::of(&endpoint_slice::ROW);
pub static POD_DISRUPTION_BUDGETS: &Resource = &Resource::of(&pod_disruption_budget::ROW);
pub static PRIORITY_CLASSES: &Resource = &Resource::of(&priority_class::ROW);
pub static API_SERVICES: &Resource = &Resource::of(&api_service::ROW);
pub static CUSTOM_RESOURCE_DEFINITIONS: &Resource = &Resource::of(&custom_resource_definition::ROW);
pub static CONFIG_MAPS: &Resource = &Resource::of(&core::config::CONFIG_MAP);
pub static SECRETS: &Resource = &Resource::of(&core::config::SECRET);
pub static SERVICES: &Resource = &Resource::of(&core::service::ROW);
pub static CLUSTER_ROLES: &Resource = &Resource::of(&rbac::cluster_role::ROW);
pub static CLUSTER_ROLE_BINDINGS: &Resource = &Resource::of(&rbac::cluster_role_binding::ROW);
pub static ROLES: &Resource = &Resource::of(&rbac::role::ROW);
pub static ADMISSION_POLICIES: &Resource = &Resource::of(&admission::validating_admission_policy::ROW);
pub static ROLE_BINDINGS: &Resource = &Resource::of(&rbac::role_binding::ROW);
pub static LIMIT_RANGES: &Resource = &Resource::of(&core::limit_range::ROW);
pub static RESOURCE_QUOTAS: &Resource = &Resource::of(&core::resource_quota::ROW);
pub static PERSISTENT_VOLUME_CLAIMS: &Resource = &Resource::of(&core::persistent_volume_claim::ROW);
pub static PERSISTENT_VOLUMES: &Resource = &Resource::of(&core::persistent_volume::ROW);
pub static STORAGE_CLASSES: &Resource = &Resource::of(&storage::storage_class::ROW);
pub static CSI_NODES: &Resource = &Resource::of(&storage::csi_node::ROW);
pub static CSI_DRIVERS: &Resource = &Resource::of(&storage::csi_driver::ROW);
pub static CSI_STORAGE_CAPACITIES: &Resource = &Resource::of(&storage::csi_storage_capacity::ROW);
pub static VOLUME_ATTACHMENTS: &Resource = &Resource::of(&storage::volume_attachment::ROW);
pub static INGRESSES: &Resource = &Resource::of(&networking::ingress::ROW);
pub static INGRESS_CLASSES: &Resource = &Resource::of(&networking::ingress_class::ROW);
pub static SERVICE_CIDRS: &Resource = &Resource::of(&networking::service_cidr::ROW);
pub static FLOW_SCHEMAS: &Resource = &Resource::of(&flow_control::flow_schema::ROW);
pub static PRIORITY_LEVELS: &Resource = &Resource::of(&flow_control::priority_level::ROW);
pub static LEASES: &Resource = &Resource::of(&lease::ROW);
pub static CLUSTER_TRUST_BUNDLES: &Resource = &Resource::of(&cluster_trust_bundle::ROW);
pub static RESOURCE_CLAIMS: &Resource = &Resource::of(&dynamic_resources::resource_claim::ROW);
pub static RUNTIME_CLASSES: &Resource = &Resource::of(&runtime_class::ROW);

/// Makes a list of kinds from their rows.
macro_rules! kinds {
    ($($row:path),* $(,)?) => {
        &[$(Resource::of(&$row)),*]
    };
}
pub(super) use kinds;

/// The stored kinds, sorted by group and plural.
pub static RESOURCES: &[Resource] = kinds![
    core::config::CONFIG_MAP,
    core::endpoints::ROW,
    core::event::ROW,
    core::limit_range::ROW,
    core::namespace::ROW,
    core::node::ROW,
    core::persistent_volume_claim::ROW,
    core::persistent_volume::ROW,
    core::pod::ROW,
    core::pod_template::ROW,
    core::replication_controller::ROW,
    core::resource_quota::ROW,
    core::config::SECRET,
    core::service_account::ROW,
    core::service::ROW,
    admission::mutating_webhook_configuration::ROW,
    admission::validating_admission_policy::ROW,
    admission::validating_admission_policy_binding::ROW,
    admission::validating_webhook_configuration::ROW,
    custom_resource_definition::ROW,
    api_service::ROW,
    apps::controller_revision::ROW,
    apps::daemon_set::ROW,
    apps::deployment::ROW,
    apps::replica_set::ROW,
    apps::stateful_set::ROW,
    horizontal_pod_autoscaler::ROW,
    batch::cron_job::ROW,
    batch::job::ROW,
    certificate_signing_request::ROW,
    cluster_trust_bundle::ROW,
    pod_certificate_request::ROW,
    lease::ROW,
    endpoint_slice::ROW,
    flow_control::flow_schema::ROW,
    flow_control::priority_level::ROW,
    networking::ingress_class::ROW,
    networking::ingress::ROW,
    networking::ip_address::ROW,
    networking::network_policy::ROW,
    networking::service_cidr::ROW,
    runtime_class::ROW,
    pod_disruption_budget::ROW,
    rbac::cluster_role_binding::ROW,
    rbac::cluster_role::ROW,
    rbac::role_binding::ROW,
    rbac::role::ROW,
    dynamic_resources::device_class::ROW,
    dynamic_resources::device_taint_rule::ROW,
    dynamic_resources::resource_claim::ROW,
    dynamic_resources::resource_claim_template::ROW,
    dynamic_resources::resource_slice::ROW,
    priority_class::ROW,
    storage::csi_driver::ROW,
    storage::csi_node::ROW,
    storage::csi_storage_capacity::ROW,
    storage::storage_class::ROW,
    storage::volume_attachment::ROW,
    storage::volume_attributes_class::ROW,
    storage_version_migration::ROW,
];

/// Kinds whose objects are those of a stored kind, served in another group or version.
pub(crate) static VIEWS: &[Resource] = kinds![event::ROW, horizontal_pod_autoscaler::v1::ROW];

/// Kinds whose objects are not stored: the server computes them for each request.
static COMPUTED: &[Resource] = kinds![core::component_status::ROW];

pub(crate) fn served<'r>() -> impl Iterator<Item = &'r Resource> {
    [RESOURCES, VIEWS, COMPUTED, REVIEWS].into_iter().flatten()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn no_two_rows_share_a_group_and_a_plural() {
        let rows: BTreeSet<_> = RESOURCES.iter().map(Resource::group_resource).collect();
        assert_eq!(rows.len(), RESOURCES.len());
    }
}
