//! The errors of an eviction that a disruption budget does not allow. Upstream:
//! `pkg/registry/core/pod/storage/eviction.go`.

use super::{ApiError, Details};
use http::StatusCode;
use kube_machinery::conventions::cause::Cause;

/// The reason of the causes. Upstream: `DisruptionBudgetCause`.
const CAUSE: &str = "DisruptionBudget";

/// The delay, in seconds, after which a client may try again while the status of a budget is computed.
const RETRY_AFTER: u32 = 10;

impl ApiError {
    /// The error for an eviction that takes more pods than the budget allows. Upstream suggests no delay.
    pub(crate) fn budget_used_up(cause: &str) -> Self {
        Self::budget_violated(0, cause)
    }

    /// The error for an eviction while the status of the budget is out of date. Upstream: `createTooManyRequestsError`.
    pub(crate) fn budget_in_progress(budget: &str) -> Self {
        let cause = format!("The disruption budget {budget} is still being processed by the server.");
        Self::budget_violated(RETRY_AFTER, &cause)
    }

    /// The error for an eviction after so many others that the controller has probably stopped.
    pub(crate) fn budget_overflown(budget: &str) -> Self {
        let why = "DisruptedPods map too big - too many evictions not confirmed by PDB controller";
        let cause = format!(
            "The disruption budget {budget} does not allow evicting pods currently: too many pending evictions not \
             confirmed by PDB controller"
        );
        let kind = "poddisruptionbudget"; // upstream names the resource in the singular here
        let message = format!("{kind}.policy {budget:?} is forbidden: {why}");
        let details = Details { name: budget.into(), group: "policy".into(), kind: kind.into(), ..Details::default() };
        let error = Self { details: Some(Box::new(details)), ..Self::new(StatusCode::FORBIDDEN, "Forbidden", message) };
        error.with_budget_cause(&cause)
    }

    fn budget_violated(retry_after: u32, cause: &str) -> Self {
        let message = "Cannot evict pod as it would violate the pod's disruption budget.".to_owned();
        Self { message, ..Self::too_many_requests(retry_after) }.with_budget_cause(cause)
    }

    fn with_budget_cause(mut self, message: &str) -> Self {
        self.details.get_or_insert_default().causes.push(Cause::without_field(CAUSE, message));
        self
    }
}
