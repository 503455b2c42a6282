//! Finds the controller of a pod, and its scale: the number of pods that it wants. The workloads of Kubernetes come
//! from caches, and controllers of other kinds from the server. Upstream: `finders`.

use std::sync::Arc;

use k8s_openapi::api::apps::v1::{Deployment, ReplicaSet, StatefulSet};
use k8s_openapi::api::core::v1::ReplicationController;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::OwnerReference;
use kube_client::Client;
use kube_client::api::{ApiResource, DynamicObject};
use kube_core::Resource;
use kube_informers::cache::{Done, SharedIndexInformer, SharedInformerFactory};

use super::scale;
use crate::shared::error::SyncError;
use crate::shared::object::{controller_of_kind, number, uid};

/// A controller and the number of pods that it wants.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ControllerAndScale {
    pub(super) uid: String,
    pub(super) scale: i64,
}

type Informer = SharedIndexInformer<DynamicObject>;

pub(super) struct Finders {
    client: Client,
    replication_controllers: Informer,
    replica_sets: Informer,
    deployments: Informer,
    stateful_sets: Informer,
}

impl Finders {
    pub(super) fn new(client: Client, factory: &SharedInformerFactory) -> Self {
        Self {
            client,
            replication_controllers: informer::<ReplicationController>(factory),
            replica_sets: informer::<ReplicaSet>(factory),
            deployments: informer::<Deployment>(factory),
            stateful_sets: informer::<StatefulSet>(factory),
        }
    }

    /// Returns the signals that fire when the caches are filled.
    pub(super) fn synced(&self) -> [Done; 4] {
        [&self.replication_controllers, &self.replica_sets, &self.deployments, &self.stateful_sets]
            .map(SharedIndexInformer::synced)
    }

    /// Returns the controller to which an owner reference leads. The controller of a ReplicaSet may be a Deployment,
    /// which then counts instead.
    pub(super) async fn find(
        &self,
        owner: &OwnerReference,
        namespace: &str,
    ) -> Result<Option<ControllerAndScale>, SyncError> {
        let group = owner.api_version.rsplit_once('/').map_or("", |(group, _)| group);
        let cached = match (group, owner.kind.as_str()) {
            ("", "ReplicationController") => referent(&self.replication_controllers, owner, namespace),
            ("apps" | "extensions", "ReplicaSet") => self.of_replica_set(owner, namespace),
            ("apps", "StatefulSet") => referent(&self.stateful_sets, owner, namespace),
            _ => None,
        };
        match cached {
            Some(workload) => Ok(Some(wanted(&workload))),
            None => scale::of(&self.client, owner, namespace).await,
        }
    }

    /// Returns the Deployment of a ReplicaSet, or the ReplicaSet if no Deployment controls it.
    fn of_replica_set(&self, owner: &OwnerReference, namespace: &str) -> Option<Arc<DynamicObject>> {
        let set = referent(&self.replica_sets, owner, namespace)?;
        match controller_of_kind(&set.metadata, "Deployment") {
            Some(deployment) => referent(&self.deployments, deployment, namespace),
            None => Some(set),
        }
    }
}

fn informer<K: Resource<DynamicType = ()>>(factory: &SharedInformerFactory) -> Informer {
    factory.dynamic_informer(&ApiResource::erase::<K>(&()))
}

/// Returns the object of an owner reference, and not a later object of the same name.
fn referent(informer: &Informer, owner: &OwnerReference, namespace: &str) -> Option<Arc<DynamicObject>> {
    let object = informer.reader().get(&format!("{namespace}/{}", owner.name))?;
    (uid(&object.metadata) == owner.uid).then_some(object)
}

fn wanted(workload: &DynamicObject) -> ControllerAndScale {
    ControllerAndScale { uid: uid(&workload.metadata).to_owned(), scale: number(workload, "/spec/replicas") }
}
