//! Decides whether the watch cache or storage answers a list, and from which state. Upstream: `shouldDelegateList`, of
//! both eras.

use super::continue_token::ContinueToken;
use super::list_options::{ListOptions, NOT_OLDER_THAN, resource_version};
use crate::http::status::ApiError;
use crate::settings::Era;
use crate::store::ServedFrom;
use crate::store::Store;
use kube_machinery::kinds::Resource;

/// The state that a list asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WantedState {
    /// Any state that the watch cache has.
    Any,
    /// The current state, which must be at least this revision.
    NotOlderThan(u64),
    /// Exactly this revision.
    Exact(u64),
}

/// How a list is answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Plan {
    pub(crate) from: ServedFrom,
    pub(crate) wanted: WantedState,
    /// The least key, relative to the collection.
    pub(crate) start: String,
}

/// Whether a list asks for one object, which a field selector names, or for a range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Extent {
    Single,
    Range,
}

/// Reads resourceVersion, resourceVersionMatch, limit and continue together.
pub(crate) fn plan(
    store: &Store,
    resource: &Resource,
    extent: Extent,
    options: &ListOptions,
) -> Result<Plan, ApiError> {
    let (wanted, start) = wanted(extent, options)?;
    let delegated = match store.settings.era {
        _ if !resource.cached => true,
        Era::Classic => reaches_storage(options),
        Era::Modern => lacks_snapshot(store, resource, extent, options, wanted),
    };
    let from = if delegated { ServedFrom::Storage } else { ServedFrom::WatchCache };
    Ok(Plan { from, wanted, start })
}

fn wanted(extent: Extent, options: &ListOptions) -> Result<(WantedState, String), ApiError> {
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
        "" => options.limit.is_some() && extent == Extent::Range,
        matching => matching == "Exact",
    };
    let wanted = match version {
        // A deletion of many that is called a watch: no list may say this without a version.
        None if options.resource_version_match == NOT_OLDER_THAN => WantedState::Any,
        None => WantedState::NotOlderThan(0),
        Some(0) => WantedState::Any,
        Some(version) if exact => WantedState::Exact(version),
        Some(version) => WantedState::NotOlderThan(version),
    };
    Ok((wanted, String::new()))
}

/// Up to 1.26: the watch cache has no pages and no earlier states, and cannot know whether it is up to date.
fn reaches_storage(options: &ListOptions) -> bool {
    let version = options.resource_version.as_str();
    let limited = options.limit.is_some() && version != "0";
    version.is_empty() || !options.continue_token.is_empty() || limited || options.resource_version_match == "Exact"
}

/// Today the watch cache answers everything but exact revisions of which it has no snapshot, and those of single
/// objects. A revision in the future counts as present: the list waits for it.
fn lacks_snapshot(
    store: &Store,
    resource: &Resource,
    extent: Extent,
    options: &ListOptions,
    wanted: WantedState,
) -> bool {
    match wanted {
        WantedState::Exact(_) if extent == Extent::Single => true,
        WantedState::Exact(revision) => !store.lock().cache(resource).reaches_back_to(revision),
        // The delegator takes a page at a version for an exact one, and the storage then gets the object as it is now.
        WantedState::NotOlderThan(1..) if options.limit.is_some() && options.resource_version_match.is_empty() => {
            extent == Extent::Single
        }
        WantedState::NotOlderThan(_) => extent == Extent::Single && !options.continue_token.is_empty(),
        WantedState::Any => false,
    }
}
