//! The constructors of [`ApiError`] for authentication, authorization and admission policies.

use http::StatusCode;

use super::{ApiError, Details};
use kube_machinery::conventions::cause::Cause;
use kube_machinery::conventions::quote::quote;
use kube_machinery::kinds::Resource;

impl ApiError {
    /// The error for invalid credentials. Upstream: `NewUnauthorized`.
    pub(crate) fn unauthorized() -> Self {
        Self::new(StatusCode::UNAUTHORIZED, "Unauthorized", "Unauthorized")
    }

    pub(crate) fn is_unauthorized(&self) -> bool {
        self.code == StatusCode::UNAUTHORIZED
    }

    /// The error for a request that the user may not make. `resource` is empty for a path. Upstream: `NewForbidden`.
    pub(crate) fn not_allowed(group: &str, resource: &str, name: &str, why: &str) -> Self {
        let of_group = if group.is_empty() { resource.to_owned() } else { format!("{resource}.{group}") };
        let message = match (resource, name) {
            ("", _) => format!("forbidden: {why}"),
            (_, "") => format!("{of_group} is forbidden: {why}"),
            _ => format!("{of_group} {} is forbidden: {why}", quote(name)),
        };
        let mut error = Self::new(StatusCode::FORBIDDEN, "Forbidden", message);
        error.details = Some(Box::new(Details {
            name: name.into(),
            group: group.to_owned(),
            kind: resource.into(),
            ..Details::default()
        }));
        error
    }

    /// The error for a request that an admission policy denies. `reason` is one of the reasons that a policy can give.
    /// Upstream: `dispatcher.Dispatch` of `ValidatingAdmissionPolicy`.
    pub(crate) fn denied_by_policy(resource: &Resource, name: &str, why: &str, reason: &'static str) -> Self {
        let mut error = Self::forbidden(resource, name, why);
        error.reason = reason;
        error.code = match reason {
            "Forbidden" => StatusCode::FORBIDDEN,
            "RequestEntityTooLarge" => StatusCode::PAYLOAD_TOO_LARGE,
            _ => StatusCode::UNPROCESSABLE_ENTITY,
        };
        if let Some(details) = &mut error.details {
            details.causes.push(Cause::without_field("", why));
        }
        error
    }
}
