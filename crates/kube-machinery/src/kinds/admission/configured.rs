//! All that admission is configured with. Upstream: the sources of webhooks in
//! `k8s.io/apiserver/pkg/admission/configuration`, and that of policies in `pkg/admission/plugin/policy/generic/policy_source.go`.

use std::sync::Arc;

use super::policy::{Binding, Policy, PolicyHook};
use super::webhook::Webhook;
use crate::value::Value;

/// What the objects of the group `admissionregistration.k8s.io` say. It never changes; a write to one of them makes a new one.
#[derive(Debug, Default)]
pub struct Configured {
    /// In the order of their configurations' names.
    pub mutating: Vec<Webhook>,
    pub validating: Vec<Webhook>,
    /// In the order of their names.
    pub policies: Vec<PolicyHook>,
}

impl Configured {
    /// Adds what an object says. Those of a kind come in the order of their names, policies before bindings. A policy that is as it was
    /// before keeps what was read of it.
    pub fn add(&mut self, kind: &str, object: &Value, before: &Self) {
        match kind {
            "MutatingWebhookConfiguration" => self.mutating.extend(Webhook::all_of(object)),
            "ValidatingWebhookConfiguration" => self.validating.extend(Webhook::all_of(object)),
            "ValidatingAdmissionPolicy" => {
                let known = before.policies.iter().find(|hook| hook.policy.is_of(object));
                let policy = known.map_or_else(|| Arc::new(Policy::of(object)), |hook| hook.policy.clone());
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

    /// Whether nobody decides about anything.
    pub fn is_empty(&self) -> bool {
        self.mutating.is_empty()
            && self.validating.is_empty()
            && self.policies.iter().all(|hook| hook.bindings.is_empty())
    }
}
