//! One informer of a factory, whatever its type.

use std::any::{Any, TypeId, type_name};
use std::fmt;
use std::sync::Arc;

use futures::future::{BoxFuture, FutureExt};
use k8s_openapi::ClusterResourceScope;
use kube_core::Resource;
use tokio_util::sync::CancellationToken;

use crate::cache::done::Done;
use crate::cache::key::Object;
use crate::cache::processor::RunError;
use crate::cache::shared_informer::SharedIndexInformer;

/// Which informer of a factory: one for each Rust type and kind. Shown as the kind: `Pod`, or `ReplicaSet.v1.apps` where the group
/// has a name.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct InformerId {
    kind: String,
    /// Typed, dynamic and metadata informers of one kind are three.
    type_name: &'static str,
    rust_type: TypeId,
}

impl InformerId {
    /// The informer of a type whose kind the type says.
    pub fn of<K: Resource<DynamicType = ()> + 'static>() -> Self {
        Self::of_kind::<K>(&())
    }

    /// The informer of a type and a kind, such as `DynamicObject` and the kind of a custom resource.
    pub fn of_kind<K: Resource + 'static>(kind: &K::DynamicType) -> Self {
        Self { kind: shown::<K>(kind), type_name: type_name::<K>(), rust_type: TypeId::of::<K>() }
    }

    /// The informer of a type whose objects are read as a `P` ([`informer_as`]).
    ///
    /// [`informer_as`]: super::SharedInformerFactory::informer_as
    pub fn read_as<K: Resource<DynamicType = ()>, P: 'static>() -> Self {
        Self { kind: shown::<K>(&()), type_name: type_name::<P>(), rust_type: TypeId::of::<P>() }
    }

    /// The kind, as it is shown.
    pub fn kind(&self) -> &str {
        &self.kind
    }
}

fn shown<K: Resource>(kind: &K::DynamicType) -> String {
    let (group, version, name) = (K::group(kind), K::version(kind), K::kind(kind));
    if group.is_empty() && version == "v1" { name.into() } else { format!("{name}.{version}.{group}") }
}

impl fmt::Display for InformerId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.kind)
    }
}

type GiveUp = Arc<dyn Fn() + Send + Sync>;
type Run = Box<dyn Fn(CancellationToken) -> BoxFuture<'static, Result<(), RunError>> + Send + Sync>;

/// An informer of any type.
pub(super) struct AnyInformer {
    pub id: InformerId,
    informer: Box<dyn Any + Send + Sync>,
    run: Run,
    give_up: GiveUp,
    synced: Done,
    started: bool,
}

impl AnyInformer {
    pub fn new<K: Object + Send + Sync + 'static>(id: InformerId, informer: SharedIndexInformer<K>) -> Self {
        let runs = informer.clone();
        let run = move |stop| runs.clone().run(stop).boxed();
        let unused = informer.clone();
        Self {
            id,
            synced: informer.synced(),
            informer: Box::new(informer),
            run: Box::new(run),
            give_up: Arc::new(move || unused.give_up()),
            started: false,
        }
    }

    pub fn informer<K: 'static>(&self, id: &InformerId) -> Option<SharedIndexInformer<K>> {
        if self.id == *id { self.informer.downcast_ref().cloned() } else { None }
    }

    /// What is to be run; nothing if that was asked for before.
    pub fn start(&mut self, stop: &CancellationToken) -> Option<BoxFuture<'static, Result<(), RunError>>> {
        let first = !std::mem::replace(&mut self.started, true);
        first.then(|| (self.run)(stop.clone()))
    }

    /// What has it stop without having run, if it was not started. To be called without a lock: it drops handlers.
    pub fn give_up(&self) -> Option<GiveUp> {
        (!self.started).then(|| self.give_up.clone())
    }

    /// Its name and its signal, if it was started.
    pub fn started(&self) -> Option<(InformerId, Done)> {
        self.started.then(|| (self.id.clone(), self.synced.clone()))
    }
}

/// Do the objects of this type live in namespaces?
pub(super) fn has_namespace<K: Resource>() -> bool
where
    K::Scope: 'static,
{
    TypeId::of::<K::Scope>() != TypeId::of::<ClusterResourceScope>()
}
