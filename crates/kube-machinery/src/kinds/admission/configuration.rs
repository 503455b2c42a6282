//! The admission webhooks and policies of a cluster, in a form that applies quickly to each write. Upstream: the
//! sources of webhooks in `k8s.io/apiserver/pkg/admission/configuration`, and the source of policies in
//! `pkg/admission/plugin/policy/generic/policy_source.go`.

use std::sync::Arc;

use super::policy::{Binding, Policy, PolicyHook};
use super::webhook::Webhook;
use crate::value::Value;

/// An immutable snapshot of all objects of the group `admissionregistration.k8s.io`. A write to one of them makes a new
/// snapshot.
#[derive(Debug, Default)]
pub struct AdmissionConfiguration {
    /// Sorted by the names of their configurations.
    pub mutating: Vec<Webhook>,
    /// Sorted by the names of their configurations.
    pub validating: Vec<Webhook>,
    /// The policies with their bindings, sorted by name.
    pub policies: Vec<PolicyHook>,
}

impl AdmissionConfiguration {
    /// Adds an object to a snapshot that is being made. The caller adds the objects of a kind sorted by name, and
    /// policies before bindings. An unchanged policy is taken from `before`, the previous snapshot, because its
    /// expressions are compiled already.
    pub fn add(&mut self, kind: &str, object: &Value, before: &Self) {
        match kind {
            "MutatingWebhookConfiguration" => self.mutating.extend(Webhook::all_of(object)),
            "ValidatingWebhookConfiguration" => self.validating.extend(Webhook::all_of(object)),
            "ValidatingAdmissionPolicy" => {
                let unchanged = before.policies.iter().find(|hook| hook.policy.is_of(object));
                let policy = unchanged.map_or_else(|| Arc::new(Policy::of(object)), |hook| hook.policy.clone());
                self.policies.push(PolicyHook { policy, bindings: Vec::new() });
            }
            "ValidatingAdmissionPolicyBinding" => {
                let (policy, binding) = Binding::of(object);
                if let Some(hook) = self.policies.iter_mut().find(|hook| hook.policy.name == policy) {
                    hook.bindings.push(binding);
                }
            }
            _ => {}
        }
    }

    /// Returns true if there are no webhooks, and no policies with a binding.
    pub fn is_empty(&self) -> bool {
        self.mutating.is_empty()
            && self.validating.is_empty()
            && self.policies.iter().all(|hook| hook.bindings.is_empty())
    }
}
