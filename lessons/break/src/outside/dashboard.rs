//! A dashboard: one thing at a time, and a second for each.

use std::sync::Arc;
use std::time::Duration;

use k8s_openapi::api::core::v1::Pod;
use tokio::sync::Mutex;
use tokio::time::sleep;

use crate::journal::{Journal, What};

/// How long it takes to show something.
const TAKES: Duration = Duration::from_secs(1);

/// The dashboard. Clones are the same one.
#[derive(Clone)]
pub struct Dashboard {
    journal: Journal,
    busy: Arc<Mutex<()>>,
}

impl Dashboard {
    pub fn new(journal: Journal) -> Self {
        Self { journal, busy: Arc::default() }
    }

    /// Shows this state of a pod. Whoever calls while it is busy waits.
    pub async fn show(&self, pod: &Arc<Pod>) {
        let _busy = self.busy.lock().await;
        self.journal.note(What::Shown(pod.clone()));
        sleep(TAKES).await;
    }
}
