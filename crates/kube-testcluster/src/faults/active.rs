//! The active faults of a cluster: those that were started and have neither ended nor been used up. Before each
//! request, watch event and change, the server asks [`Active`] whether a fault applies to it.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::time::Instant;

use super::effect::Effect;
use super::fault::Fault;
use super::verb::Verb;
use kube_machinery::kinds::Resource;

/// The faults that were started and have not ended.
///
/// Lock order: take the store's lock first, then the lock of `faults`.
#[derive(Debug, Default)]
pub(crate) struct Active {
    faults: Mutex<Vec<Running>>,
    /// True if there are any faults. Requests take the lock only then.
    any: AtomicBool,
}

#[derive(Debug)]
struct Running {
    fault: Fault,
    /// `None` if the fault has no end.
    until: Option<Instant>,
}

impl Active {
    /// Starts a fault. Returns the time of its end.
    pub(crate) fn add(&self, fault: Fault) -> Option<Instant> {
        let until = fault.lasts.and_then(|period| Instant::now().checked_add(period));
        self.with(|faults| faults.push(Running { fault, until }));
        until
    }

    pub(crate) fn clear(&self) {
        self.with(Vec::clear);
    }

    /// Returns the active faults, each with its remaining time.
    pub(crate) fn list(&self) -> Vec<Fault> {
        let now = Instant::now();
        let with_time_left =
            |running: &Running| Fault { lasts: running.until.map(|until| until - now), ..running.fault.clone() };
        self.with(|faults| faults.iter().map(with_time_left).collect())
    }

    /// Returns true if the watch cache of a kind is held back.
    pub(crate) fn lags(&self, resource: &Resource) -> bool {
        self.holds(Effect::Lag, resource)
    }

    pub(crate) fn freezes_bookmarks(&self, resource: &Resource) -> bool {
        self.holds(Effect::FreezeBookmarks, resource)
    }

    /// Returns true if watches must not get a change. Call it once for each change, because each call counts as one use
    /// of the fault.
    pub(crate) fn hides(&self, resource: &Resource) -> bool {
        self.take(resource, None, |effect| effect == Effect::HideEvents).is_some()
    }

    /// Returns true if the connection of a watch must break. Called before each event is sent.
    pub(crate) fn cuts(&self, resource: &Resource) -> bool {
        self.take(resource, None, |effect| effect == Effect::CutWatches).is_some()
    }

    /// Returns true if a streaming list must be refused. Called for each of them.
    pub(crate) fn refuses_watch_list(&self, resource: &Resource) -> bool {
        self.take(resource, None, |effect| effect == Effect::RefuseWatchList).is_some()
    }

    /// Returns true if a fault with this effect is active, without using it up.
    fn holds(&self, effect: Effect, resource: &Resource) -> bool {
        self.is_any()
            && self.with(|faults| faults.iter().any(|running| running.is(effect) && running.applies(resource)))
    }

    /// Finds the oldest fault that applies to the request and whose effect `has_effect` accepts, and counts one use of
    /// it.
    pub(crate) fn take(
        &self,
        resource: &Resource,
        verb: Option<Verb>,
        has_effect: impl Fn(Effect) -> bool,
    ) -> Option<Effect> {
        if !self.is_any() {
            return None;
        }
        self.with(|faults| {
            let applies = |running: &Running| {
                let wanted = running.fault.verb;
                has_effect(running.fault.effect) && running.applies(resource) && (wanted.is_none() || wanted == verb)
            };
            let at = faults.iter().position(applies)?;
            let Fault { effect, times, .. } = &mut faults[at].fault;
            let effect = *effect;
            match times {
                Some(1) => drop(faults.remove(at)),
                Some(times) => *times -= 1,
                None => {}
            }
            Some(effect)
        })
    }

    fn is_any(&self) -> bool {
        self.any.load(Ordering::Relaxed)
    }

    /// Calls `act` with the faults that have not ended.
    fn with<T>(&self, act: impl FnOnce(&mut Vec<Running>) -> T) -> T {
        let mut faults = self.faults.lock().expect("no holder of the lock panics");
        let now = Instant::now();
        faults.retain(|running| running.until.is_none_or(|until| until > now));
        let result = act(&mut faults);
        self.any.store(!faults.is_empty(), Ordering::Relaxed);
        result
    }
}

impl Running {
    fn is(&self, effect: Effect) -> bool {
        self.fault.effect == effect
    }

    fn applies(&self, resource: &Resource) -> bool {
        self.fault.only.as_ref().is_none_or(|plural| plural == resource.plural())
    }
}
