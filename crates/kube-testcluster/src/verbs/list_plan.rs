//! Decides whether the watch cache or storage answers a list, and from which state (any, the current one, or an exact
//! revision). The rules of upstream differ between servers up to 1.26 (`Era::Classic`) and current ones. Upstream:
//! `shouldDelegateList`.

use super::continue_token::ContinueToken;
use super::list_options::{ListOptions, NOT_OLDER_THAN, resource_version};
use crate::http::status::ApiError;
use crate::settings::Era;
use crate::store::ServedFrom;
use crate::store::Store;
use kube_machinery::kinds::Resource;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WantedState {
    /// Any state that the watch cache has.
    Any,
    /// The current state, which must be at least this revision.
    NotOlderThan(u64),
    Exact(u64),
}

/// The source, the state and the first key of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Plan {
    pub(crate) from: ServedFrom,
    pub(crate) wanted: WantedState,
    /// The least key of the page, relative to the collection.
    pub(crate) start: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ListScope {
    /// One object, which the filter names.
    Single,
    /// All objects of a collection, or a page of them.
    Range,
}

pub(crate) fn plan(
    store: &Store,
    resource: &Resource,
    scope: ListScope,
    options: &ListOptions,
) -> Result<Plan, ApiError> {
    let (wanted, start) = wanted(scope, options)?;
    let needs_storage = match store.settings.era {
        _ if !resource.cached => true,
        Era::Classic => classic_needs_storage(options),
        Era::Modern => modern_needs_storage(store, resource, scope, options, wanted),
    };
    let from = if needs_storage { ServedFrom::Storage } else { ServedFrom::WatchCache };
    Ok(Plan { from, wanted, start })
}

/// Returns the state that a list asks for, and the start of the page.
fn wanted(scope: ListScope, options: &ListOptions) -> Result<(WantedState, String), ApiError> {
    if !options.continue_token.is_empty() {
        let token = ContinueToken::decode(&options.continue_token).map_err(ApiError::bad_request)?;
        if !matches!(options.resource_version.as_str(), "" | "0") {
            return Err(ApiError::bad_request("specifying resource version is not allowed when using continue"));
        }
        let wanted = token.revision.map_or(WantedState::NotOlderThan(0), WantedState::Exact);
        return Ok((wanted, token.start));
    }
    let version = resource_version(&options.resource_version)
        .map_err(|error| ApiError::bad_request(format!("invalid resource version: {error}")))?;
    let exact = match options.resource_version_match.as_str() {
        "" => options.limit.is_some() && scope == ListScope::Range,
        matching => matching == "Exact",
    };
    let wanted = match version {
        // Validation refuses this match without a version for a list. It lets a collection deletion with `watch=true`
        // pass, because it validates such a request as a watch.
        None if options.resource_version_match == NOT_OLDER_THAN => WantedState::Any,
        None => WantedState::NotOlderThan(0),
        Some(0) => WantedState::Any,
        Some(version) if exact => WantedState::Exact(version),
        Some(version) => WantedState::NotOlderThan(version),
    };
    Ok((wanted, String::new()))
}

/// Returns true if storage must answer. In servers up to 1.26 the watch cache has no pages and no earlier states, and
/// cannot know if it is up to date.
fn classic_needs_storage(options: &ListOptions) -> bool {
    let version = options.resource_version.as_str();
    let limited = options.limit.is_some() && version != "0";
    version.is_empty() || !options.continue_token.is_empty() || limited || options.resource_version_match == "Exact"
}

/// Returns true if storage must answer. In current servers the watch cache answers every list, except exact revisions
/// that it cannot go back to, and exact revisions of single objects. A future revision counts as
/// available in the cache, because the list waits for it.
fn modern_needs_storage(
    store: &Store,
    resource: &Resource,
    scope: ListScope,
    options: &ListOptions,
    wanted: WantedState,
) -> bool {
    match wanted {
        WantedState::Exact(_) if scope == ListScope::Single => true,
        WantedState::Exact(revision) => {
            !store.lock().cache(resource).is_ok_and(|cache| cache.reaches_back_to(revision))
        }
        // A single object with a limit and a version. Upstream's delegator takes it for a page at exactly this version and
        // asks storage, which answers with the current state.
        WantedState::NotOlderThan(1..) => options.limit.is_some() && options.resource_version_match.is_empty(),
        WantedState::NotOlderThan(_) | WantedState::Any => false,
    }
}
