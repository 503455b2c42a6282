//! POST to a service account's `token` (`kubectl create token`): issues a bearer token with which a program
//! authenticates as the service account. Upstream: `TokenREST` in
//! `pkg/registry/core/serviceaccount/storage/token.go`, claims in `pkg/serviceaccount/claims.go`.
//!
//! [`service_account`](crate::auth::service_account) issues and verifies the tokens.

use std::sync::Arc;
use std::time::Duration;

use http::StatusCode;

use crate::admission::Gate;
use crate::auth::service_account::{self, ISSUER};
use crate::auth::user_of;
use crate::http::answer::Answer;
use crate::http::body::{self, Format};
use crate::http::status::ApiError;
use crate::http::write_options::{self, WriteOptions};
use crate::plugins::admit::Operation;
use crate::store::Store;
use crate::store::object::{Key, Opened};
use crate::verbs::{Call, key};
use kube_machinery::conventions::cause::Cause;
use kube_machinery::conventions::causes::Causes;
use kube_machinery::conventions::edit::{empty, set_default};
use kube_machinery::kinds::{NODES, PODS, Resource, SECRETS, SERVICE_ACCOUNTS, TOKEN_REQUEST};
use kube_machinery::value::{Array, Value, json};

/// The default lifetime of a token, in seconds.
const HOUR: i64 = 3600;
/// The shortest and the longest lifetime of a token, in seconds. Upstream: `MinTokenAgeSec`.
const SHORTEST: i64 = 600;
const LONGEST: i64 = 1 << 32;

pub(crate) async fn request(call: Call) -> Result<Answer, ApiError> {
    let Call { store, target, query, request } = call;
    let format = Format::of(request.headers())?;
    let user = user_of(request.extensions());
    let body = body::read(request).await?;
    let WriteOptions { strictness, commit } = WriteOptions::of_create(&query)?; // a dry run gets the same response
    let mut decoded = format.typed(&body, TOKEN_REQUEST.kind(), &TOKEN_REQUEST.api_version(), strictness)?;
    body::check_namespace(&decoded.value, target.namespace.as_deref())?;
    let gate = Gate::of(&store, &target, &user, commit, || write_options::fields(&query));
    decoded.value = gate.mutate(Operation::Create, decoded.value, None).await?;
    let key = key(&target)?;
    let account = found(&store, SERVICE_ACCOUNTS, &key)?;
    let mut value = decoded.value;
    prepare(&mut value, &account, &store.clock.now())?;
    let causes = validate(&value["spec"]);
    if !causes.is_empty() {
        return Err(ApiError::invalid(TOKEN_REQUEST, "", causes));
    }
    gate.validate(Operation::Create, Some(&value), None).await?;
    decoded.faults.extend(gate.warnings());
    let bound = bound_object(&store, &value["spec"]["boundObjectRef"], &key)?;
    let lasts = value["spec"]["expirationSeconds"].as_i64().unwrap_or(HOUR);
    let seconds = Duration::from_secs(lasts.unsigned_abs());
    value["status"] = json!({
        "token": service_account::issue(&store, &account, bound, &value["spec"]["audiences"], lasts),
        "expirationTimestamp": store.clock.after(seconds),
    });
    value["kind"] = json!(TOKEN_REQUEST.kind());
    value["apiVersion"] = json!(TOKEN_REQUEST.api_version());
    Ok(Answer::value(StatusCode::CREATED, value).with_warnings(decoded.faults))
}

/// Reads an object, or returns `NotFound`.
fn found(store: &Store, resource: &Resource, key: &Key) -> Result<Arc<Opened>, ApiError> {
    let object = store.get(resource, key).ok_or_else(|| ApiError::not_found(resource, key.name()))?;
    Ok(object.open()?)
}

/// Completes a token request, and checks that it names this account if it names any.
fn prepare(value: &mut Value, account: &Opened, now: &str) -> Result<(), ApiError> {
    let own = &account.value["metadata"];
    set_default(value, "metadata", empty());
    let metadata = &mut value["metadata"];
    for (field, why) in [
        ("name", "must match the service account name if specified"),
        ("namespace", "must match the service account namespace if specified"),
    ] {
        let given = metadata[field].as_str().unwrap_or_default().to_owned();
        if !given.is_empty() && own[field] != given {
            let cause = Cause::invalid(format!("metadata.{field}"), &given, why);
            return Err(ApiError::invalid(TOKEN_REQUEST, account.key.name(), [cause]));
        }
        metadata[field] = own[field].clone();
    }
    let uid = metadata["uid"].as_str().unwrap_or_default();
    if !uid.is_empty() && own["uid"] != uid {
        let found = own["uid"].as_str().unwrap_or_default();
        let why =
            format!("the UID in the token request ({uid}) does not match the UID of the service account ({found})");
        return Err(ApiError::conflict(TOKEN_REQUEST, TOKEN_REQUEST.kind(), account.key.name(), why));
    }
    metadata["uid"] = own["uid"].clone();
    metadata["creationTimestamp"] = json!(now);
    set_default(value, "spec", empty());
    let spec = &mut value["spec"];
    if spec["audiences"].as_array().is_none_or(Array::is_empty) {
        spec["audiences"] = json!([ISSUER]);
    }
    if spec["expirationSeconds"].is_null() {
        spec["expirationSeconds"] = json!(HOUR);
    }
    Ok(())
}

/// Upstream: `ValidateTokenRequest`.
fn validate(spec: &Value) -> Causes {
    const AT: &str = "spec.expirationSeconds";
    let seconds = &spec["expirationSeconds"];
    let mut causes = Causes::new();
    if seconds.as_i64().is_some_and(|seconds| seconds < SHORTEST) {
        causes.push(Cause::invalid_json(AT, seconds, "may not specify a duration less than 10 minutes"));
    }
    if seconds.as_i64().is_some_and(|seconds| seconds > LONGEST) {
        causes.push(Cause::invalid_json(AT, seconds, "may not specify a duration larger than 2^32 seconds"));
    }
    causes
}

/// Returns the claim for the object that the token is bound to, if any: the claim's name, and the object's name and
/// uid.
fn bound_object(store: &Store, reference: &Value, account: &Key) -> Result<Option<(String, Value)>, ApiError> {
    if !reference.is_object() {
        return Ok(None);
    }
    let text = |field: &str| reference[field].as_str().unwrap_or_default();
    let (kind, name) = (text("kind"), text("name"));
    let (resource, namespace) = match (text("apiVersion"), kind) {
        ("v1", "Pod") => (PODS, account.namespace()),
        ("v1", "Secret") => (SECRETS, account.namespace()),
        ("v1", "Node") => (NODES, None),
        (version, _) => {
            let (group, version) = version.split_once('/').unwrap_or(("", version));
            let why = format!("cannot bind token to object of type {group}/{version}, Kind={kind}");
            return Err(ApiError::bad_request(why));
        }
    };
    let object = found(store, resource, &Key::new(namespace, name))?;
    if resource == PODS && object.value["spec"]["serviceAccountName"] != account.name() {
        let account = account.name();
        let why = format!(
            "cannot bind token for serviceaccount {account:?} to pod running with different serviceaccount name."
        );
        return Err(ApiError::bad_request(why));
    }
    let (requested, uid) = (text("uid"), object.value["metadata"]["uid"].as_str().unwrap_or_default());
    if !requested.is_empty() && requested != uid {
        let why = format!(
            "the UID in the bound object reference ({requested}) does not match the UID in record. The object might have been \
             deleted and then recreated"
        );
        return Err(ApiError::conflict(resource, kind, name, why));
    }
    Ok(Some((kind.to_lowercase(), json!({"name": name, "uid": uid}))))
}
