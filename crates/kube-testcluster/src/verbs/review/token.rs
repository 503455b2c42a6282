//! TokenReviews of the tokens of service accounts. Upstream: `pkg/registry/authentication/tokenreview`.

use crate::auth::service_account::{self, ISSUER};
use crate::http::status::ApiError;
use crate::store::Store;
use kube_machinery::value::{Value, json};

/// Answers a TokenReview with the user of the token, if this cluster has issued it for one of the audiences that the
/// review names.
pub(super) fn review(store: &Store, mut review: Value) -> Result<Value, ApiError> {
    let token = review["spec"]["token"].as_str().unwrap_or_default().to_owned();
    if token.is_empty() {
        return Err(ApiError::bad_request("token is required for TokenReview in authentication"));
    }
    let wanted = match review["spec"]["audiences"].as_array() {
        Some(wanted) if !wanted.is_empty() => wanted.clone(),
        _ => vec![json!(ISSUER)].into(),
    };
    let known = service_account::claims(store, &token).map(|claims| {
        let has = claims["aud"].as_array().cloned().unwrap_or_default();
        let shared: Vec<Value> = wanted.into_iter().filter(|audience| has.contains(audience)).collect();
        (claims, shared)
    });
    review["status"] = match known {
        Some((claims, audiences)) if !audiences.is_empty() => {
            json!({"authenticated": true, "user": service_account::user(&claims).info(), "audiences": audiences})
        }
        _ => json!({"user": {}, "error": "[invalid bearer token, token lookup failed]"}),
    };
    review["kind"] = json!("TokenReview");
    review["apiVersion"] = json!("authentication.k8s.io/v1");
    Ok(review)
}
