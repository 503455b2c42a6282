//! Writes of objects that quotas limit: the quotas are charged in the same write. If another request charges one of the
//! quotas meanwhile, the object is checked again, so two requests never use up the same remainder of a quota.

use std::sync::Arc;

use crate::admission::builtin::{WriteAttributes, namespace_lifecycle};
use crate::http::status::ApiError;
use crate::store::companion::Companion;
use crate::store::object::{Key, Object};
use crate::store::storage::Storage;
use crate::store::{Commit, Next, StoreError};
use kube_machinery::value::Value;

/// The reason why the object was not stored.
enum NotStored {
    Refused(ApiError),
    /// Another request has changed a quota since the charges were computed.
    ChargedMeanwhile,
}

impl From<StoreError> for NotStored {
    fn from(error: StoreError) -> Self {
        Self::Refused(error.into())
    }
}

/// Stores a new object together with its charges. `charge` computes them again if a quota has changed meanwhile. A dry
/// run charges nothing.
pub(super) async fn store_new(
    creation: WriteAttributes<'_>,
    key: Key,
    value: &Value,
    commit: Commit,
    mut charges: Vec<Companion>,
    charge: impl Fn() -> Result<Vec<Companion>, ApiError>,
) -> Result<Arc<Object>, ApiError> {
    let WriteAttributes { store, resource, .. } = creation;
    let admit = |storage: &Storage, charges: &[Companion]| {
        namespace_lifecycle(storage, resource, &key).map_err(NotStored::Refused)?;
        let is_stale = commit == Commit::Really && charges.iter().any(|charge| charge.is_stale(storage));
        if is_stale { Err(NotStored::ChargedMeanwhile) } else { Ok(()) }
    };
    loop {
        match store.create(resource, key.clone(), value.clone(), commit, admit, charges).await {
            Err(NotStored::Refused(error)) => return Err(error),
            Err(NotStored::ChargedMeanwhile) => charges = charge()?,
            Ok(object) => return Ok(object),
        }
    }
}

/// Adds the charges of an update to its new state. The store computes the update again if a quota has changed since.
pub(super) fn next(update: WriteAttributes<'_>, next: Next) -> Result<Next, ApiError> {
    let Next::Put(new) = next else { return Ok(next) };
    let charges = update.charges(&new)?;
    Ok(if charges.is_empty() { Next::Put(new) } else { Next::PutWith(new, charges) })
}
