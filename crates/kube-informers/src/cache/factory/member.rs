//! One informer of a factory, whatever its type.

use std::any::{Any, TypeId};

use futures::future::{BoxFuture, FutureExt};
use k8s_openapi::ClusterResourceScope;
use kube_core::Resource;
use tokio_util::sync::CancellationToken;

use crate::cache::done::Done;
use crate::cache::key::Object;
use crate::cache::shared_informer::SharedIndexInformer;

/// What makes two informers the same: the Rust type, and the kind, which a dynamic type has many of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Id {
    rust_type: TypeId,
    kind: String,
}

impl Id {
    pub fn of<K: Resource + 'static>(kind: &K::DynamicType) -> Self {
        let (group, version, name) = (K::group(kind), K::version(kind), K::kind(kind));
        let kind = if group.is_empty() && version == "v1" { name.into() } else { format!("{name}.{version}.{group}") };
        Self { rust_type: TypeId::of::<K>(), kind }
    }
}

type Run = Box<dyn Fn(CancellationToken) -> BoxFuture<'static, ()> + Send + Sync>;

pub(super) struct Member {
    id: Id,
    informer: Box<dyn Any + Send + Sync>,
    run: Run,
    synced: Done,
    started: bool,
}

impl Member {
    pub fn new<K: Object + Send + Sync + 'static>(id: Id, informer: SharedIndexInformer<K>) -> Self {
        let runs = informer.clone();
        let run = move |stop| runs.clone().run_owned(stop).boxed();
        Self { id, synced: informer.synced(), informer: Box::new(informer), run: Box::new(run), started: false }
    }

    pub fn informer<K: 'static>(&self, id: &Id) -> Option<SharedIndexInformer<K>> {
        if self.id == *id { self.informer.downcast_ref().cloned() } else { None }
    }

    /// What is to be run; nothing if that was asked for before.
    pub fn start(&mut self, stop: &CancellationToken) -> Option<BoxFuture<'static, ()>> {
        let first = !std::mem::replace(&mut self.started, true);
        first.then(|| (self.run)(stop.clone()))
    }

    /// The kind and its signal, if it was started.
    pub fn started(&self) -> Option<(String, Done)> {
        self.started.then(|| (self.id.kind.clone(), self.synced.clone()))
    }
}

/// Do the objects of this type live in namespaces?
pub(super) fn has_namespace<K: Resource>() -> bool
where
    K::Scope: 'static,
{
    TypeId::of::<K::Scope>() != TypeId::of::<ClusterResourceScope>()
}
