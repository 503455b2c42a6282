//! Configurations of mutating webhooks.

use crate::kinds::resource::{Generation, Resource, Scope, Strategy, UnconditionalUpdate};

/// The row of a MutatingWebhookConfiguration.
pub(in crate::kinds) const ROW: Resource = Resource {
    group: "admissionregistration.k8s.io",
    plural: "mutatingwebhookconfigurations",
    singular: "mutatingwebhookconfiguration",
    kind: "MutatingWebhookConfiguration",
    storage_hash: "Sqi0GUgDaX0=",
    scope: Scope::Cluster,
    categories: &["api-extensions"],
    generation: Generation::Counted,
    strategy: Strategy { unconditional_update: UnconditionalUpdate::Refused, ..Strategy::USUAL },
    ..Resource::USUAL
};
