//! ResyncTrigger: lets a program start a resync. In client-go a program must call the queue's `Resync` method for this,
//! and it seldom has the queue.

use tokio::sync::watch;

/// A handle that starts a resync immediately, in addition to the periodic ones. Clones are the same trigger.
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
    /// Makes a trigger. Pass it to [`ReflectorOptions::resync_trigger`](super::ReflectorOptions::resync_trigger).
    pub fn new() -> Self {
        Self::default()
    }

    /// Starts a resync in every Reflector that has this trigger and is watching. Returns the number of these
    /// Reflectors.
    ///
    /// All handlers of an informer take part, whatever their resync periods. A Reflector that is listing does not
    /// resync, because the list repeats all objects anyway.
    pub fn fire(&self) -> usize {
        self.0.send_replace(());
        self.0.receiver_count()
    }

    pub(super) fn subscribe(&self) -> TriggerReceiver {
        TriggerReceiver(Some(self.0.subscribe()))
    }
}

/// The receiving side of a [`ResyncTrigger`], if a Reflector has one.
#[derive(Default)]
pub(super) struct TriggerReceiver(Option<watch::Receiver<()>>);

impl TriggerReceiver {
    /// Waits until the trigger is fired. Waits for ever if there is no trigger, or if all its handles are dropped.
    pub async fn fired(&mut self) {
        if let Some(fired) = &mut self.0
            && fired.changed().await.is_ok()
        {
            return;
        }
        std::future::pending().await
    }
}
