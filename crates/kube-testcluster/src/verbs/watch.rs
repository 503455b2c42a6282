//! GET of a collection with `watch=true`: a watch. Decides from the options where the watch starts; `watcher.rs` runs
//! it.

use std::sync::Arc;

use super::list_options::{ListOptions, resource_version};
use super::watcher::{Start, Watch};
use crate::http::answer::Events;
use crate::http::status::ApiError;
use crate::settings::Era;
use crate::store::Requester;
use crate::store::ServedFrom;
use crate::store::Store;
use crate::store::filter::Filter;
use kube_machinery::kinds::Resource;

/// Starts a watch. It succeeds, unless the options are invalid or too many watches are open; later errors come
/// as ERROR events.
///
/// `era` decides how a watch without `sendInitialEvents` starts, if it has no version or version 0. `list.rs` passes
/// `Classic` for the old path `/watch/…`, because upstream sends no end bookmark there.
pub(crate) fn watch(
    store: &Arc<Store>,
    resource: &Resource,
    filter: Filter,
    options: &ListOptions,
    requester: Requester,
    era: Era,
) -> Result<Events, ApiError> {
    let version = resource_version(&options.resource_version).map_err(ApiError::internal)?;
    let duration = options.timeout.unwrap_or_else(|| store.random().watch_duration());
    let revision = store.lock().storage.revision();
    let start = start(era, options.send_initial_events, version, revision);
    let permit = match requester {
        Requester::Client => Some(store.watch_permit()?),
        Requester::Cluster => None,
    };
    let bookmarks = options.allow_watch_bookmarks;
    let watch = Watch { resource: resource.clone(), filter, start, bookmarks, duration, requester };
    Ok(watch.events(store, permit))
}

/// Returns the source of a kind's watch events.
pub(super) fn served_from(resource: &Resource) -> ServedFrom {
    if resource.cached { ServedFrom::WatchCache } else { ServedFrom::Storage }
}

/// Returns the start of a watch. `version` is the one that the client names, `revision` the newest one in storage. A
/// `Modern` server treats a watch without a version, or from version 0, as a streaming list.
fn start(era: Era, initial_events: Option<bool>, version: Option<u64>, revision: u64) -> Start {
    // `fresh` is the least version of the objects that the watch begins with: the version that the client names, or
    // else the newest one. It is `None` if any state will do: for version 0, and in `Classic` for a watch with neither
    // a version nor `sendInitialEvents`.
    // `end` adds the bookmark after these objects. In `Classic` only a watch with `sendInitialEvents` gets it.
    match (initial_events, version) {
        (Some(true), None) => Start::State { fresh: Some(revision), end: true },
        (Some(true), Some(0)) => Start::State { fresh: None, end: true },
        (Some(true), Some(version)) => Start::State { fresh: Some(version), end: true },
        (Some(false), None | Some(0)) => Start::Now,
        (None, None) if era == Era::Modern => Start::State { fresh: Some(revision), end: true },
        (None, None | Some(0)) => Start::State { fresh: None, end: era == Era::Modern },
        (_, Some(version)) => Start::After(version),
    }
}
