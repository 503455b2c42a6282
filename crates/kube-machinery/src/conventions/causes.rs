//! The list of causes that validation returns. It has a limit, because a request of a few megabytes can be wrong in a
//! million places, and the response names each of them twice: as a cause and in the message. Upstream has no limit:
//! `field.ErrorList`.

use std::collections::HashSet;
use std::iter::Chain;
use std::ops::Deref;
use std::option;
use std::vec;

use super::cause::Cause;
use super::field::Path;

/// The largest size of the causes in one response, in bytes of their texts. The causes beyond it are only counted, and
/// the last cause of the list has their number.
pub const MOST_BYTES_OF_CAUSES: usize = 256 * 1024;

/// A list of causes in the order in which validation finds them. A cause is added as long as the
/// texts are below [`MOST_BYTES_OF_CAUSES`], so they can exceed it by one cause.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Causes {
    list: Vec<Cause>,
    /// The size of the texts in `list`.
    bytes: usize,
    /// The number of causes that are only counted.
    more: usize,
}

impl Causes {
    pub const fn new() -> Self {
        Self { list: Vec::new(), bytes: 0, more: 0 }
    }

    pub fn push(&mut self, cause: Cause) {
        if let Some(more) = cause.stands_for() {
            self.more += more; // it is the last cause of another list, which says how many more there are
        } else if self.is_full() {
            self.more += 1;
        } else {
            self.bytes += cause.size();
            self.list.push(cause);
        }
    }

    /// Adds a cause for the field at this path. `cause` makes it from the path, which is not formatted for a full list:
    /// a path can be as long as the request.
    pub(crate) fn add(&mut self, at: &Path<'_>, cause: impl FnOnce(String) -> Cause) {
        if self.is_full() { self.more += 1 } else { self.push(cause(at.to_string())) }
    }

    /// Inserts a cause at a position of the list, even into a full one.
    pub(crate) fn insert(&mut self, at: usize, cause: Cause) {
        self.bytes += cause.size();
        self.list.insert(at.min(self.list.len()), cause);
    }

    /// Returns true if further causes are only counted.
    pub fn is_full(&self) -> bool {
        self.bytes >= MOST_BYTES_OF_CAUSES
    }

    /// Keeps the first causes only.
    pub(crate) fn truncate(&mut self, most: usize) {
        *self = std::mem::take(self).into_iter().take(most).collect();
    }

    /// Removes duplicates, as upstream's `field.ErrorList.Filter` removes equal errors.
    pub(crate) fn distinct(self) -> Self {
        let mut seen = HashSet::new();
        self.into_iter().filter(|cause| seen.insert(cause.clone())).collect()
    }

    /// Removes the causes that another list has too. Upstream matches the type, the field and the origin of an error. A
    /// cause has no origin, so this function compares whole causes. It removes less: a cause with another message stays.
    /// Upstream: `FilterCoveredHandwrittenErrors`.
    pub(crate) fn without(self, others: &Self) -> Self {
        let others: HashSet<&Cause> = others.iter().collect();
        self.into_iter().filter(|cause| !others.contains(cause)).collect()
    }
}

/// The causes of the list, without the number of those beyond it.
impl Deref for Causes {
    type Target = [Cause];

    fn deref(&self) -> &[Cause] {
        &self.list
    }
}

/// The causes of the list, and one that says how many more there are.
impl IntoIterator for Causes {
    type Item = Cause;
    type IntoIter = Chain<vec::IntoIter<Cause>, option::IntoIter<Cause>>;

    fn into_iter(self) -> Self::IntoIter {
        self.list.into_iter().chain((self.more > 0).then(|| Cause::and_more(self.more)))
    }
}

impl Extend<Cause> for Causes {
    fn extend<T: IntoIterator<Item = Cause>>(&mut self, causes: T) {
        causes.into_iter().for_each(|cause| self.push(cause));
    }
}

impl FromIterator<Cause> for Causes {
    fn from_iter<T: IntoIterator<Item = Cause>>(causes: T) -> Self {
        let mut list = Self::new();
        list.extend(causes);
        list
    }
}

impl<const N: usize> From<[Cause; N]> for Causes {
    fn from(causes: [Cause; N]) -> Self {
        causes.into_iter().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wrong(n: usize) -> Cause {
        Cause::invalid(format_args!("spec.list[{n}]"), "x", "must be y")
    }

    #[test]
    fn the_causes_beyond_the_limit_are_counted() {
        let causes: Causes = (0..50_000).map(wrong).collect();
        assert!(causes.is_full() && causes.bytes < MOST_BYTES_OF_CAUSES + 100);
        let shown = causes.len();
        let whole: Causes = [wrong(0)].into_iter().chain(causes.clone()).chain(causes).collect();
        assert_eq!(whole.len(), shown);
        let last = whole.into_iter().last().map(|cause| cause.sentence());
        assert_eq!(last, Some(format!("and {} more", 100_001 - shown)));
    }

    #[test]
    fn a_path_is_not_formatted_for_a_full_list() {
        let mut causes: Causes = (0..10_000).map(wrong).collect();
        let before = causes.more;
        causes.add(&Path::Root("spec"), |_| panic!("the path was formatted"));
        assert_eq!(causes.more, before + 1);
    }

    #[test]
    fn equal_causes_are_one() {
        let causes: Causes = [0, 1, 0].map(wrong).into();
        assert_eq!(causes.distinct(), Causes::from([0, 1].map(wrong)));
    }

    #[test]
    fn the_causes_of_another_list_are_removed() {
        let causes: Causes = [0, 1, 2, 1].map(wrong).into();
        assert_eq!(causes.without(&[1, 3].map(wrong).into()), Causes::from([0, 2].map(wrong)));
    }
}
