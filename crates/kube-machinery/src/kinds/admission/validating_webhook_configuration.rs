//! The ValidatingWebhookConfiguration kind: a list of webhooks that may refuse a write. `webhooks` has the validation.
//! Upstream: `pkg/apis/admissionregistration`.

use crate::kinds::columns;
use crate::kinds::metadata::{FinalizerRule, UpdatedMetadata};
use crate::kinds::resource::{Generation, ResourceRow, Scope, Strategy, UnconditionalUpdate};

/// The kind's row in the table of kinds (`kinds::served`).
pub(in crate::kinds) const ROW: ResourceRow = ResourceRow {
    group: "admissionregistration.k8s.io",
    plural: "validatingwebhookconfigurations",
    singular: "validatingwebhookconfiguration",
    kind: "ValidatingWebhookConfiguration",
    storage_hash: "B0wHjQmsGNk=",
    scope: Scope::Cluster,
    categories: &["api-extensions"],
    generation: Generation::CountedAt(&["/webhooks"]),
    strategy: Strategy { unconditional_update: UnconditionalUpdate::Refused, ..Strategy::USUAL },
    defaults: super::set_webhook_defaults,
    validate: super::webhooks::validate,
    columns: columns::policy::WEBHOOKS,
    finalizer_rule: FinalizerRule::Usual,
    updated_metadata: UpdatedMetadata::Whole,
    warnings: super::webhooks::warnings,
    ..ResourceRow::USUAL
};
