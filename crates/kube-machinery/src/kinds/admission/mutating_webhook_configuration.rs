//! The MutatingWebhookConfiguration kind: a list of webhooks that may change each written object before it is stored.
//! `webhooks` has the validation. Upstream: `pkg/apis/admissionregistration`.

use crate::kinds::columns;
use crate::kinds::metadata::{FinalizerRule, UpdatedMetadata};
use crate::kinds::resource::{Generation, ResourceRow, Scope, Strategy, UnconditionalUpdate};
use crate::value::{Value, json};

use crate::conventions::edit::{list, set_default};

/// The kind's row in the table of kinds (`kinds::served`).
pub(in crate::kinds) const ROW: ResourceRow = ResourceRow {
    group: "admissionregistration.k8s.io",
    plural: "mutatingwebhookconfigurations",
    singular: "mutatingwebhookconfiguration",
    kind: "MutatingWebhookConfiguration",
    storage_hash: "Sqi0GUgDaX0=",
    scope: Scope::Cluster,
    categories: &["api-extensions"],
    generation: Generation::CountedAt(&["/webhooks"]),
    strategy: Strategy { unconditional_update: UnconditionalUpdate::Refused, ..Strategy::USUAL },
    defaults: set_defaults,
    validate: super::webhooks::validate,
    columns: columns::policy::WEBHOOKS,
    finalizer_rule: FinalizerRule::Usual,
    updated_metadata: UpdatedMetadata::Whole,
    warnings: super::webhooks::warnings,
    ..ResourceRow::USUAL
};

/// Upstream: `SetDefaults_MutatingWebhook`.
fn set_defaults(configuration: &mut Value) {
    super::set_webhook_defaults(configuration);
    for webhook in list(configuration, "webhooks") {
        set_default(webhook, "reinvocationPolicy", json!("Never"));
    }
}
