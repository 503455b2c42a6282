//! The review kinds, such as SubjectAccessReview, which asks if a user may do something: the server answers the POST of
//! a review, and stores nothing.

use super::fields::{items, text};
use super::names::NameRule;
use super::resource::{Resource, ResourceRow, Scope, Serving};
use super::served::kinds;
use crate::conventions::cause::Cause;
use crate::conventions::causes::Causes;
use crate::value::Value;

/// The properties that all reviews share.
const USUAL: ResourceRow = ResourceRow {
    serving: Serving::Review,
    scope: Scope::Cluster,
    cached: false,
    name_rule: NameRule::Unchecked,
    ..ResourceRow::USUAL
};

const AUTHENTICATION: &str = "authentication.k8s.io";
const AUTHORIZATION: &str = "authorization.k8s.io";

const SELF_SUBJECT_REVIEW: ResourceRow = ResourceRow {
    group: AUTHENTICATION,
    plural: "selfsubjectreviews",
    singular: "selfsubjectreview",
    kind: "SelfSubjectReview",
    ..USUAL
};
const TOKEN_REVIEW: ResourceRow = ResourceRow {
    group: AUTHENTICATION,
    plural: "tokenreviews",
    singular: "tokenreview",
    kind: "TokenReview",
    ..USUAL
};
const LOCAL_SUBJECT_ACCESS_REVIEW: ResourceRow = ResourceRow {
    group: AUTHORIZATION,
    plural: "localsubjectaccessreviews",
    singular: "localsubjectaccessreview",
    kind: "LocalSubjectAccessReview",
    scope: Scope::Namespaced,
    validate: validate_local_subject_access_review,
    ..USUAL
};
const SELF_SUBJECT_ACCESS_REVIEW: ResourceRow = ResourceRow {
    group: AUTHORIZATION,
    plural: "selfsubjectaccessreviews",
    singular: "selfsubjectaccessreview",
    kind: "SelfSubjectAccessReview",
    validate: validate_self_subject_access_review,
    ..USUAL
};
const SELF_SUBJECT_RULES_REVIEW: ResourceRow = ResourceRow {
    group: AUTHORIZATION,
    plural: "selfsubjectrulesreviews",
    singular: "selfsubjectrulesreview",
    kind: "SelfSubjectRulesReview",
    ..USUAL
};
const SUBJECT_ACCESS_REVIEW: ResourceRow = ResourceRow {
    group: AUTHORIZATION,
    plural: "subjectaccessreviews",
    singular: "subjectaccessreview",
    kind: "SubjectAccessReview",
    validate: validate_subject_access_review,
    ..USUAL
};

pub(crate) static REVIEWS: &[Resource] = kinds![
    SELF_SUBJECT_REVIEW,
    TOKEN_REVIEW,
    LOCAL_SUBJECT_ACCESS_REVIEW,
    SELF_SUBJECT_ACCESS_REVIEW,
    SELF_SUBJECT_RULES_REVIEW,
    SUBJECT_ACCESS_REVIEW,
];

/// A request for a service account's token. It is posted to the account's `token` subresource, and has no path of its
/// own.
pub static TOKEN_REQUEST: &Resource = &Resource::of(&TOKEN_REQUEST_ROW);

const TOKEN_REQUEST_ROW: ResourceRow = ResourceRow { group: AUTHENTICATION, kind: "TokenRequest", ..USUAL };

/// Validates a review that asks about the client itself. Upstream: `ValidateSelfSubjectAccessReview`.
fn validate_self_subject_access_review(new: &Value, _: Option<&Value>) -> Causes {
    let mut causes = validate_self_subject_access_review_spec(&new["spec"]);
    causes.extend(refuse_metadata_but(new, &["managedFields"], "must be empty"));
    causes
}

/// Validates a review that asks about a user or a group. Upstream: `ValidateSubjectAccessReview`.
fn validate_subject_access_review(new: &Value, _: Option<&Value>) -> Causes {
    let mut causes = validate_subject_access_review_spec(&new["spec"]);
    causes.extend(refuse_metadata_but(new, &["managedFields"], "must be empty"));
    causes
}

/// Validates a review that asks about a resource in the review's own namespace. Upstream:
/// `ValidateLocalSubjectAccessReview`.
fn validate_local_subject_access_review(new: &Value, _: Option<&Value>) -> Causes {
    let mut causes = validate_subject_access_review_spec(&new["spec"]);
    causes.extend(refuse_metadata_but(new, &["managedFields", "namespace"], "must be empty except for namespace"));
    let (resource, path) = (&new["spec"]["resourceAttributes"], &new["spec"]["nonResourceAttributes"]);
    let namespace = text(resource, "namespace");
    if resource.is_object() && namespace != text(&new["metadata"], "namespace") {
        causes.push(Cause::invalid("spec.resourceAttributes.namespace", namespace, "must match metadata.namespace"));
    }
    if path.is_object() {
        causes.push(Cause::invalid_json("spec.nonResourceAttributes", path, "disallowed on this kind of request"));
    }
    causes
}

/// Validates the spec of a review that must name a user or a group. Upstream: `ValidateSubjectAccessReviewSpec`.
fn validate_subject_access_review_spec(spec: &Value) -> Causes {
    let mut causes = validate_self_subject_access_review_spec(spec);
    if text(spec, "user").is_empty() && items(spec, "groups").is_empty() {
        causes.push(Cause::invalid("spec.user", "", "at least one of user or group must be specified"));
    }
    causes
}

/// Checks that a review names exactly one of a resource and a path. Both causes show the path, as upstream's do in
/// `ValidateSelfSubjectAccessReviewSpec`.
fn validate_self_subject_access_review_spec(spec: &Value) -> Causes {
    let (resource, path) = (&spec["resourceAttributes"], &spec["nonResourceAttributes"]);
    let (at, why) = match (resource.is_null(), path.is_null()) {
        (false, false) => ("spec.nonResourceAttributes", "cannot be specified in combination with resourceAttributes"),
        (true, true) => {
            ("spec.resourceAttributes", "exactly one of nonResourceAttributes or resourceAttributes must be specified")
        }
        _ => return Causes::new(),
    };
    Causes::from([Cause::invalid_json(at, path, why)])
}

/// Returns a cause if the review has metadata fields other than `but`.
fn refuse_metadata_but(new: &Value, but: &[&str], why: &str) -> Option<Cause> {
    let metadata = &new["metadata"];
    let others = metadata.as_object().is_some_and(|fields| fields.keys().any(|field| !but.contains(&field.as_str())));
    others.then(|| Cause::invalid_json("metadata", metadata, why))
}
