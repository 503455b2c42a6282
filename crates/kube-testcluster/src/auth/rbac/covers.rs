//! Whether rules allow all that other rules allow. Upstream: `k8s.io/component-helpers/auth/rbac/validation/policy_comparator.go`, and
//! `pkg/registry/rbac/validation/policy_compact.go`.

use super::policy_rule::{PolicyRule, covers_path};

/// What the rules of an owner do not cover, in the smallest pieces: one verb, one resource, one name.
pub(super) fn uncovered(owned: &[PolicyRule], wanted: &[PolicyRule]) -> Vec<PolicyRule> {
    let pieces = wanted.iter().flat_map(pieces);
    pieces.filter(|piece| !owned.iter().any(|rule| rule_covers(rule, piece))).collect()
}

/// Pieces of the same resource and name as one rule, in the order of their first.
pub(super) fn compact(pieces: Vec<PolicyRule>) -> Vec<PolicyRule> {
    let mut compact: Vec<PolicyRule> = Vec::new();
    for mut piece in pieces {
        let is_like = |rule: &&mut PolicyRule| {
            piece.non_resource_urls.is_empty()
                && (&rule.api_groups, &rule.resources, &rule.resource_names)
                    == (&piece.api_groups, &piece.resources, &piece.resource_names)
                && rule.non_resource_urls.is_empty()
        };
        match compact.iter_mut().find(is_like) {
            Some(rule) => rule.verbs.append(&mut piece.verbs),
            None => compact.push(piece),
        }
    }
    compact
}

/// Upstream: `BreakdownRule`.
fn pieces(rule: &PolicyRule) -> Vec<PolicyRule> {
    let mut pieces = Vec::new();
    for group in &rule.api_groups {
        for resource in &rule.resources {
            for verb in &rule.verbs {
                let piece = PolicyRule {
                    verbs: vec![verb.clone()],
                    api_groups: vec![group.clone()],
                    resources: vec![resource.clone()],
                    ..PolicyRule::default()
                };
                let named = |name: &String| PolicyRule { resource_names: vec![name.clone()], ..piece.clone() };
                match rule.resource_names.as_slice() {
                    [] => pieces.push(piece),
                    names => pieces.extend(names.iter().map(named)),
                }
            }
        }
    }
    for url in &rule.non_resource_urls {
        let of = |verb: &String| (vec![verb.clone()], vec![url.clone()]);
        let paths = rule.verbs.iter().map(of);
        pieces.extend(paths.map(|(verbs, non_resource_urls)| PolicyRule {
            verbs,
            non_resource_urls,
            ..PolicyRule::default()
        }));
    }
    pieces
}

/// Whether a rule covers a piece. Upstream: `ruleCovers`.
fn rule_covers(owned: &PolicyRule, piece: &PolicyRule) -> bool {
    let has = |list: &[String], text: &String| list.contains(text);
    let covers = |owned: &[String], wanted: &[String]| {
        owned.iter().any(|item| item == "*") || wanted.iter().all(|text| has(owned, text))
    };
    let part_of_all = |resource: &String| {
        let (_, part) = resource.split_once('/')?;
        Some(has(&owned.resources, &format!("*/{part}")))
    };
    let covers_resource = |resource: &String| has(&owned.resources, resource) || part_of_all(resource) == Some(true);
    let covers_url = |path: &String| owned.non_resource_urls.iter().any(|url| covers_path(url, path));
    let covers_names = || {
        let names = &piece.resource_names;
        owned.resource_names.is_empty()
            || !names.is_empty() && names.iter().all(|name| has(&owned.resource_names, name))
    };
    covers(&owned.verbs, &piece.verbs)
        && covers(&owned.api_groups, &piece.api_groups)
        && (has(&owned.resources, &"*".to_owned()) || piece.resources.iter().all(covers_resource))
        && covers_names()
        && piece.non_resource_urls.iter().all(covers_url)
}
