//! The matching of requests by the rules of webhooks and policies. Upstream:
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
pub struct Asked<'a> {
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

    pub fn matches(&self, asked: &Asked<'_>) -> bool {
        self.is_in_scope(asked)
            && has(&self.operations, asked.operation.name())
            && has(&self.groups, asked.group)
            && has(&self.versions, asked.version)
            && self.resources.iter().any(|resource| {
                let (resource, part) = resource.split_once('/').unwrap_or((resource, ""));
                (resource == "*" || resource == asked.resource) && (part == "*" || part == asked.subresource)
            })
    }

    fn is_in_scope(&self, asked: &Asked<'_>) -> bool {
        let is_namespace = (asked.group, asked.resource) == ("", "namespaces");
        let of_cluster = is_namespace || asked.namespace.is_empty();
        match self.scope.as_str() {
            "Namespaced" => !of_cluster,
            "Cluster" => of_cluster,
            _ => true,
        }
    }
}

fn has(items: &[String], wanted: &str) -> bool {
    items.iter().any(|item| item == "*" || item == wanted)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::json;

    const POD: Asked<'static> = Asked {
        operation: Operation::Create,
        group: "",
        version: "v1",
        resource: "pods",
        subresource: "",
        namespace: "default",
    };

    fn matches(resources: &[&str], scope: &str, asked: Asked<'_>) -> bool {
        let rules = json!([{
            "operations": ["CREATE"], "apiGroups": ["", "apps"], "apiVersions": ["*"], "resources": resources, "scope": scope,
        }]);
        Rule::all_of(&rules)[0].matches(&asked)
    }

    #[test]
    fn a_rule_matches_resources_and_subresources_by_name_or_wildcard() {
        assert!(matches(&["pods"], "*", POD) && matches(&["*"], "*", POD) && matches(&["*/*"], "*", POD));
        assert!(matches(&["pods/*"], "*", POD), "the wildcard also matches requests without a subresource");
        let status = Asked { subresource: "status", ..POD };
        assert!(!matches(&["pods"], "*", status) && !matches(&["*"], "*", status));
        assert!(matches(&["pods/status"], "*", status) && matches(&["*/status"], "*", status));
        assert!(!matches(&["pods"], "*", Asked { operation: Operation::Delete, ..POD }));
        assert!(!matches(&["pods"], "*", Asked { group: "batch", ..POD }));
    }

    #[test]
    fn a_namespace_is_cluster_scoped_although_the_request_has_its_name_as_namespace() {
        let home = Asked { resource: "namespaces", ..POD };
        assert!(matches(&["*"], "Cluster", home) && !matches(&["*"], "Namespaced", home));
        assert!(matches(&["*"], "Namespaced", POD) && !matches(&["*"], "Cluster", POD));
        assert!(matches(&["*"], "Cluster", Asked { namespace: "", ..POD }));
    }
}
