//! One fault: what goes wrong, for whom and how long.

use std::time::Duration;

use super::effect::{Choice, Effect};
use super::verb::Verb;

/// What goes wrong, for whom and how long.
///
/// Where neither a number nor a period is chosen, `lag`, `freeze-bookmarks` and `refuse-watch-list` go on until they are ended,
/// and everything else happens once. Where both are, what comes first ends it. What an effect cannot be limited to does
/// not change it: a watch cache does not stand still for some verbs only.
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
    /// The plural of the only kind that it is about.
    pub(super) only: Option<String>,
    /// `None`: as often as it can.
    pub(super) times: Option<u32>,
    /// `None`: until it is ended.
    pub(super) lasts: Option<Duration>,
}

impl Fault {
    /// Once, or until it is ended, whichever is usual, for all.
    pub fn new(effect: Effect) -> Self {
        let times = effect.is_counted().then_some(1);
        Self { effect, verb: None, only: None, times, lasts: None }
    }

    /// Only for requests with this verb.
    pub fn verb(mut self, verb: Verb) -> Self {
        self.verb = Some(verb).filter(|_| self.has(Choice::Verb));
        self
    }

    /// Only for the kind with this plural.
    pub fn resource(mut self, plural: &str) -> Self {
        self.only = Some(plural.to_owned()).filter(|_| self.has(Choice::Resource));
        self
    }

    /// So many times, at least once.
    pub fn times(mut self, times: u32) -> Self {
        if self.has(Choice::Times) {
            self.times = Some(times.max(1));
        }
        self
    }

    /// For so long, and as often as it can meanwhile unless a number is chosen afterwards.
    pub fn lasting(mut self, period: Duration) -> Self {
        if self.has(Choice::For) {
            (self.times, self.lasts) = (None, Some(period));
        }
        self
    }

    /// Until it is ended, as often as it can.
    pub fn until_ended(mut self) -> Self {
        if self.has(Choice::For) {
            (self.times, self.lasts) = (None, None);
        }
        self
    }

    /// What it does.
    pub fn effect(&self) -> Effect {
        self.effect
    }

    fn has(&self, choice: Choice) -> bool {
        self.effect.choices().contains(&choice)
    }
}
