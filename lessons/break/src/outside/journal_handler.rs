//! An event handler that writes every notification to the journal, so that a judge can count and compare them.

use std::sync::Arc;

use k8s_openapi::api::core::v1::Pod;
use kube_informers::cache::{Deletion, EventHandler, InitialList, Notification};

use informer_lab::exercises::judging::{EntryKind, Journal};

/// The handler. Its name tells it apart from other handlers in the journal.
pub struct JournalHandler {
    name: String,
    journal: Journal,
}

impl JournalHandler {
    pub fn new(name: String, journal: Journal) -> Self {
        Self { name, journal }
    }

    fn note(&self, change: Notification<Pod>) {
        self.journal.note(EntryKind::Notified { handler: self.name.clone(), change });
    }
}

impl EventHandler<Pod> for JournalHandler {
    fn on_add(&mut self, object: Arc<Pod>, initial: InitialList) {
        self.note(Notification::Add { object, initial });
    }

    fn on_update(&mut self, old: Arc<Pod>, new: Arc<Pod>) {
        self.note(Notification::Update { old, new });
    }

    fn on_delete(&mut self, deletion: Deletion<Pod>) {
        self.note(Notification::Delete(deletion));
    }
}
