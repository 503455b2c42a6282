//! Formats pods and deltas as the tutorials print them, and chooses their colours. Most lessons use this.

use k8s_openapi::api::core::v1::Pod;

use super::go;
use crate::trace::Style;
use kube_informers::cache::Delta;

pub(super) fn name(pod: &Pod) -> &str {
    pod.metadata.name.as_deref().unwrap_or_default()
}

/// Formats a pod's labels, such as `app=wiremock,tier=front`.
pub(super) fn labels(pod: &Pod) -> String {
    let labels = pod.metadata.labels.iter().flatten();
    labels.map(|(key, value)| format!("{key}={value}")).collect::<Vec<_>>().join(",")
}

pub(super) fn phase(pod: &Pod) -> &str {
    pod.status.as_ref().and_then(|status| status.phase.as_deref()).unwrap_or_default()
}

/// Formats a delta, such as `Added : nettool : Pending`. A tombstone is marked, and a list is printed as its names.
pub(super) fn shown(delta: &Delta<Pod>) -> String {
    let kind = delta.kind();
    match delta {
        Delta::Deleted(deletion) if deletion.is_tombstone() => {
            let last = deletion.object().map_or_else(String::new, |pod| format!("{} : {}", name(pod), phase(pod)));
            format!("{kind} : {last} : DeletedFinalStateUnknown")
        }
        Delta::ReplacedAll { objects, .. } => format!("{kind} : {}", go::slice(objects.iter().map(|pod| name(pod)))),
        _ => match delta.object() {
            Some(pod) => format!("{kind} : {} : {}", name(pod), phase(pod)),
            None => kind.to_owned(),
        },
    }
}

pub(super) fn style<T>(delta: &Delta<T>) -> Style {
    match delta {
        Delta::Added(_) => Style::Added,
        Delta::Updated(_) => Style::Updated,
        Delta::Deleted(_) => Style::Deleted,
        Delta::Replaced(_) | Delta::Sync(_) | Delta::ReplacedAll { .. } | Delta::SyncAll => Style::Synced,
        Delta::Bookmark { .. } => Style::Plain,
    }
}
