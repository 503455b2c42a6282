//! Decides if a rule of an admission webhook or policy matches a request. `*` in a rule matches everything. Upstream:
//! `k8s.io/apiserver/pkg/admission/plugin/webhook/predicates/rules`.

use super::webhook::text;
use crate::conventions::operation::Operation;
use crate::value::Value;

/// A rule that matches requests by operation and resource. Upstream: `RuleWithOperations`.
#[derive(Clone, Debug)]
pub struct Rule {
    operations: Vec<String>,
    groups: Vec<String>,
    versions: Vec<String>,
    resources: Vec<String>,
    scope: String,
}

/// The properties of a request that rules match.
#[derive(Clone, Copy, Debug)]
pub struct RequestAttributes<'a> {
    pub operation: Operation,
    pub group: &'a str,
    pub version: &'a str,
    pub resource: &'a str,
    pub subresource: &'a str,
    /// The namespace of the object; the object's own name if it is a Namespace.
    pub namespace: &'a str,
}

impl Rule {
    pub(super) fn all_of(rules: &Value) -> Vec<Self> {
        let list = |value: &Value| value.as_array().into_iter().flatten().map(text).collect();
        let one = |rule: &Value| Self {
            operations: list(&rule["operations"]),
            groups: list(&rule["apiGroups"]),
            versions: list(&rule["apiVersions"]),
            resources: list(&rule["resources"]),
            scope: text(&rule["scope"]),
        };
        rules.as_array().into_iter().flatten().map(one).collect()
    }

    pub fn matches(&self, request: &RequestAttributes<'_>) -> bool {
        self.is_in_scope(request)
            && has(&self.operations, request.operation.name())
            && has(&self.groups, request.group)
            && has(&self.versions, request.version)
            && self.resources.iter().any(|resource| {
                let (resource, subresource) = resource.split_once('/').unwrap_or((resource, ""));
                (resource == "*" || resource == request.resource)
                    && (subresource == "*" || subresource == request.subresource)
            })
    }

    fn is_in_scope(&self, request: &RequestAttributes<'_>) -> bool {
        let is_namespace = (request.group, request.resource) == ("", "namespaces");
        let is_cluster_scoped = is_namespace || request.namespace.is_empty();
        match self.scope.as_str() {
            "Namespaced" => !is_cluster_scoped,
            "Cluster" => is_cluster_scoped,
            _ => true,
        }
    }
}

/// Returns true if a list has the item or a wildcard.
fn has(items: &[String], wanted: &str) -> bool {
    items.iter().any(|item| item == "*" || item == wanted)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::json;

    const POD: RequestAttributes<'static> = RequestAttributes {
        operation: Operation::Create,
        group: "",
        version: "v1",
        resource: "pods",
        subresource: "",
        namespace: "default",
    };

    fn matches(resources: &[&str], scope: &str, request: RequestAttributes<'_>) -> bool {
        let rules = json!([{
            "operations": ["CREATE"], "apiGroups": ["", "apps"], "apiVersions": ["*"], "resources": resources, "scope": scope,
        }]);
        Rule::all_of(&rules)[0].matches(&request)
    }

    #[test]
    fn a_rule_matches_resources_and_subresources_by_name_or_wildcard() {
        assert!(matches(&["pods"], "*", POD) && matches(&["*"], "*", POD) && matches(&["*/*"], "*", POD));
        assert!(matches(&["pods/*"], "*", POD), "the wildcard also matches requests without a subresource");
        let status = RequestAttributes { subresource: "status", ..POD };
        assert!(!matches(&["pods"], "*", status) && !matches(&["*"], "*", status));
        assert!(matches(&["pods/status"], "*", status) && matches(&["*/status"], "*", status));
        assert!(!matches(&["pods"], "*", RequestAttributes { operation: Operation::Delete, ..POD }));
        assert!(!matches(&["pods"], "*", RequestAttributes { group: "batch", ..POD }));
    }

    #[test]
    fn a_namespace_is_cluster_scoped_although_the_request_has_its_name_as_namespace() {
        let of_namespace = RequestAttributes { resource: "namespaces", ..POD };
        assert!(matches(&["*"], "Cluster", of_namespace) && !matches(&["*"], "Namespaced", of_namespace));
        assert!(matches(&["*"], "Namespaced", POD) && !matches(&["*"], "Cluster", POD));
        assert!(matches(&["*"], "Cluster", RequestAttributes { namespace: "", ..POD }));
    }
}
