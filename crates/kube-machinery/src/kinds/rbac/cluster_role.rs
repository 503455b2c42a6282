//! The ClusterRole kind, a set of permissions in the whole cluster. A role with an aggregation rule gets the
//! permissions of all roles that the rule's selectors match. Upstream: `pkg/apis/rbac`.

use crate::conventions::cause::Cause;
use crate::conventions::causes::Causes;
use crate::conventions::label_selector;
use crate::kinds::columns;
use crate::kinds::core::pod;
use crate::kinds::fields::items;
use crate::kinds::metadata::UpdatedMetadata;
use crate::kinds::names::NameRule;
use crate::kinds::registry::TableConvertor;
use crate::kinds::resource::{ResourceRow, Scope, Strategy};
use crate::value::Value;

/// The kind's row in the table of kinds (`kinds::served`).
pub(in crate::kinds) const ROW: ResourceRow = ResourceRow {
    group: super::GROUP,
    plural: "clusterroles",
    singular: "clusterrole",
    kind: "ClusterRole",
    storage_hash: "bYE5ZWDrJ44=",
    scope: Scope::Cluster,
    name_rule: NameRule::PathSegment,
    strategy: Strategy::CREATED_ON_UPDATE,
    validate,
    columns: columns::simple::DEFAULT,
    table_convertor: TableConvertor::Default,
    updated_metadata: UpdatedMetadata::Whole,
    ..ResourceRow::USUAL
};

/// Upstream: `ValidateClusterRole`.
fn validate(new: &Value, _old: Option<&Value>) -> Causes {
    const AT: &str = "aggregationRule.clusterRoleSelectors";
    let rule = &new["aggregationRule"];
    let selectors = items(rule, "clusterRoleSelectors");
    let mut causes = super::rules::rules(new, super::rules::Reach::Cluster);
    if rule.is_object() && selectors.is_empty() {
        causes.push(Cause::required(AT, "at least one clusterRoleSelector required if aggregationRule is non-nil"));
    }
    for (i, selector) in selectors.iter().enumerate() {
        let at = format_args!("{AT}[{i}]");
        // As upstream, an invalid selector has the causes of its parts, and one more because it cannot be parsed.
        causes.extend(pod::label_selector(selector, &at));
        if label_selector::read(selector).is_err() {
            // Upstream prints the parsed selector, which is nil.
            causes.push(Cause::invalid_as(at, "null", "invalid label selector."));
        }
    }
    causes
}
