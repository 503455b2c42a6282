//! Asks for a resync at any time. client-go has the method `Resync` of a queue for that, and a program seldom has the queue.

use tokio::sync::watch;

/// Asks for a resync now, besides those of the period. Clones are the same trigger.
///
/// ```
/// use kube_informers::cache::{ReflectorOptions, ResyncTrigger};
///
/// let trigger = ResyncTrigger::new();
/// let options = ReflectorOptions::new().resync_trigger(&trigger);
/// assert_eq!(trigger.fire(), 0, "nothing runs yet");
/// ```
#[derive(Clone, Debug, Default)]
pub struct ResyncTrigger(watch::Sender<()>);

impl ResyncTrigger {
    /// A trigger that no Reflector knows yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Has every Reflector resync that watches and has this trigger; says how many these are. All handlers of an informer are told,
    /// whatever their periods. A Reflector that lists just now does not resync: its list hands out everything as well.
    pub fn fire(&self) -> usize {
        self.0.send_replace(());
        self.0.receiver_count()
    }

    pub(super) fn subscribe(&self) -> Fired {
        Fired(Some(self.0.subscribe()))
    }
}

/// When a trigger is fired.
#[derive(Default)]
pub(super) struct Fired(Option<watch::Receiver<()>>);

impl Fired {
    /// Waits until the trigger is fired again; for ever if there is none.
    pub async fn again(&mut self) {
        if let Some(fired) = &mut self.0
            && fired.changed().await.is_ok()
        {
            return;
        }
        std::future::pending().await
    }
}
