//! Compares the rules that a user has (owned rules) with the rules of the role that the user wants to grant (wanted
//! rules, see `escalation.rs`), and returns the missing rules for the error message.
//!
//! Several owned rules together may cover one wanted rule. So wanted rules are broken down into pieces: one verb on one
//! resource or path, perhaps of one name. Upstream:
//! `k8s.io/component-helpers/auth/rbac/validation/policy_comparator.go`, and
//! `pkg/registry/rbac/validation/policy_compact.go`.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use super::policy_rule::{PolicyRule, covers_path};

/// The most pieces that are checked one by one. A rule with three long lists would have billions.
const MOST_PIECES: usize = 10_000;

/// Returns the pieces of `wanted` that `owned` does not cover. A rule that would exceed [`MOST_PIECES`] is not broken
/// down: one owned rule must cover it.
pub(super) fn uncovered(owned: &[PolicyRule], wanted: &[PolicyRule]) -> Vec<PolicyRule> {
    let is_covered = |piece: &PolicyRule| owned.iter().any(|rule| rule_covers(rule, piece));
    let (mut uncovered, mut pieces_left) = (Vec::new(), MOST_PIECES);
    for rule in wanted {
        match pieces_left.checked_sub(piece_count(rule)) {
            Some(fewer) => {
                pieces_left = fewer;
                uncovered.extend(pieces(rule).into_iter().filter(|piece| !is_covered(piece)));
            }
            None if is_covered(rule) => {}
            None => uncovered.push(rule.clone()),
        }
    }
    uncovered
}

/// Returns the number of pieces of a rule, without making them.
fn piece_count(rule: &PolicyRule) -> usize {
    let names = rule.resource_names.len().max(1);
    let of_a_verb = rule.api_groups.len().saturating_mul(rule.resources.len()).saturating_mul(names);
    rule.verbs.len().saturating_mul(of_a_verb.saturating_add(rule.non_resource_urls.len()))
}

/// Merges pieces of the same resource and name into one rule with several verbs, to shorten the error message. The
/// rules are in the order of their first pieces.
pub(super) fn compact(pieces: Vec<PolicyRule>) -> Vec<PolicyRule> {
    let mut compact: Vec<PolicyRule> = Vec::new();
    let mut places = HashMap::new();
    for mut piece in pieces {
        let of = (piece.api_groups.clone(), piece.resources.clone(), piece.resource_names.clone());
        match places.entry(of) {
            Entry::Occupied(place) if piece.non_resource_urls.is_empty() => {
                let rule: &mut PolicyRule = &mut compact[*place.get()];
                rule.verbs.append(&mut piece.verbs);
            }
            Entry::Vacant(place) if piece.non_resource_urls.is_empty() => {
                place.insert(compact.len());
                compact.push(piece);
            }
            _ => compact.push(piece), // a piece about a path is not merged
        }
    }
    compact
}

/// Breaks a rule down into its pieces. Upstream: `BreakdownRule`.
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

/// Returns true if a rule covers a piece. Upstream: `ruleCovers`.
fn rule_covers(owned: &PolicyRule, piece: &PolicyRule) -> bool {
    let has = |list: &[String], text: &String| list.contains(text);
    let covers = |owned: &[String], wanted: &[String]| {
        owned.iter().any(|item| item == "*") || wanted.iter().all(|text| has(owned, text))
    };
    // An owned `*/scale` covers `deployments/scale`.
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
