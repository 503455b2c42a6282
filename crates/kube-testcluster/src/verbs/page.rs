//! A page of a list: collects its objects, the token for the next page and the number of remaining objects, and encodes
//! it as a response, piece by piece while it is sent.

use std::sync::Arc;
use std::vec;

use axum::response::Response;
use bytes::Bytes;
use futures::stream;
use http::StatusCode;
use serde::Serialize;

use super::continue_token::ContinueToken;
use crate::http::sized_body::{PIECE, sized_body};
use crate::http::status;
use crate::store::filter::Filter;
use crate::store::object::{Key, Object};
use crate::store::watch_cache::WatchCache;
use kube_machinery::kinds::Resource;

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

#[derive(Clone, Copy, Debug)]
pub(crate) struct Range<'a> {
    pub(crate) filter: &'a Filter,
    pub(crate) limit: Option<usize>,
    /// The least key, relative to the collection.
    pub(crate) start: &'a str,
}

impl Range<'_> {
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

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ListMeta {
    resource_version: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    r#continue: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    remaining_item_count: Option<usize>,
}

impl Page {
    /// Returns the list as a response. It is written while it is sent, because a list of a large cluster is as large as
    /// the cluster.
    pub(crate) fn answer(self, resource: &Resource) -> Response {
        let next = self.next.as_ref().map(ContinueToken::encode);
        let metadata = ListMeta {
            resource_version: self.revision.to_string(),
            // Upstream's list of custom resources has an empty token even without a next page.
            r#continue: next.or_else(|| resource.custom.as_ref().map(|_| String::new())),
            remaining_item_count: self.next.as_ref().filter(|_| self.is_whole).map(|_| self.remaining),
        };
        let metadata = serde_json::to_string(&metadata).expect("list metadata is plain text");
        let (kind, api_version) = (resource.list_kind(), resource.api_version());
        let head = format!(r#"{{"kind":"{kind}","apiVersion":"{api_version}","metadata":{metadata},"items":["#);
        let text = ListText::new(head, self.objects);
        let body = sized_body(text.remaining as u64, stream::iter(text.map(Ok)));
        status::answer(StatusCode::OK, "application/json", body)
    }

    /// Returns a list of the watch cache's current state, which is never paged.
    pub(crate) fn cached(cache: &WatchCache, filter: &Filter) -> Self {
        Self { objects: cache.snapshot(filter), revision: cache.version(), next: None, remaining: 0, is_whole: true }
    }
}

/// The text of a list, generated in pieces.
struct ListText {
    /// The beginning of the next piece: the head of the list for the first one, and empty for the rest. `None` after
    /// the end.
    begun: Option<Vec<u8>>,
    /// The objects that are not written yet.
    objects: vec::IntoIter<Arc<Object>>,
    /// The number of bytes that are not written yet.
    remaining: usize,
}

/// The text after the items.
const END: &[u8] = b"]}\n";

impl ListText {
    fn new(head: String, objects: Vec<Arc<Object>>) -> Self {
        let items: usize = objects.iter().map(|object| "{".len() + object.item_length()).sum();
        let commas = objects.len().saturating_sub(1);
        let remaining = head.len() + items + commas + END.len();
        Self { begun: Some(head.into_bytes()), objects: objects.into_iter(), remaining }
    }

    /// Returns the most bytes that the next object takes, with its brace and comma.
    fn next_length(&self) -> usize {
        self.objects.as_slice().first().map_or(0, |object| object.length())
    }
}

impl Iterator for ListText {
    type Item = Bytes;

    fn next(&mut self) -> Option<Bytes> {
        let mut piece = self.begun.take()?;
        let most = PIECE.max(piece.len() + self.next_length()); // an object longer than a piece gets its own piece
        piece.reserve_exact(most.min(self.remaining) - piece.len());
        while piece.len() + self.next_length() <= most
            && let Some(object) = self.objects.next()
        {
            piece.push(b'{');
            piece.extend_from_slice(&object.item());
            if self.objects.len() > 0 {
                piece.push(b',');
            }
        }
        if self.objects.len() > 0 {
            self.begun = Some(Vec::new());
        } else {
            piece.extend_from_slice(END);
        }
        self.remaining = self.remaining.saturating_sub(piece.len());
        Some(piece.into())
    }
}
