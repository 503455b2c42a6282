//! SharedInformerFactory: one informer per type, however often it is asked for. Upstream: `client-go/informers/factory.go`.

use std::any::{Any, TypeId};
use std::collections::BTreeMap;
use std::fmt::Debug;
use std::sync::Arc;
use std::time::Duration;

use futures::future::BoxFuture;
use k8s_openapi::ClusterResourceScope;
use kube::core::Resource;
use serde::de::DeserializeOwned;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use super::done::{Done, wait_for};
use super::index::{NAMESPACE_INDEX, meta_namespace_index};
use super::list_watch::ListWatch;
use super::lock::{Mutex, lock};
use super::observe::Observer;
use super::processor::join_all;
use super::queue_kind::QueueKind;
use super::reflector::{ReflectorError, WatchList};
use super::shared_informer::SharedIndexInformer;

type OnError = Arc<dyn Fn(ReflectorError) + Send + Sync>;

/// Makes informers that share one client, and starts, awaits and ends them together.
///
/// Every informer has the index [`NAMESPACE_INDEX`].
///
/// ```
/// # #[tokio::main(flavor = "current_thread", start_paused = true)] async fn main() {
/// use informer_lab::{cache::SharedInformerFactory, cluster::Cluster};
/// use k8s_openapi::api::core::v1::Pod;
/// use tokio_util::sync::CancellationToken;
///
/// let cluster = Cluster::builder().start();
/// let factory = SharedInformerFactory::new(cluster.client("default")).namespace("default");
/// let pods = factory.informer::<Pod>();
///
/// let stop = CancellationToken::new();
/// factory.start(&stop);
/// assert!(factory.wait_for_cache_sync(&stop).await["Pod"]);
/// assert!(pods.indexer().list().is_empty());
/// stop.cancel();
/// factory.shutdown().await;
/// # }
/// ```
pub struct SharedInformerFactory {
    client: kube::Client,
    namespace: Option<String>,
    resync: Duration,
    on_error: Option<OnError>,
    queue: QueueKind,
    watch_list: WatchList,
    random: fastrand::Rng,
    observer: Observer,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// In the order in which the types were first asked for.
    informers: Vec<Member>,
    tasks: Vec<JoinHandle<()>>,
    shutting_down: bool,
}

struct Member {
    id: TypeId,
    kind: String,
    informer: Box<dyn Any + Send + Sync>,
    run: Box<dyn Fn(CancellationToken) -> BoxFuture<'static, ()> + Send + Sync>,
    synced: Done,
    started: bool,
}

impl SharedInformerFactory {
    /// A factory for all namespaces, without resync.
    pub fn new(client: kube::Client) -> Self {
        Self {
            client,
            namespace: None,
            resync: Duration::ZERO,
            on_error: None,
            queue: QueueKind::default(),
            watch_list: WatchList::default(),
            random: fastrand::Rng::new(),
            observer: Observer::default(),
            state: Mutex::default(),
        }
    }

    /// Only the objects of this namespace, for types that have one.
    #[must_use]
    pub fn namespace(mut self, namespace: &str) -> Self {
        self.namespace = Some(namespace.to_owned());
        self
    }

    /// How often handlers are told of everything again; zero, the default, is never.
    #[must_use]
    pub fn resync(mut self, period: Duration) -> Self {
        self.resync = period;
        self
    }

    /// Called with each failure of a list and of opening a watch, before the next try.
    #[must_use]
    pub fn on_error(mut self, on_error: impl Fn(ReflectorError) + Send + Sync + 'static) -> Self {
        self.on_error = Some(Arc::new(on_error));
        self
    }

    /// Which queue each informer has; today's client-go's by default.
    #[must_use]
    pub fn queue(mut self, queue: QueueKind) -> Self {
        self.queue = queue;
        self
    }

    /// How each informer gets what exists; by a LIST by default.
    #[must_use]
    pub fn watch_list(mut self, watch_list: WatchList) -> Self {
        self.watch_list = watch_list;
        self
    }

    /// Where the jitter of waits and watch timeouts comes from; by default from the operating system.
    #[must_use]
    pub fn random(mut self, random: fastrand::Rng) -> Self {
        self.random = random;
        self
    }

    /// Tells `observer` what every informer does.
    #[must_use]
    pub fn observer(mut self, observer: Observer) -> Self {
        self.observer = observer;
        self
    }

    /// The informer of a type: the same one each time. It lists nothing before [`SharedInformerFactory::start`].
    pub fn informer<K>(&self) -> SharedIndexInformer<K>
    where
        K: Resource<DynamicType = ()> + DeserializeOwned + Debug + Send + Sync + 'static,
        K::Scope: 'static,
    {
        let mut state = lock(&self.state);
        let id = TypeId::of::<K>();
        let known = state.informers.iter().find(|member| member.id == id);
        if let Some(informer) = known.and_then(|member| member.informer.downcast_ref::<SharedIndexInformer<K>>()) {
            return informer.clone();
        }
        let informer = self.make::<K>();
        let run = {
            let informer = informer.clone();
            move |stop| -> BoxFuture<'static, ()> {
                let informer = informer.clone();
                Box::pin(async move { informer.run(stop).await })
            }
        };
        state.informers.push(Member {
            id,
            kind: K::kind(&()).into_owned(),
            synced: informer.synced(),
            informer: Box::new(informer.clone()),
            run: Box::new(run),
            started: false,
        });
        informer
    }

    fn make<K>(&self) -> SharedIndexInformer<K>
    where
        K: Resource<DynamicType = ()> + DeserializeOwned + Debug + Send + Sync + 'static,
        K::Scope: 'static,
    {
        let has_namespace = TypeId::of::<K::Scope>() != TypeId::of::<ClusterResourceScope>();
        let namespace = self.namespace.as_deref().filter(|_| has_namespace);
        let source = ListWatch::<K>::of_type(self.client.clone(), namespace, &());
        let mut builder = SharedIndexInformer::builder(source)
            .resync(self.resync)
            .queue(self.queue)
            .watch_list(self.watch_list)
            .random(self.random.clone())
            .observer(self.observer.clone());
        if let Some(on_error) = self.on_error.clone() {
            builder = builder.on_error(move |error| on_error(error));
        }
        let informer = builder.build();
        informer
            .add_indexers(vec![(NAMESPACE_INDEX.to_owned(), Arc::new(meta_namespace_index))])
            .expect("a new informer has no index of that name and no object");
        informer
    }

    /// Runs, until `stop`, every informer that was asked for and does not run yet. Returns at once; call it again after
    /// asking for more. Does nothing once the shutdown has begun.
    ///
    /// # Panics
    /// Outside of a tokio runtime.
    pub fn start(&self, stop: &CancellationToken) {
        let mut state = lock(&self.state);
        if state.shutting_down {
            return;
        }
        let State { informers, tasks, .. } = &mut *state;
        for member in informers.iter_mut().filter(|member| !member.started) {
            member.started = true;
            tasks.push(tokio::spawn((member.run)(stop.clone())));
        }
    }

    /// Waits until every informer that runs now has synced, or until `stop`; says by kind which have.
    pub async fn wait_for_cache_sync(&self, stop: &CancellationToken) -> BTreeMap<String, bool> {
        let started: Vec<(String, Done)> = {
            let state = lock(&self.state);
            let started = state.informers.iter().filter(|member| member.started);
            started.map(|member| (member.kind.clone(), member.synced.clone())).collect()
        };
        let signals: Vec<Done> = started.iter().map(|(_, synced)| synced.clone()).collect();
        wait_for(stop, &signals).await;
        started.into_iter().map(|(kind, synced)| (kind, synced.is_done())).collect()
    }

    /// Forbids further starts and waits for the informers that run; cancel their `stop` before or meanwhile.
    ///
    /// # Panics
    /// If a handler panicked.
    pub async fn shutdown(&self) {
        let tasks = {
            let mut state = lock(&self.state);
            state.shutting_down = true;
            std::mem::take(&mut state.tasks)
        };
        join_all(tasks).await;
    }
}
