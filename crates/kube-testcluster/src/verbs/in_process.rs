//! Requests of the cluster's own kubelets and scheduler. Their crate knows only the trait [`Requests`]; this file
//! implements it with the server's own functions, without HTTP, so that a cluster with thousands of pods stays fast.
//! The same rules apply as for clients: admission, validation, managed fields.

use std::sync::Arc;

use futures::future::BoxFuture;
use futures::stream::FuturesUnordered;
use futures::{FutureExt, StreamExt, stream};
use kube_client::Error;
use kube_core::Status;

use super::create::Creation;
use super::ownership::{Component, CreatedBy, Writer};
use super::patch::PatchBody;
use super::subresources::binding;
use super::watcher::Changes;
use super::{key, next_state, patch, pod_status};
use crate::admission::Gate;
use crate::http::field_validation::Strictness;
use crate::http::request_info::Target;
use crate::http::status::ApiError;
use crate::http::write_options::WriteOptions;
use crate::store::object::{Key, Opened};
use crate::store::{Commit, Store, StoreError};
use kube_controllers::nodes::requests::{Answer, Author, ObjectChange, ObjectRef, ObjectWatch, Received, Requests};
use kube_machinery::codec::schema::Decoded;
use kube_machinery::conventions::edit::object;
use kube_machinery::kinds::{NODES, Resource, Subresource};
use kube_machinery::value::{Value, json};

/// The options of a request without a query. Warnings are off, because the components would not read them.
const OPTIONS: WriteOptions = WriteOptions { commit: Commit::Really, strictness: Strictness::Ignore };

/// The API server for components in the same process.
#[derive(Debug)]
pub(crate) struct InProcess(pub(crate) Arc<Store>);

impl Requests for InProcess {
    fn get(&self, object: ObjectRef) -> Answer<'_, Received> {
        let target = target(object.resource, object.namespace, Some(object.name), None);
        async move {
            let key = key(&target)?;
            let found =
                self.0.get(&target.resource, &key).ok_or_else(|| StoreError::not_found(&target.resource, &key))?;
            Ok(Received::new(found.open()?))
        }
        .map(|answer| answer.map_err(refused))
        .boxed()
    }

    fn changed(&self, objects: Vec<ObjectRef>) -> BoxFuture<'static, ()> {
        let changes = objects.iter().filter_map(|object| {
            let namespace = object.resource.is_namespaced().then_some(object.namespace.as_str());
            Changes::of(&self.0, object.resource, &Key::new(namespace, &object.name)).ok()
        });
        // Each subscription begins here, and not when the future is polled first.
        let changes = changes.map(|mut changes| async move { changes.next().await });
        let mut changes: FuturesUnordered<_> = changes.collect();
        async move {
            if changes.next().await.is_none() {
                std::future::pending::<()>().await; // there is nothing to wait for
            }
        }
        .boxed()
    }

    fn watch(&self, resource: &'static Resource) -> ObjectWatch {
        let (objects, revision, events) = self.0.lock().follow(resource);
        let opened = objects.into_iter().filter_map(|object| object.open().ok().map(Received::new));
        let changes = stream::unfold(events, |mut events| async {
            let (event, current) = events.recv().await?;
            let change = match current {
                Some(object) => ObjectChange::Written(Received::new(object)),
                None => ObjectChange::Removed { uid: event.object().summary.uid().to_owned() },
            };
            Some(((event.revision, change), events))
        });
        ObjectWatch { objects: Box::new(opened), revision, changes: changes.boxed() }
    }

    fn create(&self, author: Author, resource: &'static Resource, namespace: String, object: Value) -> Answer<'_, ()> {
        let target = target(resource, namespace, None, None);
        async move {
            let Decoded { value, mut faults } = decoded(resource, object)?;
            let (gate, writer) = (self.gate(&target), writer(author));
            let (commit, created_by) = (OPTIONS.commit, CreatedBy::Post);
            let creation =
                Creation { store: &self.0, target: &target, gate: &gate, commit, writer: &writer, created_by };
            creation.write(value, &mut faults).await.map(drop)
        }
        .map(|answer| answer.map_err(refused))
        .boxed()
    }

    fn bind(&self, pod: ObjectRef, binding: Value) -> Answer<'_, Received> {
        let target = target(pod.resource, pod.namespace, Some(pod.name), Some(Subresource::Binding));
        async move {
            let gate = self.gate(&target);
            binding::write(&self.0, &target, &gate, binding, OPTIONS.commit).await.map(Received::new)
        }
        .map(|answer| answer.map_err(refused))
        .boxed()
    }

    fn patch(&self, author: Author, object: ObjectRef, patch: Value) -> Answer<'_, Received> {
        let target = target(object.resource, object.namespace, Some(object.name), None);
        async move {
            let patch = PatchBody::of(patch);
            let (gate, writer) = (self.gate(&target), writer(author));
            let (written, _) = patch::write(&self.0, &target, &gate, &patch, OPTIONS, &writer).await;
            written.map(Received::new)
        }
        .map(|answer| answer.map_err(refused))
        .boxed()
    }

    fn write_status(&self, author: Author, pod: ObjectRef, uid: String, reported: Value) -> Answer<'_, Received> {
        let subresource = Subresource::Status;
        let target = target(pod.resource, pod.namespace, Some(pod.name), Some(subresource));
        async move {
            let (key, gate, writer) = (key(&target)?, self.gate(&target), writer(author));
            let next = async |pod: Arc<Opened>| {
                let mut value = pod.value.clone();
                value["metadata"]["uid"] = uid.as_str().into();
                pod_status::merge(object(&mut value["status"]), &reported);
                let value = pod.resource.decode_change(value, &pod.value).map_err(ApiError::bad_request)?.value;
                let next = next_state::admitted(&self.0, &gate, &pod, &pod.resource, value, Some(subresource), &writer)
                    .await?;
                Ok((pod.resource.clone(), next))
            };
            self.0.guaranteed_update(&target.resource, &key, OPTIONS.commit, next).await.map(Received::new)
        }
        .map(|answer| answer.map_err(refused))
        .boxed()
    }

    fn patch_node_status(&self, node: String, uid: String, status: Value) -> Answer<'_, ()> {
        let target = target(NODES, String::new(), Some(node), Some(Subresource::Status));
        async move {
            let patch = PatchBody::strategic(json!({"metadata": {"uid": uid}, "status": status}));
            let (gate, writer) = (self.gate(&target), writer(Author::Kubelet));
            let (written, _) = patch::write(&self.0, &target, &gate, &patch, OPTIONS, &writer).await;
            written.map(drop)
        }
        .map(|answer| answer.map_err(refused))
        .boxed()
    }
}

impl InProcess {
    /// Returns the admission gate: webhooks and policies also apply to the cluster's own components.
    fn gate(&self, target: &Target) -> Gate<'_> {
        Gate::of_node(&self.0, target)
    }
}

fn writer(author: Author) -> Writer {
    let component = match author {
        Author::Scheduler => Component::SCHEDULER,
        Author::Kubelet => Component::KUBELET,
    };
    Writer::named(component.0)
}

fn target(resource: &Resource, namespace: String, name: Option<String>, subresource: Option<Subresource>) -> Target {
    Target {
        resource: resource.clone(),
        served: resource.clone(),
        namespace: Some(namespace).filter(|_| resource.is_namespaced()),
        name,
        subresource,
        watch: false,
    }
}

fn decoded(resource: &Resource, object: Value) -> Result<Decoded, ApiError> {
    resource.decode_value(object).map_err(ApiError::bad_request)
}

/// Returns the error as a client of the API gets it.
fn refused(error: ApiError) -> Error {
    match serde_json::from_slice::<Status>(&error.json()) {
        Ok(status) => Error::Api(Box::new(status)),
        Err(error) => Error::SerdeError(error),
    }
}
