//! Accepts the names that a custom resource definition asks for (plural, singular, kind, short names), unless another
//! definition of its group has them: two kinds of one name could not be told apart in a request. A definition is served
//! only once its names are accepted. Upstream: `NamingConditionController`.

use std::collections::BTreeSet;

use super::others_of_group;
use crate::http::status::ApiError;
use crate::store::object::{Key, Opened};
use crate::store::{Commit, Next, Store};
use crate::verbs::ownership::{Component, written_by};
use kube_machinery::conventions::aggregate::aggregate;
use kube_machinery::kinds::custom_resource::{is_condition_true, set_condition};
use kube_machinery::kinds::{CUSTOM_RESOURCE_DEFINITIONS, Subresource};
use kube_machinery::value::{Array, Value, json};

/// The effect of a sync on other definitions: after `NamesReleased`, the caller syncs them too, because they may get
/// names that were taken before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SyncEffect {
    NamesKept,
    NamesReleased,
}

/// The names of one or several definitions. Plurals, singulars and short names share one space, kinds have another.
#[derive(Default)]
struct NameSet {
    resources: BTreeSet<String>,
    kinds: BTreeSet<String>,
}

/// Accepts the names that a definition asks for, except those that are taken.
pub(super) async fn sync(store: &Store, key: &Key) -> Result<SyncEffect, ApiError> {
    let now = store.clock.now();
    let mut effect = SyncEffect::NamesKept;
    store
        .update(CUSTOM_RESOURCE_DEFINITIONS, key, Commit::Really, |crd: &Opened| {
            let (requested, had) = (&crd.value["spec"]["names"], &crd.value["status"]["acceptedNames"]);
            if are_equal(requested, had) {
                return Ok::<_, ApiError>(Next::Keep); // as upstream, without a look at the conditions
            }
            let next = with_accepted(&crd.value, &taken_by_others(store, key.name()), &now);
            let (mut before, mut after) = (NameSet::default(), NameSet::default());
            before.add(had);
            after.add(&next["status"]["acceptedNames"]);
            let releases = !before.resources.is_subset(&after.resources) || !before.kinds.is_subset(&after.kinds);
            effect = if releases { SyncEffect::NamesReleased } else { SyncEffect::NamesKept };
            Ok(Next::Put(written_by(Component::SERVER, store, crd, Some(Subresource::Status), next)))
        })
        .await?;
    Ok(effect)
}

/// Returns true if a definition has the names that it asks for. An empty list equals a missing one.
fn are_equal(requested: &Value, had: &Value) -> bool {
    ["plural", "singular", "kind", "listKind"].iter().all(|field| requested[field] == had[field])
        && ["shortNames", "categories"].iter().all(|field| list(requested, field) == list(had, field))
}

fn list(names: &Value, field: &str) -> Array {
    names[field].as_array().cloned().unwrap_or_default()
}

/// Returns the names that the other definitions of the group have.
fn taken_by_others(store: &Store, name: &str) -> NameSet {
    let mut taken = NameSet::default();
    for other in others_of_group(store, name) {
        let crd = store.get(CUSTOM_RESOURCE_DEFINITIONS, &Key::new(None, &other));
        if let Some(crd) = crd.and_then(|crd| crd.open().ok()) {
            taken.add(&crd.value["status"]["acceptedNames"]);
        }
    }
    taken
}

impl NameSet {
    fn add(&mut self, names: &Value) {
        let short = names["shortNames"].as_array().into_iter().flatten();
        let resources = [&names["plural"], &names["singular"]].into_iter().chain(short);
        self.resources
            .extend(resources.filter_map(Value::as_str).filter(|name| !name.is_empty()).map(ToOwned::to_owned));
        let kinds = [&names["kind"], &names["listKind"]].into_iter();
        self.kinds.extend(kinds.filter_map(Value::as_str).filter(|name| !name.is_empty()).map(ToOwned::to_owned));
    }
}

/// Returns the definition with the names that it gets, and the conditions about them. Upstream:
/// `calculateNamesAndConditions`.
fn with_accepted(crd: &Value, taken: &NameSet, now: &str) -> Value {
    let fields = [
        ("plural", "PluralConflict", &taken.resources),
        ("singular", "SingularConflict", &taken.resources),
        ("kind", "KindConflict", &taken.kinds),
        ("listKind", "ListKindConflict", &taken.kinds),
    ];
    let requested = &crd["spec"]["names"];
    let mut names = crd["status"]["acceptedNames"].clone();
    let mut conflict: Option<(&str, String)> = None;
    for (field, reason, taken_names) in fields {
        match requested[field].as_str().unwrap_or_default() {
            name if names[field] != name && taken_names.contains(name) => conflict = Some((reason, in_use(name))),
            name => names[field] = json!(name),
        }
        // As upstream, the short names come right after the singular. The order matters, because only the last conflict
        // is reported.
        if field == "singular" {
            match check_short_names(requested, &names, taken) {
                Ok(()) => set_list(&mut names, requested, "shortNames"),
                Err(why) => conflict = Some(("ShortNamesConflict", why)),
            }
        }
    }
    set_list(&mut names, requested, "categories");
    let mut next = crd.clone();
    next["status"]["acceptedNames"] = names;
    let is_established = is_condition_true(crd, "Established");
    match conflict {
        Some((reason, why)) => {
            set_condition(&mut next, "NamesAccepted", false, reason, &why, now);
            if !is_established {
                set_condition(&mut next, "Established", false, "NotAccepted", "not all names are accepted", now);
            }
        }
        None => {
            set_condition(&mut next, "NamesAccepted", true, "NoConflicts", "no conflicts found", now);
            if !is_established {
                let message = "the initial names have been accepted";
                set_condition(&mut next, "Established", false, "Installing", message, now);
            }
        }
    }
    next
}

/// Returns an error if other definitions have a short name that this definition asks for and does not have yet.
fn check_short_names(requested: &Value, accepted: &Value, taken: &NameSet) -> Result<(), String> {
    let (requested, own) = (list(requested, "shortNames"), list(accepted, "shortNames"));
    let conflicts = requested
        .iter()
        .filter(|name| !own.contains(name))
        .filter_map(Value::as_str)
        .filter(|name| taken.resources.contains(*name))
        .map(in_use);
    aggregate(conflicts).map_or(Ok(()), Err)
}

fn set_list(names: &mut Value, requested: &Value, field: &str) {
    match (requested.get(field), names.as_object_mut()) {
        (Some(list), Some(names)) => drop(names.insert(field.into(), list.clone())),
        (None, Some(names)) => drop(names.remove(field)),
        (_, None) => {}
    }
}

fn in_use(name: &str) -> String {
    format!("{name:?} is already in use")
}
