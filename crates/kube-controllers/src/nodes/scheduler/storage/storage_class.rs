//! The scheduler's view of a StorageClass.

use kube_client::api::DynamicObject;
use kube_machinery::kinds::{Resource, STORAGE_CLASSES};
use kube_machinery::value::{SmolStr, Value};

use super::{Hints, ObjectCache, Storage, StorageKind};
use crate::nodes::items::items;
use crate::shared::volume::{NO_PROVISIONER, is_delayed};

#[derive(Debug, PartialEq)]
pub(in crate::nodes::scheduler) struct StorageClass {
    pub(in crate::nodes::scheduler) binding: BindingMode,
    pub(in crate::nodes::scheduler) provisioner: SmolStr,
    /// The topologies in which volumes can be made.
    allowed_topologies: Value,
}

/// When the claims of a class get their volumes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::nodes::scheduler) enum BindingMode {
    Immediate,
    WaitForFirstConsumer,
}

impl StorageClass {
    /// Returns true if a provisioner makes volumes of the class.
    pub(in crate::nodes::scheduler) fn is_provisioned(&self) -> bool {
        !matches!(&*self.provisioner, "" | NO_PROVISIONER)
    }

    /// Returns true if a volume can be made for a node with these labels. A term without requirements allows no node.
    /// Upstream: `MatchTopologySelectorTerms`.
    pub(in crate::nodes::scheduler) fn allows(&self, node_labels: &Value) -> bool {
        let terms = items(&self.allowed_topologies);
        let has = |one: &Value| {
            let found = one["key"].as_str().and_then(|key| node_labels[key].as_str());
            found.is_some_and(|found| items(&one["values"]).iter().any(|value| value == found))
        };
        let allows = |term: &Value| {
            let expressions = items(&term["matchLabelExpressions"]);
            !expressions.is_empty() && expressions.iter().all(has)
        };
        terms.is_empty() || terms.iter().any(allows)
    }
}

impl StorageKind for StorageClass {
    const RESOURCE: &'static Resource = STORAGE_CLASSES;

    fn of(class: &DynamicObject) -> Self {
        Self {
            binding: if is_delayed(class) { BindingMode::WaitForFirstConsumer } else { BindingMode::Immediate },
            provisioner: class.data["provisioner"].as_str().unwrap_or_default().into(),
            allowed_topologies: class.data["allowedTopologies"].clone().into(),
        }
    }

    fn cache(storage: &mut Storage) -> &mut ObjectCache<Self> {
        &mut storage.classes
    }

    fn hint(key: &str, now: Option<&Self>, hints: &mut Hints) {
        if now.is_some() {
            hints.classes.insert(key.into());
        }
    }
}
