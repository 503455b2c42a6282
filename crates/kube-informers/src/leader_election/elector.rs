//! LeaderElector: acquires the lease, runs the leader's work while renewing the lease, and releases it. Upstream:
//! `LeaderElector` in `tools/leaderelection/leaderelection.go`.

use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use kube_client::Client;
use tokio::sync::watch;
use tokio::time::{Instant, sleep_until, timeout, timeout_at};
use tokio_util::sync::CancellationToken;
use tracing::{debug, info, warn};

use super::candidate::Candidate;
use super::error::{InvalidElection, LeaseError};
use super::outcome::{Leadership, Outcome};
use super::periods::Periods;
use super::status::{ElectionState, LeaderStatus};
use crate::cache::with_causes;
use crate::log_dedup::LogDedup;

type OnError = Box<dyn Fn(&LeaseError) + Send + Sync>;

/// A candidate in a leader election (client-go's `LeaderElector`).
///
/// ```no_run
/// # async fn work() {}
/// # async fn example(client: kube::Client) -> Result<(), Box<dyn std::error::Error>> {
/// use kube_informers::leader_election::{LeaderElector, Outcome};
/// use tokio_util::sync::CancellationToken;
///
/// let stop = CancellationToken::new();
/// let mut elector = LeaderElector::new(client, "default", "my-controller", std::env::var("POD_NAME")?);
/// while let Outcome::Lost = elector.run(stop.clone(), async |_| work().await).await? {
///     // The leadership was lost: become a candidate again.
/// }
/// # Ok(()) }
/// ```
pub struct LeaderElector {
    candidate: Candidate,
    periods: Periods,
    state: watch::Sender<ElectionState>,
    on_error: Option<OnError>,
    /// The last logged failure, until the next success.
    log_dedup: LogDedup<()>,
    random: fastrand::Rng,
}

impl LeaderElector {
    /// Makes a candidate for the Lease with this namespace and name, which is created if it does not exist.
    ///
    /// The identity must be unique among the candidates, for example the pod's name, or the host's name with a random
    /// suffix.
    pub fn new(client: Client, namespace: &str, name: &str, identity: impl Into<String>) -> Self {
        Self {
            candidate: Candidate::new(client, namespace, name, identity.into()),
            periods: Periods::default(),
            state: watch::Sender::default(),
            on_error: None,
            log_dedup: LogDedup::default(),
            random: fastrand::Rng::new(),
        }
    }

    /// Sets how long other candidates wait without seeing a renewal before they take the lease; 15 seconds by default
    /// (client-go's `LeaseDuration`). They use the holder's duration as it stands in the Lease, rounded up to whole
    /// seconds.
    #[must_use]
    pub fn lease_duration(mut self, duration: Duration) -> Self {
        self.periods.lease_duration = duration;
        self
    }

    /// Sets how long the leader continues without a successful renewal; 10 seconds by default (client-go's
    /// `RenewDeadline`). Each request times out after half of it.
    #[must_use]
    pub fn renew_deadline(mut self, deadline: Duration) -> Self {
        self.periods.renew_deadline = deadline;
        self
    }

    /// Sets the pause between two tries; 2 seconds by default (client-go's `RetryPeriod`). A candidate that does not
    /// lead adds up to 120 % at random.
    #[must_use]
    pub fn retry_period(mut self, period: Duration) -> Self {
        self.periods.retry_period = period;
        self
    }

    /// Sets how long the leader's work may continue after `stop` is cancelled, while the lease is still renewed; zero
    /// by default. The work can wait for the stop with [`Leadership::stopping`].
    #[must_use]
    pub fn grace_period(mut self, period: Duration) -> Self {
        self.periods.grace_period = period;
        self
    }

    /// Sets a callback that gets each failed request, before the next try. Failures are also logged: as a warning the
    /// first time and whenever the text changes.
    #[must_use]
    pub fn on_error(mut self, on_error: impl Fn(&LeaseError) + Send + Sync + 'static) -> Self {
        self.on_error = Some(Box::new(on_error));
        self
    }

    /// Seeds the jitter, which makes it the same in every run. By default it is random.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.random = fastrand::Rng::with_seed(seed);
        self
    }

    /// Returns a view of the election's state, as this candidate sees it. It is updated in this and all later runs.
    pub fn status(&self) -> LeaderStatus {
        LeaderStatus { state: self.state.subscribe() }
    }

    /// Waits until this candidate leads, then runs `lead` until it finishes, the leadership is lost, or `stop` is
    /// cancelled. In the last two cases the future of `lead` is dropped; after the stop, only once the
    /// [grace period](Self::grace_period) has passed. The elector can run again.
    ///
    /// At the stop or the end of the work, the lease is released. A request in progress to acquire the lease is awaited
    /// first; a request to renew it is aborted. Each request takes at most half of the renew deadline. If this future
    /// is dropped, or `lead` panics, the lease is not released and expires.
    ///
    /// # Errors
    /// The options are invalid. Failed requests are no errors, because they are tried again.
    pub async fn run<F: Future>(
        &mut self,
        stop: CancellationToken,
        lead: impl FnOnce(Leadership) -> F,
    ) -> Result<Outcome<F::Output>, InvalidElection> {
        if self.candidate.identity.is_empty() {
            return Err(InvalidElection::NoIdentity);
        }
        self.periods.check()?;
        info!(lease = self.candidate.lease, "attempting to acquire the lease");
        let Some(acquired) = self.acquire(&stop).await else { return Ok(Outcome::Stopped) };
        info!(lease = self.candidate.lease, identity = self.candidate.identity, "became leader");

        let mut loss = None;
        let outcome = {
            let status = self.status();
            // Declared before the work, so that it is dropped after the work, also in a panic.
            let _step_down = StepDownOnDrop(self.state.clone());
            let transitions = self.candidate.transitions();
            let mut work = pin!(lead(Leadership { status: status.clone(), stopping: stop.clone(), transitions }));
            // After the deadline, the work is not polled, even if `renew_until_lost` has not noticed yet. The end of
            // `renew_until_lost` then wakes the select below.
            let work = poll_fn(|cx| if status.is_leader() { work.as_mut().poll(cx) } else { Poll::Pending });
            let grace_period = self.periods.grace_period;
            let end_of_grace = async {
                stop.cancelled().await;
                tokio::time::sleep(grace_period).await;
            };
            tokio::select! {
                biased;
                reason = self.renew_until_lost(acquired) => {
                    loss = Some(reason);
                    Outcome::Lost
                }
                output = work => Outcome::Finished(output),
                () = end_of_grace => Outcome::Stopped,
            }
        };
        match loss {
            Some(loss) => self.log_loss(loss),
            None => self.release().await,
        }
        Ok(outcome)
    }

    /// Tries to acquire the lease until it succeeds. Returns the time at which the successful request was sent; `None`
    /// after a stop.
    async fn acquire(&mut self, stop: &CancellationToken) -> Option<Instant> {
        while !stop.is_cancelled() {
            let sent = Instant::now();
            let limit = self.periods.request_timeout();
            // The stop does not abort the request, because it might still acquire the lease, which would then block the
            // other candidates until it expires.
            let answer = timeout(limit, self.candidate.acquire(&self.periods)).await;
            match self.ok_or_report(answer.unwrap_or_else(|_| Err(self.no_answer(limit)))) {
                Some(true) if stop.is_cancelled() => {
                    self.release().await;
                    break;
                }
                Some(true) => {
                    self.publish(Some(sent + self.periods.renew_deadline));
                    return Some(sent);
                }
                Some(false) | None => self.publish(None),
            }
            let pause = self.periods.jittered(&mut self.random);
            stop.run_until_cancelled(tokio::time::sleep(pause)).await;
        }
        None
    }

    /// Renews the lease until the leadership is lost, and returns the reason. `renewed` is the time at which the last
    /// successful request was sent.
    async fn renew_until_lost(&mut self, mut renewed: Instant) -> Loss {
        loop {
            match self.renew(renewed).await {
                Ok(sent) => renewed = sent,
                Err(loss) => {
                    self.publish(None);
                    return loss;
                }
            }
            self.publish(Some(renewed + self.periods.renew_deadline));
        }
    }

    /// Renews the lease once, a retry period after `renewed`, with as many tries as fit before the renew deadline.
    /// Returns the time at which the successful request was sent.
    async fn renew(&mut self, renewed: Instant) -> Result<Instant, Loss> {
        let deadline = renewed + self.periods.renew_deadline;
        let mut next = renewed + self.periods.retry_period;
        loop {
            sleep_until(next).await;
            let sent = Instant::now();
            if sent >= deadline {
                return Err(Loss::Deadline);
            }
            let limit = deadline.min(sent + self.periods.request_timeout());
            let answer = timeout_at(limit, self.candidate.renew(&self.periods)).await;
            let held = self.ok_or_report(answer.unwrap_or_else(|_| Err(self.no_answer(limit - sent))));
            match held {
                _ if Instant::now() >= deadline => return Err(Loss::Deadline),
                Some(true) => return Ok(sent),
                Some(false) => return Err(Loss::Taken),
                None => next = deadline.min(Instant::now() + self.periods.retry_period),
            }
        }
    }

    /// Releases the lease, and publishes that the candidate does not lead.
    async fn release(&mut self) {
        let limit = self.periods.request_timeout();
        let answer = timeout(limit, self.candidate.release()).await;
        if self.ok_or_report(answer.unwrap_or_else(|_| Err(self.no_answer(limit)))).is_some() {
            info!(lease = self.candidate.lease, identity = self.candidate.identity, "released the lease");
        }
        self.publish(None);
    }

    fn log_loss(&self, loss: Loss) {
        let reason = match loss {
            Loss::Deadline => format!("it could not renew the lease within {:?}", self.periods.renew_deadline),
            Loss::Taken => format!("the lease is held by {:?}", self.candidate.holder().unwrap_or_default()),
        };
        warn!(lease = self.candidate.lease, identity = self.candidate.identity, reason, "stopped leading");
    }

    fn no_answer(&self, after: Duration) -> LeaseError {
        LeaseError::NoAnswer { lease: self.candidate.lease.clone(), after }
    }

    /// Returns the answer of a request. A failure is passed to the log and to the callback instead.
    fn ok_or_report<T>(&mut self, result: Result<T, LeaseError>) -> Option<T> {
        let error = match result {
            Ok(answer) => {
                self.log_dedup.remove(());
                return Some(answer);
            }
            Err(error) => error,
        };
        let text = with_causes(&error).to_string();
        if self.log_dedup.insert((), text.clone()) {
            warn!(error = text, "leader election goes on");
        } else {
            debug!(error = text, "leader election goes on");
        }
        if let Some(on_error) = &self.on_error {
            on_error(&error);
        }
        None
    }

    /// Publishes the holder, and the time until which this candidate may lead. Wakes waiters only if the holder or the
    /// candidate's leadership changed.
    fn publish(&self, until: Option<Instant>) {
        let leader = self.candidate.holder();
        self.state.send_if_modified(|state| {
            let changed = state.leader.as_deref() != leader || state.leads_until.is_some() != until.is_some();
            if state.leader.as_deref() != leader {
                state.leader = leader.map(Arc::from);
            }
            state.leads_until = until;
            changed
        });
    }
}

impl std::fmt::Debug for LeaderElector {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("LeaderElector")
            .field("lease", &self.candidate.lease)
            .field("identity", &self.candidate.identity)
            .field("periods", &self.periods)
            .field("state", &*self.state.borrow())
            .finish_non_exhaustive()
    }
}

/// The reason why the leadership was lost.
#[derive(Clone, Copy)]
enum Loss {
    /// No renewal succeeded before the renew deadline.
    Deadline,
    /// The Lease names another holder, or none.
    Taken,
}

/// Publishes on drop that the candidate no longer leads.
struct StepDownOnDrop(watch::Sender<ElectionState>);

impl Drop for StepDownOnDrop {
    fn drop(&mut self) {
        self.0.send_if_modified(|state| state.leads_until.take().is_some());
    }
}
