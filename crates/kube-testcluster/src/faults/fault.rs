//! The public type [`Fault`], built by its methods or from its text form (`text.rs`). Started faults are in
//! `active.rs`.

use std::time::Duration;

use super::effect::{Effect, FaultOption};
use super::verb::Verb;

/// A failure that the API server shows on demand: its effect, the requests that it applies to, and its duration.
///
/// By default `lag`, `freeze-bookmarks` and `refuse-watch-list` last until they are ended, and every other effect
/// happens once. With both a number and a period, the first limit that is reached ends the fault. A limit that an
/// effect does not support is ignored: for example, a watch cache cannot be held back for some verbs only.
///
/// ```
/// use std::time::Duration;
///
/// use kube_testcluster::{Effect, Fault, Verb};
///
/// let fault = Fault::new(Effect::TooManyRequests { retry_after: 2 }).verb(Verb::List).resource("pods").times(3);
/// assert_eq!(fault, "429:verb=list,resource=pods,times=3,retry-after=2".parse()?);
/// # Ok::<(), kube_testcluster::BadFault>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use = "a fault does nothing before it is started"]
pub struct Fault {
    pub(crate) effect: Effect,
    pub(super) verb: Option<Verb>,
    /// The plural of the only kind that the fault applies to.
    pub(crate) only: Option<String>,
    /// `None` for no limit.
    pub(super) times: Option<u32>,
    /// `None` for no end.
    pub(super) lasts: Option<Duration>,
}

impl Fault {
    /// Creates a fault for all requests. It happens once or lasts until it is ended, depending on the effect.
    pub fn new(effect: Effect) -> Self {
        let times = effect.is_counted().then_some(1);
        Self { effect, verb: None, only: None, times, lasts: None }
    }

    /// Limits the fault to requests with this verb.
    pub fn verb(mut self, verb: Verb) -> Self {
        self.verb = Some(verb).filter(|_| self.has(FaultOption::Verb));
        self
    }

    /// Limits the fault to the kind with this plural.
    pub fn resource(mut self, plural: &str) -> Self {
        self.only = Some(plural.to_owned()).filter(|_| self.has(FaultOption::Resource));
        self
    }

    /// Limits the fault to this number of times, at least one.
    pub fn times(mut self, times: u32) -> Self {
        if self.has(FaultOption::Times) {
            self.times = Some(times.max(1));
        }
        self
    }

    /// Limits the fault to this period. Within the period it happens without a limit, unless [`times`](Self::times) is
    /// called afterwards.
    pub fn lasting(mut self, period: Duration) -> Self {
        if self.has(FaultOption::For) {
            (self.times, self.lasts) = (None, Some(period));
        }
        self
    }

    /// Lets the fault happen without a limit until it is ended.
    pub fn until_ended(mut self) -> Self {
        if self.has(FaultOption::For) {
            (self.times, self.lasts) = (None, None);
        }
        self
    }

    /// Returns the fault's effect.
    pub fn effect(&self) -> Effect {
        self.effect
    }

    fn has(&self, choice: FaultOption) -> bool {
        self.effect.options().contains(&choice)
    }
}
