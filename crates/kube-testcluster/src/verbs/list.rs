//! GET of a collection: a list (or a watch, which `watch.rs` answers). `list_plan.rs` decides where the objects come
//! from, and this file reads a page of them. It also lists the objects for the deletion of a collection.

use super::continue_token::ContinueToken;
use super::conversion::Conversion;
use super::list_options::ListOptions;
use super::list_plan::{ListScope, Plan, WantedState, plan};
use super::page::{Page, Range};
use super::selection::Selection;
use super::{Call, conversion, watch};
use crate::http::answer::Answer;
use crate::http::status::ApiError;
use crate::settings::Era;
use crate::store::Requester;
use crate::store::ServedFrom;
use crate::store::Store;
use crate::store::filter::Filter;
use crate::store::object::Key;
use kube_informers::selector::{BadSelector, FieldSelector, LabelSelector};
use kube_machinery::kinds::Resource;
use kube_machinery::kinds::field_selector::Fields;

/// Answers a list or a watch. They have the same path; the query tells them apart.
pub(crate) async fn list_or_watch(call: Call) -> Result<Answer, ApiError> {
    let Call { store, target, query, request } = call;
    let versions = Conversion::from(&target);
    let mut options = ListOptions::parse(&query)?;
    let requested = options.watch;
    let requester = Requester::of(request.extensions());
    let selectors = Selectors::parse(&options)?;
    let streams_lists = streams_lists(&store, &options, &target.resource, requester);
    options.set_defaults(streams_lists);
    options.validate(streams_lists)?;
    options.watch |= target.watch; // as upstream, `/watch/` in the path does not count in the validation
    let mut filter = selectors.filter(&target.served, target.namespace)?;
    // The old `/watch/` path may name an object.
    match &target.name {
        Some(name) if filter.fields.is_empty() => filter.fields = Fields::named(name),
        Some(name) if filter.fields.name() != Some(name) => {
            return Err(ApiError::bad_request("fieldSelector metadata.name doesn't match requested name"));
        }
        _ => {}
    }
    let selection = versions.take_selection(&mut filter);
    if options.watch {
        let era = if target.watch && !requested { Era::Classic } else { store.settings.era };
        let events = watch::watch(&store, &target.resource, filter, &options, requester, era)?;
        let events = conversion::of_events(&store, &versions, selection, events);
        return Ok(Answer::events(events).served_from(watch::served_from(&target.resource)));
    }
    let plan = plan(&store, &target.resource, scope(&target.resource, &filter, &options), &options)?;
    let from = plan.from;
    let plan = match wait_for_state(&store, &target.resource, plan).await {
        Ok(plan) => plan,
        Err(error) => return Ok(Answer::from(error).served_from(from)),
    };
    if scope(&target.resource, &filter, &options) == ListScope::Single {
        options.limit = None; // upstream gets the one object, so there are no pages
    }
    let page = list_selected(&store, &target.resource, &filter, selection.as_ref(), options, &plan).await;
    Ok(Answer::from(page.map(|page| page.answer(&target.resource))).served_from(plan.from))
}

/// Returns true if the server streams a list to this request. A fault may refuse that to clients.
fn streams_lists(store: &Store, options: &ListOptions, resource: &Resource, requester: Requester) -> bool {
    let requested = options.watch && options.send_initial_events.is_some();
    let is_exempt = !requested || requester == Requester::Cluster;
    store.settings.streams_lists() && (is_exempt || !store.faults.refuses_watch_list(resource))
}

/// The parsed selectors of a request. Upstream parses them before it validates the options, and checks the fields
/// against the kind afterwards.
pub(super) struct Selectors {
    labels: LabelSelector,
    fields: FieldSelector,
}

impl Selectors {
    pub(super) fn parse(options: &ListOptions) -> Result<Self, ApiError> {
        let bad_selector = |error: BadSelector| ApiError::bad_request(error.to_string());
        let labels = options.label_selector.parse().map_err(bad_selector)?;
        let fields = options.field_selector.parse().map_err(bad_selector)?;
        Ok(Self { labels, fields })
    }

    pub(super) fn filter(self, resource: &Resource, namespace: Option<String>) -> Result<Filter, ApiError> {
        let fields = Fields::of(&self.fields, resource).map_err(ApiError::bad_request)?;
        Ok(Filter { namespace, labels: self.labels, fields, needs_previous: false })
    }
}

/// Returns the extent of a list. As upstream, a continued list always counts as a range.
fn scope(resource: &Resource, filter: &Filter, options: &ListOptions) -> ListScope {
    if filter.only(resource).is_some() && options.continue_token.is_empty() {
        ListScope::Single
    } else {
        ListScope::Range
    }
}

/// Waits until the state is available. If the watch cache is too late for a consistent list, storage answers it.
async fn wait_for_state(store: &Store, resource: &Resource, plan: Plan) -> Result<Plan, ApiError> {
    let consistent = plan.wanted == WantedState::NotOlderThan(0);
    let revision = match plan.wanted {
        WantedState::NotOlderThan(0) => store.lock().storage.revision(),
        WantedState::Exact(revision) | WantedState::NotOlderThan(revision) => revision,
        WantedState::Any => 0,
    };
    match store.wait_for(revision, resource, plan.from).await {
        Err(_) if consistent => Ok(Plan { from: ServedFrom::Storage, ..plan }),
        reached => Ok(reached.map(|()| plan)?),
    }
}

/// The most objects that upstream reads at once when few of the objects read so far are selected.
const MOST_AT_ONCE: usize = 10_000;

/// Returns a page of a list. If a selector applies only after conversion, the page may come out too small; then more
/// objects are read, twice as many each time.
async fn list_selected(
    store: &Store,
    resource: &Resource,
    filter: &Filter,
    selection: Option<&Selection>,
    mut options: ListOptions,
    plan: &Plan,
) -> Result<Page, ApiError> {
    let mut page = list(store, resource, filter, &options, plan)?;
    let Some(selection) = selection else { return Ok(page) };
    // `most` becomes the limit that the client asked for, because later rounds raise `options.limit`.
    let (mut found, mut most) = (Vec::new(), usize::MAX);
    loop {
        found.extend(selection.of(store, std::mem::take(&mut page.objects)).await?);
        let next = page.next().map(|(start, _)| start.to_owned()).zip(options.limit);
        let Some((start, read)) = next.filter(|(_, limit)| found.len() < most.min(*limit)) else {
            return Ok(page.of_selected(found, most, filter));
        };
        most = most.min(read);
        options.limit = Some(read.saturating_mul(2).min(MOST_AT_ONCE.max(read)));
        let plan = Plan { from: plan.from, wanted: WantedState::Exact(page.revision), start };
        page = list(store, resource, filter, &options, &plan)?;
        tokio::task::consume_budget().await;
    }
}

/// Reads one page, from the source that the plan names.
fn list(
    store: &Store,
    resource: &Resource,
    filter: &Filter,
    options: &ListOptions,
    plan: &Plan,
) -> Result<Page, ApiError> {
    // The watch cache cuts no list of version 0 into pages, not even a continued one. Upstream: `computeListLimit`.
    let has_pages = plan.from == ServedFrom::Storage || options.resource_version != "0";
    let range = Range { filter, limit: options.limit.filter(|_| has_pages), start: &plan.start };
    let mut state = store.lock();
    let prefix = filter.range().1;
    let page = match (plan.from, plan.wanted) {
        (ServedFrom::WatchCache, WantedState::Any) if range.limit.is_none() => {
            return Ok(Page::cached(state.cache(resource)?, filter));
        }
        (ServedFrom::WatchCache, WantedState::NotOlderThan(_)) if store.settings.era == Era::Classic => {
            return Ok(Page::cached(state.fresh_cache(resource)?, filter));
        }
        (ServedFrom::WatchCache, wanted) => {
            let cache = state.fresh_cache(resource)?; // a consistent read advances the cache
            let revision = if let WantedState::Exact(revision) = wanted { revision } else { cache.version() };
            let objects = cache.at(revision).ok_or_else(|| expired(options, &plan.start))?;
            let count = state.page_counts.get(resource, revision, &prefix, &range.first());
            range.page(objects.range(range.first()..).map(|(_, object)| object), revision, count)
        }
        (ServedFrom::Storage, wanted) => {
            let revision = if let WantedState::Exact(revision) = wanted { revision } else { state.storage.revision() };
            let count = state.page_counts.get(resource, revision, &prefix, &range.first());
            let objects = state.storage.range_at(resource, range.first(), revision);
            range.page(objects.map_err(|_| expired(options, &plan.start))?, revision, count)
        }
    };
    if let Some((start, count)) = page.next() {
        let first = Key::from_start(format!("{prefix}{start}"));
        state.page_counts.remember(resource, page.revision, &prefix, first, count);
    }
    Ok(page)
}

/// Returns the error for an expired list. If it was a page, the error has a token to continue with the current state.
fn expired(options: &ListOptions, start: &str) -> ApiError {
    if options.continue_token.is_empty() {
        ApiError::expired("The resourceVersion for the provided list is too old.")
    } else {
        ApiError::expired_page(ContinueToken { revision: None, start: start.to_owned() }.encode())
    }
}

/// The number of objects that upstream deletes before it lists more: `deleteCollectionPageSize`.
const DELETED_AT_ONCE: usize = 10_000;

/// Returns the objects for a collection deletion. Without a limit, upstream lists them in pages. This function lists
/// them all at once, but a resourceVersion has the meaning that it has for a page.
pub(crate) async fn to_delete(
    store: &Store,
    versions: Conversion,
    mut filter: Filter,
    mut options: ListOptions,
) -> Result<Page, ApiError> {
    let (resource, selection) = (&versions.stored, versions.take_selection(&mut filter));
    let filter = &filter;
    let scope = scope(resource, filter, &options);
    let limit = options.limit;
    options.limit = limit.or(Some(DELETED_AT_ONCE));
    let plan = plan(store, resource, scope, &options)?;
    let plan = wait_for_state(store, resource, plan).await?;
    options.limit = limit.filter(|_| scope == ListScope::Range);
    list_selected(store, resource, filter, selection.as_ref(), options, &plan).await
}

/// Returns all objects that match a filter in the current state.
pub(crate) fn everything(store: &Store, resource: &Resource, filter: &Filter) -> Page {
    let range = Range { filter, limit: None, start: "" };
    let state = store.lock();
    range.page(state.storage.range(resource, range.first()), state.storage.revision(), None)
}
