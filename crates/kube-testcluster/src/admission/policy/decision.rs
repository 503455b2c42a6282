//! The decision of a policy about a request. A [`PolicyDecision`] is the result of one validation; it becomes a
//! [`Denial`], an error for the client, if the binding's actions say so. Upstream:
//! `admission/plugin/policy/validating/policy_decision.go`.

use super::super::Attributes;
use crate::http::status::ApiError;
use kube_machinery::kinds::admission::{Binding, FailurePolicy, Policy};

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PolicyDecision {
    verdict: Verdict,
    pub(super) message: String,
    /// The reason of the Status that the client gets.
    reason: &'static str,
    /// True if the request is denied even if the binding does not have the action `Deny`.
    pub(super) is_final: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    Admit,
    Deny,
}

impl PolicyDecision {
    /// Returns the decision against a request, with the reason that policies have by default.
    pub(super) fn deny(message: String) -> Self {
        Self { verdict: Verdict::Deny, message, reason: "Invalid", is_final: false }
    }

    #[cfg(feature = "cel")]
    pub(super) fn admit() -> Self {
        Self { verdict: Verdict::Admit, ..Self::deny(String::new()) }
    }

    #[cfg(feature = "cel")]
    pub(super) fn with_reason(self, reason: &'static str) -> Self {
        Self { reason, ..self }
    }

    /// Returns the decision for an audit annotation that cannot be computed.
    #[cfg(feature = "cel")]
    pub(super) fn of_annotation(message: String) -> Self {
        Self { is_final: true, ..Self::deny(message) }
    }

    /// Returns the decision for an expression that cannot be evaluated; the failure policy decides. Upstream:
    /// `policyDecisionActionForError`.
    pub(super) fn of_error(policy: FailurePolicy, message: String) -> Self {
        let verdict = if policy == FailurePolicy::Ignore { Verdict::Admit } else { Verdict::Deny };
        Self { verdict, ..Self::deny(message) }
    }

    /// Returns true if the decision is against the request.
    pub(super) fn denies(&self) -> bool {
        self.verdict == Verdict::Deny
    }
}

/// A decision that denies a request, with its policy and binding; without a binding if the policy itself is broken.
pub(super) struct Denial<'h> {
    policy: &'h Policy,
    binding: Option<&'h Binding>,
    decision: PolicyDecision,
}

impl<'h> Denial<'h> {
    pub(super) fn new(policy: &'h Policy, binding: Option<&'h Binding>, decision: PolicyDecision) -> Self {
        Self { policy, binding, decision }
    }

    pub(super) fn error(&self, attributes: &Attributes<'_>) -> ApiError {
        let (policy, why) = (&self.policy.name, &self.decision.message);
        let with = self.binding.map(|binding| format!(" with binding '{}'", binding.name)).unwrap_or_default();
        let message = format!("ValidatingAdmissionPolicy '{policy}'{with} denied request: {why}");
        ApiError::denied_by_policy(
            &attributes.request.served,
            attributes.name_in_refusal(),
            &message,
            self.decision.reason,
        )
    }
}
