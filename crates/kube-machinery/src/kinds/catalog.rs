//! The catalog of the kinds that a cluster serves at one time: the built-in kinds, and those that its
//! CustomResourceDefinitions add. A request looks up its kind here, and discovery lists it. Each kind is a row, a
//! [`Resource`]. [`preference`] has the order in which clients prefer versions.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::sync::Arc;

use super::custom_resource::Definition;
use super::resource::{Dispatcher, Resource};
use super::served::{RESOURCES, served};

/// An immutable snapshot of the served kinds. A change of a definition makes a new catalog.
#[derive(Clone, Debug, Default)]
pub struct Catalog {
    /// The definitions by name, `plural.group`.
    custom: BTreeMap<String, Entry>,
}

/// A custom resource definition as the catalog last read it.
#[derive(Clone, Debug)]
struct Entry {
    /// The resourceVersion of the definition when it was read.
    revision: u64,
    /// `None` if the definition serves no kinds, for example before it is established.
    definition: Option<Arc<Definition>>,
}

impl Catalog {
    /// Returns a catalog that also has a definition, or has it in a new state.
    pub fn with(&self, name: &str, revision: u64, definition: Option<Arc<Definition>>) -> Self {
        let mut custom = self.custom.clone();
        custom.insert(name.to_owned(), Entry { revision, definition });
        Self { custom }
    }

    pub fn without(&self, name: &str) -> Self {
        let mut custom = self.custom.clone();
        custom.remove(name);
        Self { custom }
    }

    pub fn definition(&self, name: &str) -> Option<&Arc<Definition>> {
        self.custom.get(name)?.definition.as_ref()
    }

    /// Returns the resourceVersion of the definition that was last read under this name.
    pub fn revision(&self, name: &str) -> Option<u64> {
        self.custom.get(name).map(|entry| entry.revision)
    }

    /// Returns the definitions that serve kinds.
    fn established(&self) -> impl Iterator<Item = &Definition> {
        self.custom.values().filter_map(|entry| entry.definition.as_deref())
    }

    /// Returns the served kinds of all definitions.
    pub fn custom(&self) -> impl Iterator<Item = &Resource> {
        self.established().flat_map(|definition| &definition.served)
    }

    /// Returns true if the kind's definition is being deleted, and waits for the deletion of its objects.
    pub fn is_terminating(&self, kind: &Resource) -> bool {
        let definition = self.definition(&format!("{}.{}", kind.plural(), kind.group()));
        definition.is_some_and(|definition| definition.is_terminating())
    }

    /// Returns the names of all definitions.
    pub fn definitions(&self) -> impl Iterator<Item = String> + '_ {
        self.custom.keys().cloned()
    }

    /// Returns every served kind in every served version, as discovery lists them.
    pub fn served(&self) -> impl Iterator<Item = &Resource> {
        served().chain(self.custom())
    }

    /// Returns a kind in a version, served or not.
    pub fn in_version(&self, kind: &str, api_version: &str) -> Option<&Resource> {
        let unserved = self.established().flat_map(|definition| &definition.unserved);
        self.served().chain(unserved).find(|row| row.kind() == kind && row.api_version() == api_version)
    }

    /// Yields the storage version of every stored kind.
    pub fn stored(&self) -> impl Iterator<Item = &Resource> {
        RESOURCES.iter().chain(self.established().map(|definition| &definition.stored))
    }

    /// Returns the storage version of a kind; `None` if the kind is not defined.
    pub fn defined(&self, group: &str, plural: &str) -> Option<&Resource> {
        self.stored().find(|row| row.plural() == plural && row.group() == group)
    }

    /// Returns the row whose schema applies to an object that was written in `version`: the row of that version if it
    /// was a storage version before, otherwise the row of the current storage version.
    pub fn row_of(&self, group: &str, plural: &str, version: &str) -> Option<&Resource> {
        let row = self.defined(group, plural)?;
        let definition = self.established().find(|definition| definition.stored == *row);
        Some(definition.map_or(row, |definition| definition.of_stored_version(version)))
    }

    /// Returns the router of the requests for a group: that of custom resources if all kinds of the group are custom.
    pub fn dispatcher_of(&self, group: &str) -> Dispatcher {
        let is_built_in = served().any(|row| row.group() == group);
        if is_built_in { Dispatcher::GoRestful } else { Dispatcher::CrdHandler }
    }

    pub fn find(&self, group: &str, version: &str, plural: &str) -> Option<&Resource> {
        let matches = |row: &Resource| row.plural() == plural && row.group() == group && row.version() == version;
        self.served().find(|row| matches(row))
    }
}

/// Orders versions as clients prefer them: `v2`, `v1`, `v2beta1`, `v1alpha1`, then other names alphabetically.
/// Upstream: `version.CompareKubeAwareVersionStrings`.
pub fn preference(a: &str, b: &str) -> Ordering {
    parts(b).cmp(&parts(a)).then_with(|| a.cmp(b))
}

/// Splits a version into its stability (3 for stable, 2 for beta, 1 for alpha), its major and its minor number.
/// `v1beta2` is (2, 1, 2).
fn parts(version: &str) -> Option<(u8, u64, u64)> {
    let rest = version.strip_prefix('v')?;
    let number =
        |text: &str| text.parse::<u64>().ok().filter(|_| text.starts_with(|first: char| matches!(first, '1'..='9')));
    if let Some(major) = number(rest) {
        return Some((3, major, 0));
    }
    [("beta", 2), ("alpha", 1)].into_iter().find_map(|(word, stability)| {
        let (major, minor) = rest.split_once(word)?;
        Some((stability, number(major)?, number(minor)?))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_sorted_as_clients_prefer_them() {
        let mut versions =
            ["foo1", "v1alpha2", "v1", "v10beta3", "v2", "v11alpha2", "foo10", "v3beta1", "v12alpha1", "v10"];
        versions.sort_by(|a, b| preference(a, b));
        assert_eq!(
            versions,
            ["v10", "v2", "v1", "v10beta3", "v3beta1", "v12alpha1", "v11alpha2", "v1alpha2", "foo1", "foo10"]
        );
    }
}
