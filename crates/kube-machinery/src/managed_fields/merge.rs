//! The rules of server-side apply: which manager owns which fields after a write, which conflicts an apply has, and
//! which fields it removes because its configuration no longer has them. `field_manager.rs` applies these rules at
//! every write.
//!
//! A manager's fields are in the version that it wrote, so objects are converted to that version for a comparison.
//!
//! Upstream: `merge/update.go`, `merge/conflict.go`, `fieldpath/managers.go`.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt::Debug;

use super::fieldpath::{Filter, Path, Set};
use super::typed::{Comparison, TypedValue};
use super::value;

/// The fields that a manager owns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct VersionedSet {
    pub(crate) set: Set,
    /// The version that the fields are in.
    pub(crate) api_version: String,
    /// True if the manager applied the fields; false if it wrote them otherwise.
    pub(crate) applied: bool,
}

/// The fields that each manager owns, by the manager's identity.
pub(crate) type ManagedFields = BTreeMap<String, VersionedSet>;

/// A field that another manager owns with another value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Conflict {
    pub(crate) manager: String,
    pub(crate) path: Path,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// The conflicts, by manager.
    Conflicts(Vec<Conflict>),
    Other(String),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotConverted {
    /// The version is no longer served. Managers lose the fields that they own in it.
    MissingVersion(String),
    Failed(String),
}

/// Converts objects between the versions of a kind.
pub trait Converter: Debug {
    /// # Errors
    /// If there is no such version, or if the object cannot be converted to it.
    fn convert<'v>(&self, object: &'v TypedValue, version: &str) -> Result<Cow<'v, TypedValue>, NotConverted>;
}

/// Decides if an apply takes over fields that other managers own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Force {
    Yes,
    No,
}

/// Computes the ownership after a write.
#[derive(Debug)]
pub(crate) struct Updater<'a> {
    pub(crate) converter: &'a dyn Converter,
    /// The filters of fields whose ownership is not tracked, by version.
    pub(crate) ignore: BTreeMap<String, Filter>,
}

/// Returns a converted object, or `None` if the version no longer exists.
fn unless_missing_version<T>(converted: Result<T, NotConverted>, what: &str) -> Result<Option<T>, Refusal> {
    match converted {
        Ok(converted) => Ok(Some(converted)),
        Err(NotConverted::MissingVersion(_)) => Ok(None),
        Err(NotConverted::Failed(why)) => Err(Refusal::Other(format!("{what}: {why}"))),
    }
}

/// Returns a function that makes a refusal from errors about a value.
fn failure(what: &str) -> impl Fn(super::typed::ValidationErrors) -> Refusal + '_ {
    move |why| Refusal::Other(format!("{what}: {why}"))
}

impl Updater<'_> {
    /// Computes the ownership after a create, an update or a patch: the manager owns the fields that were changed.
    ///
    /// # Errors
    /// If the objects do not fit their type.
    pub(crate) fn update(
        &self,
        live: &TypedValue,
        new: &TypedValue,
        version: &str,
        managers: ManagedFields,
        manager: &str,
    ) -> Result<ManagedFields, Refusal> {
        let managers = self.reconcile_with_schema(live, managers)?;
        // Forced, because an update has no conflicts: it takes over the fields that it changes.
        let (mut managers, compared) = self.take_changed_fields(live, new, version, managers, manager, Force::Yes)?;
        let owned = managers.remove(manager).map(|owned| owned.set).unwrap_or_default();
        let set = owned.difference(&compared.removed).union(&compared.modified).union(&compared.added);
        let set = self.without_ignored(set, version);
        if !set.is_empty() {
            let owned = VersionedSet { set, api_version: version.to_owned(), applied: false };
            managers.insert(manager.to_owned(), owned);
        }
        Ok(managers)
    }

    /// Applies a configuration: merges it, removes fields that only the last configuration had, and computes the
    /// ownership. Returns the object, or `None` if nothing in it has changed, and the ownership.
    ///
    /// # Errors
    /// Conflicts, or upstream's message about a value that does not fit its type.
    pub(crate) fn apply(
        &self,
        live: &TypedValue,
        config: &TypedValue,
        version: &str,
        managers: ManagedFields,
        manager: &str,
        force: Force,
    ) -> Result<(Option<TypedValue>, ManagedFields), Refusal> {
        let mut managers = self.reconcile_with_schema(live, managers)?;
        let merged = live.merge(config).map_err(failure("failed to merge config"))?;
        let set = config.to_field_set().map_err(failure("failed to get field set"))?;
        let owned =
            VersionedSet { set: self.without_ignored(set, version), api_version: version.to_owned(), applied: true };
        let last = managers.insert(manager.to_owned(), owned);
        let new = match last {
            Some(last) if !last.set.is_empty() => {
                self.prune(merged, &managers, version, &last).map_err(|refusal| match refusal {
                    Refusal::Other(why) => Refusal::Other(format!("failed to prune fields: {why}")),
                    conflicts @ Refusal::Conflicts(_) => conflicts,
                })?
            }
            _ => merged,
        };
        let (managers, _) = self.take_changed_fields(live, &new, version, managers, manager, force)?;
        Ok((Some(new).filter(|new| !value::equals(&live.value, &new.value)), managers))
    }

    fn without_ignored(&self, set: Set, version: &str) -> Set {
        self.ignore.get(version).map_or(set.clone(), |filter| filter.filter(&set))
    }

    /// Compares two states of an object, and takes the changed fields away from the other managers. Upstream:
    /// `Updater.update`.
    fn take_changed_fields(
        &self,
        old: &TypedValue,
        new: &TypedValue,
        version: &str,
        mut managers: ManagedFields,
        manager: &str,
        force: Force,
    ) -> Result<(ManagedFields, Comparison), Refusal> {
        let compare = |old: &TypedValue, new: &TypedValue, version: &str| {
            let compared = old.compare(new).map_err(failure("failed to compare objects"))?;
            Ok(compared.filtered(self.ignore.get(version)))
        };
        // The comparison in each version that a manager has fields in.
        let mut versions = BTreeMap::from([(version.to_owned(), compare(old, new, version)?)]);
        let (mut conflicts, mut removed) = (BTreeMap::new(), BTreeMap::new());
        let names: Vec<String> = managers.keys().filter(|name| *name != manager).cloned().collect();
        for name in names {
            let Some(owned) = managers.get(&name) else { continue };
            let owned_version = &owned.api_version;
            if !versions.contains_key(owned_version) {
                let old =
                    unless_missing_version(self.converter.convert(old, owned_version), "failed to convert old object")?;
                let new =
                    unless_missing_version(self.converter.convert(new, owned_version), "failed to convert new object")?;
                // The version is no longer served, so the manager's fields are forgotten.
                let (Some(old), Some(new)) = (old, new) else {
                    managers.remove(&name);
                    continue;
                };
                versions.insert(owned_version.clone(), compare(&old, &new, owned_version)?);
            }
            let Some(compared) = versions.get(owned_version) else { continue };
            let conflict = owned.set.intersection(&compared.modified.union(&compared.added));
            if !conflict.is_empty() {
                conflicts.insert(name.clone(), conflict);
            }
            if !compared.removed.is_empty() {
                removed.insert(name, compared.removed.clone());
            }
        }
        if force == Force::No && !conflicts.is_empty() {
            return Err(Refusal::Conflicts(conflict_list(&conflicts)));
        }
        for (name, lost) in conflicts.iter().chain(&removed) {
            if let Some(owned) = managers.get_mut(name) {
                owned.set = owned.set.difference(lost);
            }
        }
        managers.retain(|_, owned| !owned.set.is_empty());
        let compared = versions.remove(version).unwrap_or_default();
        Ok((managers, compared))
    }

    /// Removes the fields that the manager applied last time (`last`), does not apply now, and that no other manager
    /// owns. Removing an item removes everything inside of it, so fields that must stay are added back. Upstream:
    /// `prune`.
    fn prune(
        &self,
        merged: TypedValue,
        managers: &ManagedFields,
        version: &str,
        last: &VersionedSet,
    ) -> Result<TypedValue, Refusal> {
        let converted = self.converter.convert(&merged, &last.api_version);
        let what = "failed to convert merged object to last applied version";
        let Some(converted) = unless_missing_version(converted, what)? else { return Ok(merged) };
        let converted = converted.into_owned();
        let pruned = converted.remove_items(&with_named_fields(&last.set, &converted));
        let pruned = self
            .add_back_owned_items(&converted, pruned, &last.api_version, managers)
            .map_err(in_adding_back("owned"))?;
        let pruned = self.add_back_dangling_items(&converted, pruned, last).map_err(in_adding_back("dangling"))?;
        self.converter.convert(&pruned, version).map(Cow::into_owned).map_err(|error| match error {
            NotConverted::MissingVersion(why) | NotConverted::Failed(why) => Refusal::Other(why),
        })
    }

    /// Adds back the pruned items that another manager owns, beginning with those in the version of the pruned
    /// object: a conversion may need them. Upstream: `addBackOwnedItems`.
    fn add_back_owned_items(
        &self,
        merged: &TypedValue,
        mut pruned: TypedValue,
        version: &str,
        managers: &ManagedFields,
    ) -> Result<TypedValue, Refusal> {
        let mut merged = merged.clone();
        let mut versions: BTreeMap<&str, Set> = BTreeMap::new();
        for owned in managers.values() {
            let set = versions.entry(&owned.api_version).or_default();
            *set = set.union(&owned.set);
        }
        let first = versions.remove_entry(version);
        for (version, owned) in first.into_iter().chain(versions) {
            let what = format!("failed to convert merged object at version {version}");
            let Some(converted) = unless_missing_version(self.converter.convert(&merged, version), &what)? else {
                continue;
            };
            merged = converted.into_owned();
            let what = format!("failed to convert pruned object at version {version}");
            let Some(converted) = unless_missing_version(self.converter.convert(&pruned, version), &what)? else {
                continue;
            };
            let set = |of: &TypedValue, name: &str| {
                let what = format!("failed to create field set from {name} object at version {version}");
                Ok(with_named_fields(&of.to_field_set().map_err(failure(&what))?, &merged))
            };
            // Keep the fields that the pruned object has and those that managers own; remove all others again.
            let kept = set(&converted, "pruned")?.union(&with_named_fields(&owned, &merged));
            pruned = merged.remove_items(&set(&merged, "merged")?.difference(&kept));
        }
        Ok(pruned)
    }

    /// Adds back the pruned items that the manager did not own: items without an owner stay.
    /// Upstream: `addBackDanglingItems`.
    fn add_back_dangling_items(
        &self,
        merged: &TypedValue,
        pruned: TypedValue,
        last: &VersionedSet,
    ) -> Result<TypedValue, Refusal> {
        let converted = self.converter.convert(&pruned, &last.api_version);
        let what = "failed to convert pruned object to last applied version";
        let Some(converted) = unless_missing_version(converted, what)? else { return Ok(merged.clone()) };
        let set = |of: &TypedValue, name: &str| {
            let what = format!("failed to create field set from {name} object in last applied version");
            Ok(with_named_fields(&of.to_field_set().map_err(failure(&what))?, merged))
        };
        let lost = set(merged, "merged")?.difference(&set(&converted, "pruned")?);
        Ok(merged.remove_items(&lost.intersection(&with_named_fields(&last.set, merged))))
    }

    /// Adapts the ownership to changes of the schema. Upstream: `reconcileManagedFieldsWithSchemaChanges`.
    fn reconcile_with_schema(&self, live: &TypedValue, managers: ManagedFields) -> Result<ManagedFields, Refusal> {
        let mut reconciled = ManagedFields::new();
        for (name, mut owned) in managers {
            let converted = match self.converter.convert(live, &owned.api_version) {
                Ok(converted) => converted,
                Err(NotConverted::MissingVersion(_)) => continue,
                Err(NotConverted::Failed(why)) => return Err(Refusal::Other(why)),
            };
            let what = "errors reconciling field set with schema";
            if let Some(set) = converted.reconcile(&owned.set).map_err(failure(what))? {
                owned.set = set;
            }
            reconciled.insert(name, owned);
        }
        Ok(reconciled)
    }
}

/// Adds to a set the declared fields that are above its members. The type of `of` declares the fields.
fn with_named_fields(set: &Set, of: &TypedValue) -> Set {
    set.ensure_named_fields_are_members(&of.of.schema, &of.of.reference)
}

/// Adds to an error that it occurred when items were added back.
fn in_adding_back(items: &'static str) -> impl Fn(Refusal) -> Refusal {
    move |refusal| match refusal {
        Refusal::Other(why) => Refusal::Other(format!("failed add back {items} items: {why}")),
        conflicts @ Refusal::Conflicts(_) => conflicts,
    }
}

fn conflict_list(conflicts: &BTreeMap<String, Set>) -> Vec<Conflict> {
    let of_manager = |(manager, set): (&String, &Set)| {
        let manager = manager.clone();
        set.paths().into_iter().map(move |path| Conflict { manager: manager.clone(), path })
    };
    conflicts.iter().flat_map(of_manager).collect()
}
