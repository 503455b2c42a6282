//! The resources whose objects a quota tracks.

use std::collections::BTreeSet;

use super::evaluator::ALIASES;
use super::{claims, pods, services};
use crate::value::Value;

/// Returns the group and the plural of each resource that a limit in the spec of a quota names: `count/jobs.batch` is
/// `("batch", "jobs")`, and `requests.cpu` is `("", "pods")`.
pub fn tracked_resources(quota: &Value) -> BTreeSet<(String, String)> {
    let hard = quota["spec"]["hard"].as_object().into_iter().flatten();
    let resources = hard.filter_map(|(name, _)| tracked(name));
    resources.map(|(group, plural)| (group.to_owned(), plural.to_owned())).collect()
}

fn tracked(name: &str) -> Option<(&str, &str)> {
    match name {
        name if pods::tracks(name) => Some(("", "pods")),
        name if services::tracks(name) => Some(("", "services")),
        name if claims::tracks(name) => Some(("", "persistentvolumeclaims")),
        name if ALIASES.contains(&name) => Some(("", name)),
        name => {
            let resource = name.strip_prefix("count/")?;
            let (plural, group) = resource.split_once('.').unwrap_or((resource, ""));
            Some((group, plural))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::json;

    #[test]
    fn each_limit_names_a_resource() {
        let hard = json!({
            "count/jobs.batch": "1", "count/nodes": "1", "requests.cpu": "1", "requests.example.com/gpu": "1",
            "secrets": "1", "services.nodeports": "1", "requests.storage": "1", "other": "1",
        });
        let resources = tracked_resources(&json!({"spec": {"hard": hard}}));
        let names: Vec<String> = resources.iter().map(|(group, plural)| format!("{plural}.{group}")).collect();
        assert_eq!(names, ["nodes.", "persistentvolumeclaims.", "pods.", "secrets.", "services.", "jobs.batch"]);
    }
}
