//! What the traces print of a pod, and in which colour.

use k8s_openapi::api::core::v1::Pod;

use crate::cache::Delta;
use crate::trace::Style;

pub(super) fn name(pod: &Pod) -> &str {
    pod.metadata.name.as_deref().unwrap_or_default()
}

pub(super) fn phase(pod: &Pod) -> &str {
    pod.status.as_ref().and_then(|status| status.phase.as_deref()).unwrap_or_default()
}

pub(super) fn style<T>(delta: &Delta<T>) -> Style {
    match delta {
        Delta::Added(_) => Style::Added,
        Delta::Updated(_) => Style::Updated,
        Delta::Deleted(_) => Style::Deleted,
        Delta::Replaced(_) | Delta::Sync(_) => Style::Synced,
        Delta::ReplacedAll { .. } | Delta::SyncAll | Delta::Bookmark { .. } => Style::Plain,
    }
}
