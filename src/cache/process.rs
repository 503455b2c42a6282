//! From deltas to the store and the handlers. Upstream: `processDeltas` in `tools/cache/controller.go`.

use std::fmt::Debug;

use super::delta::{Delta, Deltas, InitialList};
use super::error::Error;
use super::handler::EventHandler;
use super::key::Object;
use super::store::Store;

/// Applies each delta to the store, oldest first, and tells the handler: store first, so that a handler which reads the
/// store sees its own event.
///
/// What the handler is told depends on the store and not on the delta's name: a known object is updated, an unknown one
/// is added.
///
/// # Errors
/// The store refused a delta; those before it are done, those after it are lost.
pub fn process_deltas<T: Object + Debug>(
    store: &Store<T>,
    handler: &mut impl EventHandler<T>,
    deltas: Deltas<T>,
    initial: InitialList,
) -> Result<(), Error> {
    for delta in deltas {
        match delta {
            Delta::Added(object) | Delta::Updated(object) | Delta::Replaced(object) | Delta::Sync(object) => {
                let old = store.get(&object).ok().flatten();
                store.update(object.clone())?;
                match old {
                    Some(old) => handler.on_update(old, object),
                    None => handler.on_add(object, initial),
                }
            }
            Delta::Deleted(deletion) => {
                store.delete(deletion.clone())?;
                handler.on_delete(deletion);
            }
        }
    }
    Ok(())
}
