//! GET of a collection.

use std::sync::Arc;

use axum::response::Response;
use bytes::Bytes;
use http::StatusCode;
use serde::Serialize;

use super::{Call, watch};
use crate::cluster::continue_token::ContinueToken;
use crate::cluster::era::Era;
use crate::cluster::field_selector::Fields;
use crate::cluster::filter::Filter;
use crate::cluster::object::{Key, Object};
use crate::cluster::options::{ListOptions, resource_version};
use crate::cluster::resource::Resource;
use crate::cluster::status::{self, ApiError};
use crate::cluster::store::Store;
use crate::cluster::watch_cache::WatchCache;
use crate::selector::BadSelector;

/// One path, two verbs.
pub(crate) async fn list_or_watch(call: Call) -> Result<Response, ApiError> {
    let Call { store, target, query, .. } = call;
    let mut options = ListOptions::parse(&query)?;
    options.watch |= target.watch;
    options.validate(store.settings.era)?;
    let filter = filter(target.resource, target.namespace, &options)?;
    if options.watch {
        return watch::watch(&store, target.resource, filter, &options);
    }
    let page = list(&store, target.resource, &filter, &options).await?;
    Ok(page.answer(target.resource))
}

/// The namespace and the selectors of a request.
pub(crate) fn filter(
    resource: &Resource,
    namespace: Option<String>,
    options: &ListOptions,
) -> Result<Filter, ApiError> {
    let bad_selector = |error: BadSelector| ApiError::bad_request(error.to_string());
    let labels = options.label_selector.parse().map_err(bad_selector)?;
    let fields = Fields::parse(&options.field_selector, resource).map_err(ApiError::bad_request)?;
    Ok(Filter { namespace, labels, fields })
}

/// What a list answers.
#[derive(Debug)]
pub(crate) struct Page {
    pub(crate) objects: Vec<Arc<Object>>,
    /// Of the state that the objects were taken from.
    revision: u64,
    next: Option<ContinueToken>,
    remaining: Option<usize>,
}

/// The state that a list is to be taken from.
enum Source {
    /// What the watch cache has; never paged.
    Cache,
    /// The same, once it is as new as storage.
    FreshCache,
    /// Now.
    Latest,
    /// Now, but a page that starts here.
    LatestFrom(String),
    /// This revision, and this page of it.
    At(u64, String),
}

async fn list(
    store: &Store,
    resource: &'static Resource,
    filter: &Filter,
    options: &ListOptions,
) -> Result<Page, ApiError> {
    let cached = |cache: &mut WatchCache| {
        let (objects, revision) = (cache.snapshot(filter), cache.version());
        Ok(Page { objects, revision, next: None, remaining: None })
    };
    match source(store, options).await? {
        Source::Cache => cached(store.lock().cache(resource)),
        Source::FreshCache => cached(store.lock().fresh_cache(resource)),
        Source::Latest => page(store, resource, filter, options, None, String::new()),
        Source::LatestFrom(start) => page(store, resource, filter, options, None, start),
        Source::At(revision, start) => page(store, resource, filter, options, Some(revision), start),
    }
}

/// Reads resourceVersion, resourceVersionMatch, limit and continue together, and waits for a revision still to come.
async fn source(store: &Store, options: &ListOptions) -> Result<Source, ApiError> {
    let version = resource_version(&options.resource_version)
        .map_err(|error| ApiError::bad_request(format!("invalid resource version: {error}")))?;
    if !options.continue_token.is_empty() {
        let token = ContinueToken::decode(&options.continue_token).map_err(ApiError::bad_request)?;
        if version.is_some_and(|version| version != 0) {
            return Err(ApiError::bad_request("specifying resource version is not allowed when using continue"));
        }
        let Some(revision) = token.revision else { return Ok(Source::LatestFrom(token.start)) };
        store.wait_for(revision).await?;
        return Ok(Source::At(revision, token.start));
    }
    let exact = match options.resource_version_match.as_str() {
        "" => options.limit.is_some(),
        matching => matching == "Exact",
    };
    match version {
        None => Ok(Source::Latest),
        Some(0) => Ok(Source::Cache),
        Some(version) => {
            store.wait_for(version).await?;
            // Up to 1.26 a list not older than a revision came from the unordered cache, unless it was paged.
            let cached = store.settings.era == Era::Classic && options.limit.is_none();
            if exact {
                return Ok(Source::At(version, String::new()));
            }
            Ok(if cached { Source::FreshCache } else { Source::Latest })
        }
    }
}

/// A page in key order: of now, or of an earlier state.
fn page(
    store: &Store,
    resource: &'static Resource,
    filter: &Filter,
    options: &ListOptions,
    at: Option<u64>,
    start: String,
) -> Result<Page, ApiError> {
    let mut state = store.lock();
    state.fresh_cache(resource); // a consistent read moves the cache on
    let revision = at.unwrap_or(state.storage.revision());
    let prefix = filter.namespace.as_ref().map(|namespace| format!("{namespace}/")).unwrap_or_default();
    let first = Key::from_start(format!("{prefix}{start}"));
    let mut range = state
        .storage
        .range(resource, first, at)
        .map_err(|_| expired(options, &start))?
        .take_while(|object| object.key.as_str().starts_with(&prefix));
    let limit = options.limit.unwrap_or(usize::MAX);
    let mut objects: Vec<Arc<Object>> = Vec::new();
    while objects.len() < limit
        && let Some(object) = range.next()
    {
        if filter.matches(object) {
            objects.push(object.clone());
        }
    }
    let (mut next, mut remaining) = (None, None);
    if let (true, Some(last)) = (objects.len() == limit, objects.last()) {
        let left = range.count();
        if left > 0 {
            let key = last.key.as_str();
            next = Some(ContinueToken::after(revision, key.strip_prefix(&prefix).unwrap_or(key)));
            remaining = (!filter.selects()).then_some(left);
        }
    }
    Ok(Page { objects, revision, next, remaining })
}

/// An expired page comes with a token to go on with what is there now.
fn expired(options: &ListOptions, start: &str) -> ApiError {
    if options.continue_token.is_empty() {
        ApiError::expired("The resourceVersion for the provided list is too old.")
    } else {
        ApiError::expired_page(ContinueToken { revision: None, start: start.to_owned() }.encode())
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Metadata {
    resource_version: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    r#continue: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    remaining_item_count: Option<usize>,
}

impl Page {
    /// The list object; its items, whose encoding is shared, have no kind and no apiVersion.
    pub(crate) fn answer(&self, resource: &Resource) -> Response {
        let metadata = Metadata {
            resource_version: self.revision.to_string(),
            r#continue: self.next.as_ref().map(ContinueToken::encode),
            remaining_item_count: self.remaining,
        };
        let metadata = serde_json::to_string(&metadata).expect("list metadata is plain text");
        let items: Vec<Bytes> = self.objects.iter().map(|object| object.item()).collect();
        let mut body = Vec::with_capacity(items.iter().map(|item| item.len() + 2).sum::<usize>() + 256);
        let (kind, api_version) = (resource.kind, resource.api_version());
        let head = format!(r#"{{"kind":"{kind}List","apiVersion":"{api_version}","metadata":{metadata},"items":["#);
        body.extend_from_slice(head.as_bytes());
        for (i, item) in items.iter().enumerate() {
            body.extend_from_slice(if i == 0 { b"{" } else { b",{" });
            body.extend_from_slice(item);
        }
        body.extend_from_slice(b"]}");
        status::json(StatusCode::OK, body)
    }

    /// All objects of a filter as they are now.
    pub(crate) fn everything(
        store: &Store,
        resource: &'static Resource,
        filter: &Filter,
        options: &ListOptions,
    ) -> Result<Self, ApiError> {
        page(store, resource, filter, options, None, String::new())
    }
}
