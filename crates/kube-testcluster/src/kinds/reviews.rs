//! The rows of reviews: a POST is answered, and nothing is stored.

use serde_json::Value;

use super::names::NameRule;
use super::resource::{DeleteResponse, Deletion, Generation, Resource, Scope, Strategy, no_defaults, nothing_more};
use crate::machinery::cause::Cause;

const fn row(
    group: &'static str,
    (plural, singular, kind): (&'static str, &'static str, &'static str),
    validate: fn(&Value, Option<&Value>) -> Vec<Cause>,
) -> Resource {
    Resource {
        group,
        version: "v1",
        plural,
        singular,
        kind,
        storage_hash: "",
        scope: Scope::Cluster,
        short_names: &[],
        categories: &[],
        subresources: &[],
        deletion: Deletion::AtOnce,
        delete_response: DeleteResponse::Status,
        generation: Generation::Absent,
        strategy: Strategy::USUAL,
        cached: false,
        fields: &[],
        name_rule: NameRule::PathSegment,
        defaults: no_defaults,
        validate,
        validate_status: nothing_more,
        allocator: None,
    }
}

const AUTHENTICATION: &str = "authentication.k8s.io";
const AUTHORIZATION: &str = "authorization.k8s.io";

pub(crate) static REVIEWS: [Resource; 3] = [
    row(AUTHENTICATION, ("selfsubjectreviews", "selfsubjectreview", "SelfSubjectReview"), nothing_more),
    row(
        AUTHORIZATION,
        ("selfsubjectaccessreviews", "selfsubjectaccessreview", "SelfSubjectAccessReview"),
        one_question,
    ),
    row(AUTHORIZATION, ("selfsubjectrulesreviews", "selfsubjectrulesreview", "SelfSubjectRulesReview"), nothing_more),
];

/// A review of one action must name either a resource or a path.
fn one_question(new: &Value, _: Option<&Value>) -> Vec<Cause> {
    let mut causes = Vec::new();
    let (spec, metadata) = (&new["spec"], &new["metadata"]);
    if spec["resourceAttributes"].is_null() == spec["nonResourceAttributes"].is_null() {
        let why = "exactly one of nonResourceAttributes or resourceAttributes must be specified";
        causes.push(Cause::invalid_json("spec", &spec["nonResourceAttributes"], why));
    }
    if metadata.as_object().is_some_and(|fields| !fields.is_empty()) {
        causes.push(Cause::invalid_json("metadata", metadata, "must be empty"));
    }
    causes
}
