//! POST of a review: who the client is and what it may do. Everything is allowed: the answers are those of an API server with
//! `--authorization-mode=AlwaysAllow`. Without authentication, every client is anonymous.

use axum::response::Response;
use http::StatusCode;
use serde_json::{Value, json};

use super::{Call, token};
use crate::auth::user_of;
use crate::codec::schema::Decoded;
use crate::http::body::{self, Format};
use crate::http::field_validation::warn;
use crate::http::status::{self, ApiError};
use crate::http::write_options::WriteOptions;
use crate::kinds::Resource;
use crate::machinery::fill::object;
use crate::machinery::user::User;

/// Answers a review with its status; nothing is stored.
pub(crate) async fn review(call: Call) -> Result<Response, ApiError> {
    let Call { store, target, query, request } = call;
    let resource = target.resource;
    let user = user_of(request.extensions());
    let format = Format::of(request.headers())?;
    let body = body::read(request).await?;
    let WriteOptions { strictness, .. } = WriteOptions::of_create(&query)?; // a dry run has the same answer
    let Decoded { mut value, faults } = format.object(&body, resource, strictness)?;
    body::check_namespace(&value, target.namespace.as_deref())?;
    if let Some(namespace) = &target.namespace {
        object(&mut value["metadata"]).insert("namespace".into(), json!(namespace));
    }
    let causes = (resource.validate)(&value, None);
    if !causes.is_empty() {
        return Err(ApiError::invalid(resource, "", causes));
    }
    let answer = match resource.kind {
        "TokenReview" => token::review(&store, value)?,
        _ => answer(resource, value, &user, &store.clock.now())?,
    };
    Ok(warn(status::json(StatusCode::CREATED, answer.to_string().into_bytes()), &faults))
}

fn answer(resource: &Resource, asked: Value, user: &User, now: &str) -> Result<Value, ApiError> {
    let (metadata, spec, status) = match resource.kind {
        "SelfSubjectAccessReview" | "SubjectAccessReview" | "LocalSubjectAccessReview" => {
            (asked["metadata"].clone(), asked["spec"].clone(), json!({"allowed": true}))
        }
        "SelfSubjectRulesReview" => {
            if asked["spec"]["namespace"].as_str().unwrap_or_default().is_empty() {
                return Err(ApiError::bad_request("no namespace on request"));
            }
            let resources = json!([{"verbs": ["*"], "apiGroups": ["*"], "resources": ["*"]}]);
            let others = json!([{"verbs": ["*"], "nonResourceURLs": ["*"]}]);
            let status = json!({"resourceRules": resources, "nonResourceRules": others, "incomplete": false});
            (json!({}), json!({}), status)
        }
        _ => (json!({"creationTimestamp": now}), Value::Null, json!({"userInfo": user.info()})),
    };
    let mut answer = json!({"kind": resource.kind, "apiVersion": resource.api_version(), "metadata": metadata});
    if !spec.is_null() {
        answer["spec"] = spec;
    }
    answer["status"] = status;
    Ok(answer)
}
