//! The rows of reviews: a POST is answered, and nothing is stored.

use serde_json::Value;

use super::fields::{items, text};
use super::names::NameRule;
use super::resource::{Resource, Scope};
use crate::machinery::cause::Cause;
use crate::machinery::fill::{object, part};

const USUAL: Resource =
    Resource { scope: Scope::Cluster, cached: false, name_rule: NameRule::Unchecked, ..Resource::USUAL };

const AUTHENTICATION: &str = "authentication.k8s.io";
const AUTHORIZATION: &str = "authorization.k8s.io";

pub(crate) static REVIEWS: [Resource; 6] = [
    Resource {
        group: AUTHENTICATION,
        plural: "selfsubjectreviews",
        singular: "selfsubjectreview",
        kind: "SelfSubjectReview",
        ..USUAL
    },
    Resource { group: AUTHENTICATION, plural: "tokenreviews", singular: "tokenreview", kind: "TokenReview", ..USUAL },
    Resource {
        group: AUTHORIZATION,
        plural: "localsubjectaccessreviews",
        singular: "localsubjectaccessreview",
        kind: "LocalSubjectAccessReview",
        scope: Scope::Namespaced,
        validate: of_one_namespace,
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
    Resource {
        group: AUTHORIZATION,
        plural: "subjectaccessreviews",
        singular: "subjectaccessreview",
        kind: "SubjectAccessReview",
        validate: of_somebody,
        ..USUAL
    },
];

/// What a token of a service account is asked for with. It has no path of its own: it is a part of the account.
pub(crate) static TOKEN_REQUEST: Resource = Resource { group: AUTHENTICATION, kind: "TokenRequest", ..USUAL };

/// A review of one action must name either a resource or a path. Upstream: `ValidateSelfSubjectAccessReview`.
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

/// A review of what somebody else may do must name them. Upstream: `ValidateSubjectAccessReview`.
fn of_somebody(new: &Value, old: Option<&Value>) -> Vec<Cause> {
    let spec = &new["spec"];
    let mut causes = Vec::new();
    if text(spec, "user").is_empty() && items(spec, "groups").is_empty() {
        causes.push(Cause::invalid("spec.user", "", "at least one of user or group must be specified"));
    }
    causes.extend(one_question(new, old));
    causes
}

/// Upstream: `ValidateLocalSubjectAccessReview`.
fn of_one_namespace(new: &Value, old: Option<&Value>) -> Vec<Cause> {
    let mut bare = new.clone();
    if let Some(metadata) = part(&mut bare, "metadata") {
        object(metadata).remove("namespace");
    }
    let mut causes = of_somebody(&bare, old);
    let (resource, path) = (&new["spec"]["resourceAttributes"], &new["spec"]["nonResourceAttributes"]);
    let asked = text(resource, "namespace");
    if resource.is_object() && asked != text(&new["metadata"], "namespace") {
        causes.push(Cause::invalid("spec.resourceAttributes.namespace", asked, "must match metadata.namespace"));
    }
    if path.is_object() {
        causes.push(Cause::invalid_json("spec.nonResourceAttributes", path, "disallowed on this kind of request"));
    }
    causes
}
