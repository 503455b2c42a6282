//! The rows of reviews: a POST is answered, and nothing is stored.

use serde_json::Value;

use super::names::NameRule;
use super::resource::{Resource, Scope};
use crate::machinery::cause::Cause;

/// Who sends a request: nobody is authenticated.
pub(crate) const ANONYMOUS: &str = "system:anonymous";
pub(crate) const UNAUTHENTICATED: &str = "system:unauthenticated";

const USUAL: Resource =
    Resource { scope: Scope::Cluster, cached: false, name_rule: NameRule::Unchecked, ..Resource::USUAL };

const AUTHENTICATION: &str = "authentication.k8s.io";
const AUTHORIZATION: &str = "authorization.k8s.io";

pub(crate) static REVIEWS: [Resource; 3] = [
    Resource {
        group: AUTHENTICATION,
        plural: "selfsubjectreviews",
        singular: "selfsubjectreview",
        kind: "SelfSubjectReview",
        ..USUAL
    },
    Resource {
        group: AUTHORIZATION,
        plural: "selfsubjectaccessreviews",
        singular: "selfsubjectaccessreview",
        kind: "SelfSubjectAccessReview",
        validate: one_question,
        ..USUAL
    },
    Resource {
        group: AUTHORIZATION,
        plural: "selfsubjectrulesreviews",
        singular: "selfsubjectrulesreview",
        kind: "SelfSubjectRulesReview",
        ..USUAL
    },
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
