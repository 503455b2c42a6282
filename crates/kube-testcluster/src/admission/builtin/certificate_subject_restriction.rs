//! The plugin `CertificateSubjectRestriction`: no certificate makes its owner a member of `system:masters`.

use super::WriteAttributes;
use crate::http::status::ApiError;
use kube_machinery::kinds::subject_restriction;
use kube_machinery::value::Value;

/// Refuses a new certificate signing request that would put its owner into that group.
pub(super) fn validate(write: &WriteAttributes<'_>, new: &Value) -> Result<(), ApiError> {
    match subject_restriction(write.resource, new).filter(|_| write.old.is_none()) {
        Some(why) => Err(write.forbidden(new, &why)),
        None => Ok(()),
    }
}
