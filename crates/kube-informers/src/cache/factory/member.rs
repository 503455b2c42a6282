//! The members of a factory. AnyInformer is an informer without its type in the signature, because a factory holds
//! informers of many types. InformerId names it.

use std::any::{Any, TypeId, type_name};
use std::fmt;
use std::sync::Arc;

use futures::future::{BoxFuture, FutureExt};
use k8s_openapi::ClusterResourceScope;
use kube_core::Resource;
use tokio_util::sync::CancellationToken;

use crate::cache::key::Object;
use crate::cache::processor::RunError;
use crate::cache::shared_informer::SharedIndexInformer;
use crate::cache::signal::Done;

/// The identifier of a factory's informer: a Rust type and a kind. `Display` writes the kind: `Pod` for a kind in `v1`
/// of the core group, else `ReplicaSet.v1.apps`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct InformerId {
    kind: String,
    /// Typed, dynamic and metadata informers of one kind are different informers.
    type_name: &'static str,
    rust_type: TypeId,
}

impl InformerId {
    /// Returns the identifier of an informer whose type alone decides the kind, such as `Pod`.
    pub fn of<K: Resource<DynamicType = ()> + 'static>() -> Self {
        Self::of_kind::<K>(&())
    }

    /// Returns the identifier of an informer whose type needs a kind beside it, such as `DynamicObject`.
    pub fn of_kind<K: Resource + 'static>(kind: &K::DynamicType) -> Self {
        Self { kind: display_kind::<K>(kind), type_name: type_name::<K>(), rust_type: TypeId::of::<K>() }
    }

    /// Returns the identifier of an informer that watches the kind of `K` and decodes its objects as `P`
    /// ([`informer_as`]).
    ///
    /// [`informer_as`]: super::SharedInformerFactory::informer_as
    pub fn read_as<K: Resource<DynamicType = ()>, P: 'static>() -> Self {
        Self { kind: display_kind::<K>(&()), type_name: type_name::<P>(), rust_type: TypeId::of::<P>() }
    }

    /// Returns the kind as `Display` writes it.
    pub fn kind(&self) -> &str {
        &self.kind
    }
}

fn display_kind<K: Resource>(kind: &K::DynamicType) -> String {
    let (group, version, name) = (K::group(kind), K::version(kind), K::kind(kind));
    if group.is_empty() && version == "v1" { name.into() } else { format!("{name}.{version}.{group}") }
}

impl fmt::Display for InformerId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.kind)
    }
}

/// A function that marks an informer as stopped although it never ran, so that waits for its first list end.
type GiveUp = Arc<dyn Fn() + Send + Sync>;
/// A function that runs an informer until its argument is cancelled.
type Run = Box<dyn Fn(CancellationToken) -> BoxFuture<'static, Result<(), RunError>> + Send + Sync>;

/// An informer of any type, with the functions that need its type.
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
        let runner = informer.clone();
        let run = move |stop| runner.clone().run(stop).boxed();
        let for_give_up = informer.clone();
        Self {
            id,
            synced: informer.synced(),
            informer: Box::new(informer),
            run: Box::new(run),
            give_up: Arc::new(move || for_give_up.give_up()),
            started: false,
        }
    }

    /// Returns the informer with its type, if it has this identifier.
    pub fn informer<K: 'static>(&self, id: &InformerId) -> Option<SharedIndexInformer<K>> {
        if self.id == *id { self.informer.downcast_ref().cloned() } else { None }
    }

    /// Returns the informer's run; `None` if it was started before.
    pub fn start(&mut self, stop: &CancellationToken) -> Option<BoxFuture<'static, Result<(), RunError>>> {
        let is_first = !std::mem::replace(&mut self.started, true);
        is_first.then(|| (self.run)(stop.clone()))
    }

    /// Returns a function that marks an informer as stopped; `None` if it was started. The caller must call the
    /// function without a lock, because it drops handlers.
    pub fn give_up(&self) -> Option<GiveUp> {
        (!self.started).then(|| self.give_up.clone())
    }

    /// Returns the identifier and the sync signal, if the informer was started.
    pub fn started(&self) -> Option<(InformerId, Done)> {
        self.started.then(|| (self.id.clone(), self.synced.clone()))
    }
}

/// Returns true if the type is namespaced, or if that is known only at run time.
pub(super) fn may_be_namespaced<K: Resource>() -> bool
where
    K::Scope: 'static,
{
    TypeId::of::<K::Scope>() != TypeId::of::<ClusterResourceScope>()
}
