//! The table of kinds.

use super::resource::Resource;
use super::reviews::REVIEWS;
use super::{config, event, lease, namespace, node, pod, replica_set, service, service_account};

pub(crate) static NAMESPACES: &Resource = &namespace::ROW;
pub(crate) static PODS: &Resource = &pod::ROW;
pub(crate) static EVENTS: &Resource = &event::ROW;
pub(crate) static NODES: &Resource = &node::ROW;
pub(crate) static SERVICE_ACCOUNTS: &Resource = &service_account::ROW;
pub(crate) static SERVICES: &Resource = &service::ROW;

/// Within each group, the order of the plurals is that of discovery.
pub(crate) static RESOURCES: [Resource; 10] = [
    namespace::ROW,
    pod::ROW,
    replica_set::ROW,
    config::CONFIG_MAP,
    event::ROW,
    node::ROW,
    config::SECRET,
    service_account::ROW,
    service::ROW,
    lease::ROW,
];

/// Every kind in discovery.
pub(crate) fn served() -> impl Iterator<Item = &'static Resource> {
    RESOURCES.iter().chain(&REVIEWS)
}

/// Finds a row by its group, version and plural.
pub(crate) fn find(group: &str, version: &str, plural: &str) -> Option<&'static Resource> {
    served().find(|row| row.group == group && row.version == version && row.plural == plural)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_rows_share_a_plural() {
        let mut plurals: Vec<_> = RESOURCES.iter().map(|row| row.plural).collect();
        plurals.sort_unstable();
        plurals.dedup();
        assert_eq!(plurals.len(), RESOURCES.len());
        assert_eq!((NAMESPACES.kind, PODS.kind), ("Namespace", "Pod"));
        assert_eq!((EVENTS.kind, NODES.kind), ("Event", "Node"));
        assert_eq!((SERVICE_ACCOUNTS.kind, SERVICES.kind), ("ServiceAccount", "Service"));
    }
}
