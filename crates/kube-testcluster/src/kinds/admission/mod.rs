//! The kinds of the group `admissionregistration.k8s.io`.

pub(super) mod mutating_webhook_configuration;
pub(super) mod validating_webhook_configuration;
