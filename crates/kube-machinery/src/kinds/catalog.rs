//! The kinds that a cluster serves: those of the table, and those that its custom resource definitions add.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use super::custom_resource::Definition;
use super::resource::Resource;
use super::served::{RESOURCES, served};

/// What is served at a moment. It never changes; a definition makes a new one.
#[derive(Clone, Debug, Default)]
pub struct Catalog {
    /// By the name of the definition.
    custom: BTreeMap<String, Entry>,
}

/// What was read of a definition.
#[derive(Clone, Copy, Debug)]
struct Entry {
    /// Of the write that was read.
    revision: u64,
    /// `None` if it adds no kinds yet.
    definition: Option<&'static Definition>,
}

impl Catalog {
    /// The catalog with what a write to a definition says.
    pub fn with(&self, name: &str, revision: u64, definition: Option<&'static Definition>) -> Self {
        let mut custom = self.custom.clone();
        custom.insert(name.to_owned(), Entry { revision, definition });
        Self { custom }
    }

    /// The catalog without a definition.
    pub fn without(&self, name: &str) -> Self {
        let mut custom = self.custom.clone();
        custom.remove(name);
        Self { custom }
    }

    pub fn definition(&self, name: &str) -> Option<&'static Definition> {
        self.custom.get(name)?.definition
    }

    /// The revision at which a definition was read.
    pub fn revision(&self, name: &str) -> Option<u64> {
        self.custom.get(name).map(|entry| entry.revision)
    }

    fn rows(&self) -> impl Iterator<Item = &'static Definition> + '_ {
        self.custom.values().filter_map(|entry| entry.definition)
    }

    /// The custom resources that are served.
    pub fn custom(&self) -> impl Iterator<Item = &'static Resource> + '_ {
        self.rows().flat_map(|definition| definition.served.iter().copied())
    }

    /// Whether the definition of a kind is being deleted, and waits for its objects.
    pub fn is_terminating(&self, kind: &Resource) -> bool {
        let definition = self.definition(&format!("{}.{}", kind.plural, kind.group));
        definition.and_then(|definition| definition.stored.custom).is_some_and(|custom| custom.is_terminating)
    }

    /// The names of the definitions that were read.
    pub fn definitions(&self) -> impl Iterator<Item = String> + '_ {
        self.custom.keys().cloned()
    }

    /// Every kind in discovery.
    pub fn served(&self) -> impl Iterator<Item = &'static Resource> + '_ {
        served().chain(self.custom())
    }

    /// Every kind that is stored, in the form in which it is stored.
    pub fn stored(&self) -> impl Iterator<Item = &'static Resource> + '_ {
        RESOURCES.iter().chain(self.rows().map(|definition| definition.stored))
    }

    /// The stored form of a kind; `None` if the kind is not defined.
    pub fn defined(&self, group: &str, plural: &str) -> Option<&'static Resource> {
        self.stored().find(|row| row.plural == plural && row.group == group)
    }

    /// The row in whose form an object of a kind is kept that was written in a version.
    pub fn row_of(&self, group: &str, plural: &str, version: &str) -> Option<&'static Resource> {
        let row = self.defined(group, plural)?;
        let definition = self.rows().find(|definition| definition.stored == row);
        Some(definition.map_or(row, |definition| definition.keeps(version)))
    }

    /// The row of a path.
    pub fn find(&self, group: &str, version: &str, plural: &str) -> Option<&'static Resource> {
        let is_meant = |row: &Resource| row.plural == plural && row.group == group && row.version == version;
        self.served().find(|row| is_meant(row))
    }
}

/// The order in which clients prefer versions: `v2`, `v1`, `v2beta1`, `v1alpha1`, then others by name. Upstream:
/// `version.CompareKubeAwareVersionStrings`.
pub fn preference(a: &str, b: &str) -> Ordering {
    parts(b).cmp(&parts(a)).then_with(|| a.cmp(b))
}

/// How stable a version is, its number, and the number of the test version.
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
    fn versions_stand_in_the_order_in_which_clients_prefer_them() {
        let mut versions =
            ["foo1", "v1alpha2", "v1", "v10beta3", "v2", "v11alpha2", "foo10", "v3beta1", "v12alpha1", "v10"];
        versions.sort_by(|a, b| preference(a, b));
        assert_eq!(
            versions,
            ["v10", "v2", "v1", "v10beta3", "v3beta1", "v12alpha1", "v11alpha2", "v1alpha2", "foo1", "foo10"]
        );
    }
}
