//! Remembers how many objects follow a page of a list: the `remainingItemCount` of the response. The first page counts
//! them by a walk over all objects after it; the next pages compute their counts from that one, without a walk.

use std::collections::{BTreeMap, VecDeque};

use super::object::Key;
use kube_machinery::kinds::{GroupResource, Resource};

/// The largest number of counts kept. Each paged list in progress needs one.
const MOST: usize = 1_024;

/// The start of a page: the kind, the revision, the prefix of all keys of the list, and the least key of the page.
type Start = (GroupResource, u64, String, Key);

/// The newest counts. The state at a revision never changes, so a count stays right.
#[derive(Debug, Default)]
pub(crate) struct PageCounts {
    counts: BTreeMap<Start, usize>,
    oldest_first: VecDeque<Start>,
}

impl PageCounts {
    pub(crate) fn get(&self, resource: &Resource, revision: u64, prefix: &str, first: &Key) -> Option<usize> {
        self.counts.get(&(resource.group_resource(), revision, prefix.to_owned(), first.clone())).copied()
    }

    pub(crate) fn remember(&mut self, resource: &Resource, revision: u64, prefix: &str, first: Key, count: usize) {
        let start = (resource.group_resource(), revision, prefix.to_owned(), first);
        if self.counts.insert(start.clone(), count).is_none() {
            self.oldest_first.push_back(start);
        }
        if self.oldest_first.len() > MOST
            && let Some(oldest) = self.oldest_first.pop_front()
        {
            self.counts.remove(&oldest);
        }
    }
}
