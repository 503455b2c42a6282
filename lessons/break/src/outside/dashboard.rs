//! The dashboard of a trial, a slow consumer: it shows one pod at a time and takes a second for each. The exercise
//! `slow` uses it.

use std::sync::Arc;
use std::time::Duration;

use k8s_openapi::api::core::v1::Pod;
use tokio::sync::Mutex;
use tokio::time::sleep;

use informer_lab::exercises::judging::{EntryKind, Journal};

/// The virtual time that the dashboard takes to show a pod.
const TAKES: Duration = Duration::from_secs(1);

/// The dashboard. Clones share the same screen.
#[derive(Clone)]
pub struct Dashboard {
    journal: Journal,
    busy: Arc<Mutex<()>>,
}

impl Dashboard {
    pub fn new(journal: Journal) -> Self {
        Self { journal, busy: Arc::default() }
    }

    /// Shows this state of a pod. Concurrent calls wait for each other.
    pub async fn show(&self, pod: &Arc<Pod>) {
        let _busy = self.busy.lock().await;
        self.journal.note(EntryKind::Shown(pod.clone()));
        sleep(TAKES).await;
    }
}
