//! The controller of aggregated cluster roles: one with an `aggregationRule` has the rules of those that its selectors find. Upstream:
//! `pkg/controller/clusterroleaggregation`.

use crate::http::status::ApiError;
use crate::store::filter::Filter;
use crate::store::object::{Key, Opened};
use crate::store::{Commit, Next, Store};
use crate::verbs::list::everything;
use kube_machinery::conventions::label_selector;
use kube_machinery::kinds::CLUSTER_ROLES;
use kube_machinery::value::{Array, Value, json};

/// Whether a cluster role gets its rules from others.
pub(crate) fn is_aggregated(role: &Value) -> bool {
    role["aggregationRule"].is_object()
}

/// The rules that an aggregated role should have: those of the roles that each of its selectors finds, by name, each rule once.
///
/// # Errors
/// A stored role that cannot be read.
pub(crate) fn rules_of(store: &Store, role: &Value) -> Result<Vec<Value>, ApiError> {
    let selectors = role["aggregationRule"]["clusterRoleSelectors"].as_array();
    let mut rules = Vec::new();
    for selector in selectors.into_iter().flatten() {
        let labels = label_selector::read(selector).map_err(|error| ApiError::internal(error.to_string()))?;
        for found in everything(store, CLUSTER_ROLES, &Filter { labels, ..Filter::default() }).objects {
            if role["metadata"]["name"] == found.key.name() {
                continue;
            }
            for rule in found.open()?.value["rules"].as_array().into_iter().flatten() {
                if !rules.contains(rule) {
                    rules.push(rule.clone());
                }
            }
        }
    }
    Ok(rules)
}

/// Gives an aggregated role its rules, unless it has them.
pub(super) async fn aggregate(store: &Store, name: &str) -> Result<(), ApiError> {
    let key = Key::new(None, name);
    if store.get(CLUSTER_ROLES, &key).is_none() {
        return Ok(());
    }
    let changed = |current: &Opened| {
        if !is_aggregated(&current.value) {
            return Ok(Next::Keep);
        }
        let rules = rules_of(store, &current.value)?;
        if current.value["rules"].as_array().map_or(&[][..], Array::as_slice) == rules {
            return Ok::<_, ApiError>(Next::Keep);
        }
        let mut value = current.value.clone();
        value["rules"] = json!(rules);
        Ok(Next::Put(value))
    };
    store.update(CLUSTER_ROLES, &key, Commit::Really, changed).await.map(drop)
}
