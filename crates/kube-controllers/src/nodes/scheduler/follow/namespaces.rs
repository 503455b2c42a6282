//! Takes over the labels of the namespaces. After each change of labels, tries the waiting pods again.

use std::collections::BTreeMap;

use kube_client::api::DynamicObject;
use kube_core::ResourceExt;
use kube_machinery::kinds::{NAMESPACES, Resource};
use kube_machinery::value::{Value, json};

use super::{Change, Follow};
use crate::nodes::scheduler::Scheduler;

pub(in crate::nodes::scheduler) struct FollowNamespaces(pub(in crate::nodes::scheduler) Scheduler);

impl Follow for FollowNamespaces {
    const RESOURCE: &'static Resource = NAMESPACES;

    fn replace(&self, list: &[DynamicObject]) {
        let listed: BTreeMap<String, Value> = list.iter().map(|one| (one.name_any(), labels(one))).collect();
        let mut gone: Vec<String> = self.0.lock().cache.namespaces.names().map(ToOwned::to_owned).collect();
        gone.retain(|name| !listed.contains_key(name));
        let gone = gone.into_iter().map(|name| (name, None));
        self.set(gone.chain(listed.into_iter().map(|(name, labels)| (name, Some(labels)))));
    }

    fn change(&self, changes: &[Change]) {
        self.set(changes.iter().map(Change::named).map(|(name, namespace)| (name, namespace.map(labels))));
    }
}

impl FollowNamespaces {
    fn set(&self, namespaces: impl Iterator<Item = (String, Option<Value>)>) {
        let mut state = self.0.lock();
        for (name, labels) in namespaces {
            state.set_namespace(&name, labels);
        }
    }
}

fn labels(namespace: &DynamicObject) -> Value {
    json!(namespace.metadata.labels)
}
