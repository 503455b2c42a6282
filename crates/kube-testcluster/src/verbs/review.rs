//! POST of a review (`kubectl auth can-i`, `kubectl auth whoami`): the response says which user the client is, whose
//! token it has sent, or what it or another user may do; nothing is stored. Without authorization everything is
//! allowed, and without authentication every client is anonymous. Upstream: `pkg/registry/authorization`,
//! `pkg/registry/authentication`.

mod token;

use http::StatusCode;
use kube_informers::selector::{FieldSelector, LabelSelector};

use super::Call;
use crate::auth::rbac::PolicyRule;
use crate::auth::{Attributes, Caller, Decision, Rules, user_of};
use crate::http::answer::Answer;
use crate::http::body::{self, Format};
use crate::http::status::ApiError;
use crate::http::write_options::WriteOptions;
use crate::plugins::authorization::Authorize;
use crate::store::Store;
use kube_machinery::codec::schema::Decoded;
use kube_machinery::conventions::edit::object;
use kube_machinery::conventions::user::User;
use kube_machinery::kinds::Resource;
use kube_machinery::value::{Value, json};

/// Answers a review with its status; nothing is stored.
pub(crate) async fn review(call: Call) -> Result<Answer, ApiError> {
    let Call { store, target, query, request } = call;
    let resource = &target.resource;
    let user = user_of(request.extensions());
    let caller = Caller::of(request.extensions());
    let format = Format::of(request.headers())?;
    let body = body::read(request).await?;
    let WriteOptions { strictness, .. } = WriteOptions::of_create(&query)?; // a dry run gets the same response
    let Decoded { mut value, faults } = format.object(&body, resource, strictness)?;
    body::check_namespace(&value, target.namespace.as_deref())?;
    if let Some(namespace) = &target.namespace {
        object(&mut value["metadata"]).insert("namespace".into(), json!(namespace));
    }
    let causes = (resource.validate)(&value, None);
    if !causes.is_empty() {
        return Err(ApiError::invalid(resource, "", causes));
    }
    let review = match resource.kind() {
        "TokenReview" => token::review(&store, value)?,
        _ => decide(resource, &value, &user, caller.as_ref(), &store)?,
    };
    Ok(Answer::value(StatusCode::CREATED, review).with_warnings(faults))
}

/// Returns a review with its status. Upstream keeps metadata and spec only for some kinds.
fn decide(
    resource: &Resource,
    review_object: &Value,
    user: &User,
    caller: Option<&Caller>,
    store: &Store,
) -> Result<Value, ApiError> {
    let spec = &review_object["spec"];
    let (metadata, spec, status) = match resource.kind() {
        "SelfSubjectAccessReview" => {
            let authorizer = caller.map(|caller| &*caller.authorizer as &dyn Authorize);
            (review_object["metadata"].clone(), spec.clone(), access_status(authorizer, user, spec))
        }
        "SubjectAccessReview" | "LocalSubjectAccessReview" => {
            // The cluster's own requests have no caller, but a controller also asks what another user may do.
            let authorizer = store.authorizer.get().map(|authorizer| &**authorizer);
            (review_object["metadata"].clone(), spec.clone(), access_status(authorizer, &user_in(spec), spec))
        }
        "SelfSubjectRulesReview" => {
            let namespace = spec["namespace"].as_str().unwrap_or_default();
            if namespace.is_empty() {
                return Err(ApiError::bad_request("no namespace on request"));
            }
            (json!({}), json!({}), rules_status(caller, user, namespace))
        }
        // SelfSubjectReview.
        _ => (json!({"creationTimestamp": store.clock.now()}), Value::Null, json!({"userInfo": user.info()})),
    };
    let mut answer = json!({"kind": resource.kind(), "apiVersion": resource.api_version(), "metadata": metadata});
    if !spec.is_null() {
        answer["spec"] = spec;
    }
    answer["status"] = status;
    Ok(answer)
}

/// Returns the user that the spec of an access review asks about.
fn user_in(spec: &Value) -> User {
    let texts = |list: &Value| {
        let items = list.as_array().into_iter().flatten().filter_map(Value::as_str);
        items.map(ToOwned::to_owned).collect::<Vec<_>>()
    };
    let text = |field: &str| spec[field].as_str().unwrap_or_default().to_owned();
    let extra = spec["extra"].as_object().into_iter().flatten();
    let extra = extra.map(|(key, values)| (key.to_string(), texts(values))).collect();
    User { name: text("user"), uid: text("uid"), groups: texts(&spec["groups"]), extra }
}

/// Returns the status of an access review: whether the user may do what the spec says.
fn access_status(authorizer: Option<&dyn Authorize>, user: &User, spec: &Value) -> Value {
    let decision = authorizer.map(|authorizer| authorizer.authorize(user, &Attributes::of_review(spec)));
    let Decision { allowed, reason } = decision.unwrap_or(Decision { allowed: true, reason: String::new() });
    let mut status = json!({"allowed": allowed});
    if !reason.is_empty() {
        status["reason"] = json!(reason);
    }
    let problems = unread_selectors(&spec["resourceAttributes"]);
    if !problems.is_empty() {
        status["evaluationError"] = json!(problems.join("; "));
    }
    status
}

/// Returns a message for each selector that cannot be parsed. Upstream: `BuildEvaluationError`.
fn unread_selectors(attributes: &Value) -> Vec<&'static str> {
    let raw = |selector: &str| attributes[selector]["rawSelector"].as_str().unwrap_or_default();
    let mut problems = Vec::new();
    if raw("fieldSelector").parse::<FieldSelector>().is_err() {
        problems.push("spec.resourceAttributes.fieldSelector ignored due to parse error");
    }
    if raw("labelSelector").parse::<LabelSelector>().is_err() {
        problems.push("spec.resourceAttributes.labelSelector ignored due to parse error");
    }
    problems
}

/// Returns the status of a rules review: everything that the user may do in a namespace.
fn rules_status(caller: Option<&Caller>, user: &User, namespace: &str) -> Value {
    let (rules, problem) = match caller.map(|caller| caller.authorizer.rules_for(user, namespace)) {
        None | Some(Rules::Everything) => (PolicyRule::everything().to_vec(), String::new()),
        Some(Rules::Listed { rules, problem }) => (rules, problem),
    };
    let (resources, others): (Vec<_>, Vec<_>) = rules.iter().map(PolicyRule::review_entries).unzip();
    let listed = |rules: Vec<Option<Value>>| rules.into_iter().flatten().collect::<Vec<_>>();
    let mut status =
        json!({"resourceRules": listed(resources), "nonResourceRules": listed(others), "incomplete": false});
    if !problem.is_empty() {
        status["evaluationError"] = json!(problem);
    }
    status
}
