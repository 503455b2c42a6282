//! The response of a list.

use std::sync::Arc;

use axum::response::Response;
use http::StatusCode;
use serde::Serialize;

use super::continue_token::ContinueToken;
use crate::http::status;
use crate::kinds::Resource;
use crate::store::filter::Filter;
use crate::store::object::{Key, Object};
use crate::store::watch_cache::WatchCache;

/// The objects of one page, and where the list continues.
#[derive(Debug)]
pub(crate) struct Page {
    pub(crate) objects: Vec<Arc<Object>>,
    /// The revision of the state that the objects come from.
    revision: u64,
    next: Option<ContinueToken>,
    remaining: Option<usize>,
}

/// The range of keys that a list asks for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Range<'a> {
    pub(crate) filter: &'a Filter,
    pub(crate) limit: Option<usize>,
    /// The least key, relative to the collection.
    pub(crate) start: &'a str,
}

impl Range<'_> {
    /// The least key.
    pub(crate) fn first(&self) -> Key {
        Key::from_start(format!("{}{}", self.filter.range().1, self.start))
    }

    /// The page of a state. `objects` must be in key order and begin with the first key.
    pub(crate) fn page<'o>(&self, objects: impl Iterator<Item = &'o Arc<Object>>, revision: u64) -> Page {
        let (_, prefix) = self.filter.range();
        let limit = self.limit.unwrap_or(usize::MAX);
        let mut range = objects.take_while(|object| object.key.as_str().starts_with(&prefix));
        let mut objects: Vec<Arc<Object>> = Vec::new();
        while objects.len() < limit
            && let Some(object) = range.next()
        {
            if self.filter.matches(object) {
                objects.push(object.clone());
            }
        }
        let (mut next, mut remaining) = (None, None);
        if let (true, Some(last)) = (objects.len() == limit, objects.last()) {
            let left = range.count();
            if left > 0 {
                let key = last.key.as_str();
                next = Some(ContinueToken::after(revision, key.strip_prefix(&prefix).unwrap_or(key)));
                remaining = (!self.filter.selects()).then_some(left);
            }
        }
        Page { objects, revision, next, remaining }
    }
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
    /// The list as a response. Its items have no kind and no apiVersion, as upstream.
    pub(crate) fn answer(&self, resource: &Resource) -> Response {
        let metadata = ListMeta {
            resource_version: self.revision.to_string(),
            r#continue: self.next.as_ref().map(ContinueToken::encode),
            remaining_item_count: self.remaining,
        };
        let metadata = serde_json::to_string(&metadata).expect("list metadata is plain text");
        let items = || self.objects.iter().map(|object| object.item());
        let mut body = Vec::with_capacity(items().map(|item| item.len() + 2).sum::<usize>() + 256);
        let (kind, api_version) = (resource.kind, resource.api_version());
        let head = format!(r#"{{"kind":"{kind}List","apiVersion":"{api_version}","metadata":{metadata},"items":["#);
        body.extend_from_slice(head.as_bytes());
        for (i, item) in items().enumerate() {
            body.extend_from_slice(if i == 0 { b"{" } else { b",{" });
            body.extend_from_slice(item);
        }
        body.extend_from_slice(b"]}");
        status::json(StatusCode::OK, body)
    }

    /// A list of the watch cache's current state; never paged.
    pub(crate) fn cached(cache: &WatchCache, filter: &Filter) -> Self {
        Self { objects: cache.snapshot(filter), revision: cache.version(), next: None, remaining: None }
    }
}
