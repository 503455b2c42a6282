//! The controller of aggregated cluster roles: a role with an `aggregationRule` gets the rules of all roles that its
//! selectors match. So a new role can extend `admin` or `view` by a label. Upstream:
//! `pkg/controller/clusterroleaggregation`.

use crate::http::status::ApiError;
use crate::store::filter::Filter;
use crate::store::object::{Key, Opened};
use crate::store::{Commit, Next, Store};
use crate::verbs::list::everything;
use kube_machinery::conventions::label_selector;
use kube_machinery::kinds::CLUSTER_ROLES;
use kube_machinery::value::{Array, Value, json};

/// Returns true if a cluster role gets its rules from other roles.
pub(crate) fn is_aggregated(role: &Value) -> bool {
    role["aggregationRule"].is_object()
}

/// Returns the rules that an aggregated role should have: those of the other roles that its selectors match, ordered by
/// selector and name, without duplicates.
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

/// Writes the rules of an aggregated role, unless they are up to date. A change of any cluster role queues this work.
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
