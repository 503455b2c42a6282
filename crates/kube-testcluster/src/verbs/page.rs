//! A page of a list: collects its objects, the token for the next page and the number of remaining objects.

use std::sync::Arc;

use super::continue_token::ContinueToken;
use crate::http::answer::{Answer, List};
use crate::store::filter::Filter;
use crate::store::object::{Key, Object};
use crate::store::watch_cache::WatchCache;
use kube_machinery::kinds::Resource;
use kube_machinery::value::json;

/// The objects of one page, and where the list continues.
#[derive(Debug)]
pub(crate) struct Page {
    pub(crate) objects: Vec<Arc<Object>>,
    /// The revision of the state that the objects come from.
    pub(crate) revision: u64,
    next: Option<ContinueToken>,
    /// The number of objects of the collection after this page, including ones that the selectors exclude.
    remaining: usize,
    /// True if no selector excludes objects, so `remaining` is the remaining item count.
    is_whole: bool,
}

/// The objects that a page may hold: those that the filter selects, at most `limit`, from a key on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Range<'a> {
    pub(crate) filter: &'a Filter,
    pub(crate) limit: Option<usize>,
    /// The least key, relative to the collection.
    pub(crate) start: &'a str,
}

impl Range<'_> {
    /// Returns the key from which the page collects objects.
    pub(crate) fn first(&self) -> Key {
        Key::from_start(format!("{}{}", self.filter.range().1, self.start))
    }

    /// Collects a page. `objects` must be in key order and begin with the first key. `count` is their number within the
    /// collection, if an earlier page has counted them.
    pub(crate) fn page<'o>(
        &self,
        objects: impl Iterator<Item = &'o Arc<Object>>,
        revision: u64,
        count: Option<usize>,
    ) -> Page {
        let (_, prefix) = self.filter.range();
        let limit = self.limit.unwrap_or(usize::MAX);
        let mut range =
            objects.take_while(|object| object.key.as_str().starts_with(&prefix)).inspect(|_| count_visit());
        let (mut objects, mut visited): (Vec<Arc<Object>>, usize) = (Vec::new(), 0);
        while objects.len() < limit
            && let Some(object) = range.next()
        {
            visited += 1;
            if self.filter.matches(object) {
                objects.push(object.clone());
            }
        }
        let (mut next, mut remaining) = (None, 0);
        if let (true, Some(last)) = (objects.len() == limit, objects.last()) {
            remaining = count.map_or_else(|| range.count(), |count| count.saturating_sub(visited));
            if remaining > 0 {
                next = Some(after(last, revision, &prefix));
            }
        }
        Page { objects, revision, next, remaining, is_whole: !self.filter.selects() }
    }
}

/// Returns the token for the page after an object of the collection.
fn after(last: &Object, revision: u64, prefix: &str) -> ContinueToken {
    let key = last.key.as_str();
    ContinueToken::after(revision, key.strip_prefix(prefix).unwrap_or(key))
}

impl Page {
    /// Returns the same page with the objects that were selected after conversion, at most `most` of them.
    pub(super) fn of_selected(self, mut objects: Vec<Arc<Object>>, most: usize, filter: &Filter) -> Self {
        let is_cut = objects.len() > most;
        objects.truncate(most);
        let next = match objects.last().filter(|_| is_cut) {
            Some(last) => Some(after(last, self.revision, &filter.range().1)),
            None => self.next,
        };
        Self { objects, next, is_whole: false, ..self }
    }

    /// Returns the start of the next page, relative to the collection, and the number of objects from there on.
    pub(crate) fn next(&self) -> Option<(&str, usize)> {
        self.next.as_ref().map(|token| (token.start.as_str(), self.remaining))
    }
}

#[cfg(test)]
thread_local! {
    /// The number of objects that this thread's lists have visited, for tests that measure work.
    pub(crate) static VISITED: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

fn count_visit() {
    #[cfg(test)]
    VISITED.with(|visited| visited.set(visited.get() + 1));
}

impl Page {
    /// Returns the response with the page as a list of the resource.
    pub(crate) fn answer(self, resource: &Resource) -> Answer {
        let mut metadata = json!({"resourceVersion": self.revision.to_string()});
        // Upstream's list of custom resources has an empty token even without a next page.
        let token = self.next.as_ref().map(ContinueToken::encode);
        if let Some(token) = token.or_else(|| resource.is_unstructured().then(String::new)) {
            metadata["continue"] = token.into();
        }
        if self.is_whole && self.next.is_some() {
            metadata["remainingItemCount"] = json!(self.remaining);
        }
        Answer::list(List { resource: resource.clone(), metadata, objects: self.objects })
    }

    /// Returns a list of the watch cache's current state, which is never paged.
    pub(crate) fn cached(cache: &WatchCache, filter: &Filter) -> Self {
        Self { objects: cache.snapshot(filter), revision: cache.version(), next: None, remaining: 0, is_whole: true }
    }
}
