//! The faults that go on.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::time::Instant;

use super::effect::Effect;
use super::fault::Fault;
use super::verb::Verb;
use crate::resource::Resource;

/// Faults that were started and are not over.
///
/// Its lock may be taken under that of the store, never the other way round.
#[derive(Debug, Default)]
pub(crate) struct Active {
    faults: Mutex<Vec<Running>>,
    /// Whether there are any, so that those who ask do not wait for each other where there are none.
    any: AtomicBool,
}

#[derive(Debug)]
struct Running {
    fault: Fault,
    /// `None`: no end was chosen.
    until: Option<Instant>,
}

impl Active {
    /// Gives back when the fault ends.
    pub(super) fn add(&self, fault: Fault) -> Option<Instant> {
        let until = fault.lasts.and_then(|period| Instant::now().checked_add(period));
        self.with(|faults| faults.push(Running { fault, until }));
        until
    }

    pub(super) fn clear(&self) {
        self.with(Vec::clear);
    }

    /// With what is left of them.
    pub(super) fn list(&self) -> Vec<Fault> {
        let now = Instant::now();
        let left = |running: &Running| Fault { lasts: running.until.map(|until| until - now), ..running.fault.clone() };
        self.with(|faults| faults.iter().map(left).collect())
    }

    /// Whether the watch cache of a kind stands still.
    pub(crate) fn lags(&self, resource: &Resource) -> bool {
        self.holds(Effect::Lag, resource)
    }

    pub(crate) fn freezes_bookmarks(&self, resource: &Resource) -> bool {
        self.holds(Effect::FreezeBookmarks, resource)
    }

    /// Asked for each change: uses up one of those that are to be hidden.
    pub(crate) fn hides(&self, resource: &Resource) -> bool {
        self.take(resource, None, |effect| effect == Effect::HideEvents).is_some()
    }

    /// Asked for each event of a watch that is about to be sent.
    pub(super) fn cuts(&self, resource: &Resource) -> bool {
        self.take(resource, None, |effect| effect == Effect::CutWatches).is_some()
    }

    /// Asked for each streaming list.
    pub(crate) fn refuses_watch_list(&self, resource: &Resource) -> bool {
        self.take(resource, None, |effect| effect == Effect::RefuseWatchList).is_some()
    }

    fn holds(&self, effect: Effect, resource: &Resource) -> bool {
        self.is_any() && self.with(|faults| faults.iter().any(|running| running.is(effect) && running.meets(resource)))
    }

    /// Uses up once the oldest fault of such an effect that meets such a request.
    pub(super) fn take(
        &self,
        resource: &Resource,
        verb: Option<Verb>,
        such: impl Fn(Effect) -> bool,
    ) -> Option<Effect> {
        if !self.is_any() {
            return None;
        }
        self.with(|faults| {
            let meets = |running: &Running| {
                let wanted = running.fault.verb;
                such(running.fault.effect) && running.meets(resource) && (wanted.is_none() || wanted == verb)
            };
            let at = faults.iter().position(meets)?;
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

    /// Those whose time is over are never seen.
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

    fn meets(&self, resource: &Resource) -> bool {
        self.fault.only.as_ref().is_none_or(|plural| plural == resource.plural)
    }
}
