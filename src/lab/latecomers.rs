//! The handlers that the user adds to running informers, with the commands `late` and `slow`: a late handler gets the
//! store's objects first, and a slow one delays only itself.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::time::sleep;

use super::{Lab, NO_PANIC};
use crate::trace::{Style, short};
use kube_informers::cache::{AsyncEventHandler, InformerStopped, Notification, Object, SharedIndexInformer};

#[derive(Default)]
pub(super) struct Latecomers {
    informers: Mutex<Vec<Join>>,
    count: AtomicUsize,
    /// The time that each added handler takes for a notification, in milliseconds.
    takes_ms: Arc<AtomicU64>,
}

/// Adds a handler to one informer. The closure hides the type of the informer's objects.
type Join = Box<dyn Fn(Latecomer) -> Result<(), InformerStopped> + Send + Sync>;

impl Latecomers {
    /// Registers an informer for later handlers, until [`close`](Self::close) drops it again, because it holds a
    /// reference to the lab.
    pub(super) fn offer<T: Object + Send + Sync + 'static>(&self, informer: &SharedIndexInformer<T>) {
        let informer = informer.clone();
        let join = move |handler| informer.add_event_handler(handler).map(drop);
        self.informers.lock().expect(NO_PANIC).push(Box::new(join));
    }

    pub(super) fn close(&self) {
        let _informers = std::mem::take(&mut *self.informers.lock().expect(NO_PANIC)); // dropped after the lock is released
    }

    /// Adds a handler to each informer, and returns the number of informers.
    pub(super) fn join(&self, lab: &Lab) -> Result<usize, InformerStopped> {
        let informers = self.informers.lock().expect(NO_PANIC);
        for join in informers.iter() {
            let number = self.count.fetch_add(1, Ordering::Relaxed) + 1;
            join(Latecomer { lab: lab.clone(), number, takes_ms: self.takes_ms.clone() })?;
        }
        Ok(informers.len())
    }

    pub(super) fn any(&self) -> bool {
        self.count.load(Ordering::Relaxed) > 0
    }

    /// Lets each added handler take this long for a notification from now on.
    pub(super) fn slow_down(&self, takes: Duration) {
        self.takes_ms.store(u64::try_from(takes.as_millis()).unwrap_or(u64::MAX), Ordering::Relaxed);
    }
}

struct Latecomer {
    lab: Lab,
    number: usize,
    takes_ms: Arc<AtomicU64>,
}

impl<T: Object + Send + Sync + 'static> AsyncEventHandler<T> for Latecomer {
    async fn handle(&mut self, notification: Notification<T>) {
        let takes = Duration::from_millis(self.takes_ms.load(Ordering::Relaxed));
        // Buffered notifications are delivered when the run stops; the handler must not be slow then.
        self.lab.stop().run_until_cancelled(sleep(takes)).await;
        let does = match &notification {
            Notification::Add { .. } => "OnAdd",
            Notification::Update { .. } => "OnUpdate",
            Notification::Delete(_) => "OnDelete",
        };
        let initial = if notification.is_initial() { " (initial)" } else { "" };
        let (number, key) = (self.number, notification.key());
        // The lessons' own handlers have the numbers up to 3.
        self.lab.print(Style::Handler(3 + number), format_args!("{does}:late-{number} {}{initial}", short(&key)));
    }
}
