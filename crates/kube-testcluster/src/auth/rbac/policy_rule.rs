//! One rule of a Role or ClusterRole: parses it, decides if it allows a request, and prints it for reviews and error
//! messages. Upstream: `pkg/apis/rbac/v1/evaluation_helpers.go`, `plugin/pkg/auth/authorizer/rbac/rbac.go`.

use crate::auth::attributes::{Attributes, ResourceAttributes};
use kube_machinery::conventions::quote::quote_list;
use kube_machinery::value::{Map, Value, json};

const ALL: &str = "*";

/// One rule of a role: verbs on resources, or on paths.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct PolicyRule {
    pub(super) verbs: Vec<String>,
    pub(super) api_groups: Vec<String>,
    pub(super) resources: Vec<String>,
    pub(super) resource_names: Vec<String>,
    pub(super) non_resource_urls: Vec<String>,
}

impl PolicyRule {
    pub(crate) fn all_of(role: &Value) -> Vec<Self> {
        role["rules"].as_array().into_iter().flatten().map(Self::read).collect()
    }

    fn read(rule: &Value) -> Self {
        let texts = |field: &str| {
            let items = rule[field].as_array().into_iter().flatten();
            items.filter_map(Value::as_str).map(ToOwned::to_owned).collect()
        };
        Self {
            verbs: texts("verbs"),
            api_groups: texts("apiGroups"),
            resources: texts("resources"),
            resource_names: texts("resourceNames"),
            non_resource_urls: texts("nonResourceURLs"),
        }
    }

    /// Returns the two rules that allow everything: all resources and all paths.
    pub(crate) fn everything() -> [Self; 2] {
        let all = || vec![ALL.to_owned()];
        [
            Self { verbs: all(), api_groups: all(), resources: all(), ..Self::default() },
            Self { verbs: all(), non_resource_urls: all(), ..Self::default() },
        ]
    }

    /// Upstream: `RuleAllows`.
    pub(crate) fn allows(&self, attributes: &Attributes) -> bool {
        let has = |list: &[String], text: &str| list.iter().any(|item| item == ALL || item == text);
        match attributes {
            Attributes::Path { verb, path } => {
                has(&self.verbs, verb) && self.non_resource_urls.iter().any(|url| url == ALL || covers_path(url, path))
            }
            Attributes::Resource(attributes) => {
                has(&self.verbs, &attributes.verb)
                    && has(&self.api_groups, &attributes.group)
                    && self.resources.iter().any(|resource| is_of(resource, attributes))
                    && (self.resource_names.is_empty() || self.resource_names.contains(&attributes.name))
            }
        }
    }

    /// Returns the rule as in `SelfSubjectRulesReview`: a part for resources, and a part for paths.
    pub(crate) fn review_entries(&self) -> (Option<Value>, Option<Value>) {
        let entry = |lists: &[(&str, &Vec<String>)]| {
            let lists = lists.iter().filter(|(_, list)| !list.is_empty());
            let mut fields: Map = lists.map(|(name, list)| ((*name).to_owned(), json!(list))).collect();
            fields.insert("verbs".into(), json!(self.verbs));
            Value::Object(fields)
        };
        let of_resources =
            [("apiGroups", &self.api_groups), ("resources", &self.resources), ("resourceNames", &self.resource_names)];
        let resources = (!self.resources.is_empty()).then(|| entry(&of_resources));
        let paths =
            (!self.non_resource_urls.is_empty()).then(|| entry(&[("nonResourceURLs", &self.non_resource_urls)]));
        (resources, paths)
    }

    /// Formats the rule in one line. Upstream: `CompactString`.
    pub(super) fn shown(&self) -> String {
        let lists = [
            ("APIGroups", &self.api_groups),
            ("Resources", &self.resources),
            ("NonResourceURLs", &self.non_resource_urls),
            ("ResourceNames", &self.resource_names),
            ("Verbs", &self.verbs),
        ];
        let lists = lists.into_iter().filter(|(_, list)| !list.is_empty());
        let fields: Vec<String> = lists.map(|(name, list)| format!("{name}:{}", quote_list(list))).collect();
        format!("{{{}}}", fields.join(", "))
    }
}

/// Returns true if a path is the one in a rule, or begins with a rule's path that ends with `*`.
pub(super) fn covers_path(url: &str, path: &str) -> bool {
    url == path || url.ends_with('*') && path.starts_with(url.trim_end_matches('*'))
}

/// Returns true if a rule's resource matches. `*/scale` matches this subresource of every resource. Upstream:
/// `ResourceMatches`.
fn is_of(rule: &str, attributes: &ResourceAttributes) -> bool {
    let ResourceAttributes { resource, subresource, .. } = attributes;
    if subresource.is_empty() {
        return rule == ALL || rule == resource;
    }
    rule == ALL
        || rule.strip_prefix("*/") == Some(subresource.as_str())
        || rule.strip_prefix(resource.as_str()).and_then(|rest| rest.strip_prefix('/')) == Some(subresource.as_str())
}
