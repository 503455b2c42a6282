//! Processor: hands each notification to every listener. Upstream: `sharedProcessor` in `tools/cache/shared_informer.go`.

use std::sync::Arc;
use std::time::Duration;

use futures::future::{BoxFuture, FutureExt};
use tokio::task::JoinError;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tokio_util::task::AbortOnDropHandle;

use super::buffer::Buffer;
use super::done::Done;
use super::handler::{AsyncEventHandler, Notification};
use super::key::Object;
use super::listener::ProcessorListener;
use super::lock::{Mutex, lock};
use super::observe::Observer;
use super::resync::Resync;

/// Which listeners are told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Audience {
    /// All: something changed.
    All,
    /// Those whose resync is due: nothing changed.
    Syncing,
}

/// The listeners of one informer. Each has a buffer and a task of its own, so a slow handler delays nobody.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")] async fn main() {
/// use kube_informers::cache::{Audience, HandlerFuncs, InitialList, Notification, SharedProcessor};
/// use k8s_openapi::api::core::v1::Pod;
/// use tokio_util::sync::CancellationToken;
///
/// let processor = SharedProcessor::default();
/// processor.add_listener(HandlerFuncs::new().add_func(|_: std::sync::Arc<Pod>, _| {}));
/// processor.distribute(&Notification::Add { object: Pod::default().into(), initial: InitialList::No }, Audience::All);
/// let stop = CancellationToken::new();
/// stop.cancel();
/// processor.run(stop).await; // delivers what was distributed, then ends
/// # }
/// ```
pub struct SharedProcessor<T> {
    state: Mutex<State<T>>,
    panicked: Done,
    observer: Observer,
}

struct State<T> {
    listeners: Vec<Member<T>>,
    next_id: usize,
    phase: Phase,
    /// Has the informer handed out its first list?
    upstream_synced: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// Listeners collect; their loops wait for the start.
    Waiting,
    /// Every listener's loop is running.
    Running,
    /// Every listener was closed.
    Stopped,
}

struct Member<T> {
    listener: Arc<ProcessorListener<T>>,
    resync: Resync,
    work: Work,
}

enum Work {
    Waiting(BoxFuture<'static, ()>),
    Running(AbortOnDropHandle<()>),
}

/// A listener that was removed before it ran.
pub(crate) struct Removed {
    _never_ran: BoxFuture<'static, ()>,
}

/// A handler's place in a processor or an informer, as its owner holds it.
pub struct Registration<T>(Arc<ProcessorListener<T>>);

impl<T> Registration<T> {
    /// Has the handler returned from every add of the initial list?
    pub fn has_synced(&self) -> bool {
        self.0.synced().is_done()
    }

    /// Fires when [`Registration::has_synced`] becomes true.
    pub fn synced(&self) -> Done {
        self.0.synced()
    }

    /// How many notifications the handler has not been given yet. A gauge: it may be another number a moment later.
    pub fn pending(&self) -> usize {
        self.0.pending()
    }

    /// The handler's buffer.
    pub fn listener(&self) -> &Arc<ProcessorListener<T>> {
        &self.0
    }
}

impl<T> Clone for Registration<T> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<T> Default for SharedProcessor<T> {
    fn default() -> Self {
        let state = State { listeners: Vec::new(), next_id: 0, phase: Phase::Waiting, upstream_synced: false };
        Self { state: Mutex::new(state), panicked: Done::default(), observer: Observer::default() }
    }
}

impl<T> SharedProcessor<T> {
    /// Tells `observer` what happens.
    #[must_use]
    pub fn observer(mut self, observer: Observer) -> Self {
        self.observer = observer;
        self
    }

    /// The listeners' resync periods become those that fit an informer which checks this often.
    pub(crate) fn resync_check_period_changed(&self, check: Duration) {
        lock(&self.state).listeners.iter_mut().for_each(|member| member.resync.fit(check));
    }

    /// Is a resync due for any listener? Remembers for which, until the next time it is asked.
    pub(crate) fn should_resync(&self) -> bool {
        let now = Instant::now();
        let mut due = false;
        for member in &mut lock(&self.state).listeners {
            due |= member.resync.tick(now);
        }
        due
    }

    pub(crate) fn upstream_synced(&self) {
        let mut state = lock(&self.state);
        state.upstream_synced = true;
        state.listeners.iter().for_each(|member| member.listener.upstream_synced());
    }

    /// Removes a listener; one that is not there is no error. Nothing more is queued for it, what is queued is dropped,
    /// and a callback under way finishes.
    pub fn remove_listener(&self, registration: &Registration<T>) {
        drop(self.take_listener(registration));
    }

    /// Removes a listener and returns what is to be dropped once no lock is held: it may be the handler.
    pub(crate) fn take_listener(&self, registration: &Registration<T>) -> Option<Removed> {
        let mut state = lock(&self.state);
        let at = state.listeners.iter().position(|member| Arc::ptr_eq(&member.listener, &registration.0))?;
        let Member { listener, work, .. } = state.listeners.remove(at);
        listener.discard();
        match work {
            Work::Running(task) => {
                task.detach(); // finishes the callback that is under way
                None
            }
            Work::Waiting(run) => {
                listener.end();
                Some(Removed { _never_ran: run })
            }
        }
    }

    fn stop(&self) -> Vec<AbortOnDropHandle<()>> {
        let mut state = lock(&self.state);
        state.phase = Phase::Stopped;
        let tasks = state.listeners.drain(..).filter_map(|member| {
            member.listener.close();
            match member.work {
                Work::Running(task) => Some(task),
                Work::Waiting(_) => {
                    member.listener.end();
                    None
                }
            }
        });
        tasks.collect()
    }
}

impl<T: Object + Send + Sync + 'static> SharedProcessor<T> {
    /// Adds a listener for this handler. If the processor runs, so does the listener from now on; otherwise it collects.
    pub fn add_listener(&self, handler: impl AsyncEventHandler<T>) -> Registration<T> {
        self.add_listener_with(handler, Buffer::Unbounded, Resync::never(), &[])
    }

    /// Adds a listener that is told `first` before anything that is distributed.
    pub(crate) fn add_listener_with(
        &self,
        handler: impl AsyncEventHandler<T>,
        buffer: Buffer,
        resync: Resync,
        first: &[Notification<T>],
    ) -> Registration<T> {
        let mut state = lock(&self.state);
        let id = state.next_id;
        state.next_id += 1;
        let listener = Arc::new(ProcessorListener::new(id).buffer(buffer).observer(self.observer.clone()));
        first.iter().for_each(|notification| listener.add(notification.clone()));
        if state.upstream_synced {
            listener.upstream_synced();
        }
        let registration = Registration(listener.clone());
        let run = {
            let (listener, alarm) = (listener.clone(), Alarm(self.panicked.clone()));
            async move {
                let _alarm = alarm;
                listener.run(handler).await;
            }
            .boxed()
        };
        let work = match state.phase {
            Phase::Running => Work::Running(AbortOnDropHandle::new(tokio::spawn(run))),
            Phase::Waiting => Work::Waiting(run),
            Phase::Stopped => {
                listener.end();
                return registration;
            }
        };
        state.listeners.push(Member { listener, resync, work });
        registration
    }

    /// Puts a notification into the buffer of every listener, or of those whose resync is due.
    pub fn distribute(&self, notification: &Notification<T>, audience: Audience) {
        for member in &lock(&self.state).listeners {
            if audience == Audience::All || member.resync.is_due() {
                member.listener.add(notification.clone());
            }
        }
    }

    /// Runs the listeners until `stop`; then lets each finish what is in its buffer, and waits for them. If the future is
    /// dropped, the listeners end at once.
    ///
    /// A processor runs once; a second run ends at once.
    ///
    /// # Panics
    /// As soon as a handler has panicked and the others have finished what is in their buffers.
    pub async fn run(&self, stop: CancellationToken) {
        if !self.start() {
            return;
        }
        let _ended = Ended(self);
        tokio::select! {
            () = stop.cancelled() => {}
            () = self.panicked.wait() => {}
        }
        join_all(self.stop()).await;
    }

    fn start(&self) -> bool {
        let mut state = lock(&self.state);
        if state.phase != Phase::Waiting {
            return false;
        }
        state.phase = Phase::Running;
        for member in &mut state.listeners {
            if let Work::Waiting(run) = std::mem::replace(&mut member.work, Work::Waiting(async {}.boxed())) {
                member.work = Work::Running(AbortOnDropHandle::new(tokio::spawn(run)));
            }
        }
        true
    }
}

/// Fires if the task that holds it panics.
struct Alarm(Done);

impl Drop for Alarm {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.fire();
        }
    }
}

/// Whatever ends a run, the listeners end with it.
struct Ended<'a, T>(&'a SharedProcessor<T>);

impl<T> Drop for Ended<'_, T> {
    fn drop(&mut self) {
        self.0.stop();
    }
}

/// Waits for all tasks, and only then goes on with the first panic among them.
pub(crate) async fn join_all(tasks: Vec<impl Future<Output = Result<(), JoinError>>>) {
    let mut panic = None;
    for task in tasks {
        if let Err(error) = task.await {
            panic = panic.or(error.try_into_panic().ok());
        }
    }
    if let Some(panic) = panic {
        std::panic::resume_unwind(panic);
    }
}
