//! All that admission is configured with. Upstream: the sources of webhooks in
//! `k8s.io/apiserver/pkg/admission/configuration`.

use serde_json::Value;

use super::webhook::Webhook;

/// What the objects of the group `admissionregistration.k8s.io` say. It never changes; a write to one of them makes a new one.
#[derive(Debug, Default)]
pub(crate) struct Configured {
    /// In the order of their configurations' names.
    pub(crate) mutating: Vec<Webhook>,
    pub(crate) validating: Vec<Webhook>,
}

impl Configured {
    /// Adds what an object says. Those of a kind come in the order of their names.
    pub(crate) fn add(&mut self, kind: &str, object: &Value) {
        match kind {
            "MutatingWebhookConfiguration" => self.mutating.extend(Webhook::all_of(object)),
            "ValidatingWebhookConfiguration" => self.validating.extend(Webhook::all_of(object)),
            _ => {}
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.mutating.is_empty() && self.validating.is_empty()
    }
}
