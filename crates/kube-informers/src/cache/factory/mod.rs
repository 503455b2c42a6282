//! SharedInformerFactory: one shared informer per type. Upstream: `client-go/informers/factory.go`.

mod customizations;
mod failure;
mod member;

use std::collections::BTreeMap;
use std::future::IntoFuture;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures::future::FutureExt;
use kube_core::{ApiResource, DynamicObject, Resource};
use serde::de::DeserializeOwned;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tracing::error;

use crate::cache::causes::with_causes;
use crate::cache::fifo::QueueKind;
use crate::cache::key::Object;
use crate::cache::lister_watcher::{ListOptions, ListWatch, ManagedFields, Tweak};
use crate::cache::observe::Observer;
use crate::cache::processor::{Panic, RunError};
use crate::cache::reflector::ReflectorOptions;
use crate::cache::shared_informer::{SharedIndexInformer, SharedIndexInformerBuilder};
use crate::cache::signal::{Done, DoneSender};
use crate::cache::store::{NAMESPACE_INDEX, meta_namespace_index};
use crate::lock::{Mutex, lock};

use customizations::Customizations;
use member::AnyInformer;

pub use failure::InformerFailed;
pub use member::InformerId;

/// Makes informers that share one client, and starts, awaits and stops them together (client-go's
/// `SharedInformerFactory`).
///
/// A second request for the same type returns the same informer. Every informer has the index [`NAMESPACE_INDEX`].
///
/// ```
/// # #[tokio::main(flavor = "current_thread", start_paused = true)] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use kube_informers::cache::SharedInformerFactory;
/// use kube_testcluster::Cluster;
/// use k8s_openapi::api::core::v1::Pod;
/// use tokio_util::sync::CancellationToken;
///
/// let cluster = Cluster::builder().start();
/// let factory = SharedInformerFactory::new(cluster.client("default")).namespace("default");
/// let pods = factory.informer::<Pod>();
///
/// let stop = CancellationToken::new();
/// factory.start(&stop);
/// assert!(factory.wait_for_cache_sync(&stop).await.values().all(|synced| *synced));
/// assert!(pods.reader().list().is_empty());
/// stop.cancel();
/// factory.shutdown().await?;
/// # Ok(()) }
/// ```
pub struct SharedInformerFactory {
    client: kube_client::Client,
    namespace: Option<String>,
    resync: Duration,
    tweak: Option<Tweak>,
    managed_fields: ManagedFields,
    customizations: Customizations,
    queue: QueueKind,
    drain_limit: Option<Duration>,
    reflector: ReflectorOptions,
    observer: Observer,
    informers: Mutex<Informers>,
    /// The runs of the informers.
    tasks: TaskTracker,
    failure: Arc<FirstFailure>,
}

#[derive(Default)]
struct Informers {
    /// The informers in the order in which they were first requested.
    all: Vec<AnyInformer>,
    shutting_down: bool,
}

impl Informers {
    fn get<K: 'static>(&self, id: &InformerId) -> Option<SharedIndexInformer<K>> {
        self.all.iter().find_map(|informer| informer.informer(id))
    }
}

#[derive(Default)]
struct FirstFailure {
    failed: Mutex<Option<InformerFailed>>,
    /// Fires at the first failure.
    happened: DoneSender,
}

impl FirstFailure {
    /// Logs a failure, and keeps it if it is the first.
    fn record(&self, informer: InformerId, error: RunError) {
        error!("the informer of {informer} ended: {}", with_causes(&error));
        lock(&self.failed).get_or_insert(InformerFailed { informer, source: Arc::new(error) });
        self.happened.fire();
    }
}

impl SharedInformerFactory {
    /// Makes a factory for all namespaces, without resync.
    pub fn new(client: kube_client::Client) -> Self {
        Self {
            client,
            namespace: None,
            resync: Duration::ZERO,
            tweak: None,
            managed_fields: ManagedFields::Kept,
            customizations: Customizations::default(),
            queue: QueueKind::default(),
            drain_limit: None,
            reflector: ReflectorOptions::default(),
            observer: Observer::default(),
            informers: Mutex::default(),
            tasks: TaskTracker::new(),
            failure: Arc::default(),
        }
    }

    /// Restricts namespaced types to this namespace; an empty one means all namespaces (client-go's `WithNamespace` and
    /// `NamespaceAll`).
    #[must_use]
    pub fn namespace(mut self, namespace: &str) -> Self {
        self.namespace = Some(namespace.to_owned()).filter(|namespace| !namespace.is_empty());
        self
    }

    /// Sets the default resync period of handlers; zero, the default, means never.
    #[must_use]
    pub fn resync(mut self, period: Duration) -> Self {
        self.resync = period;
        self
    }

    /// Sets a function that changes the options of every list and watch just before the request (client-go's
    /// `WithTweakListOptions`).
    #[must_use]
    pub fn tweak_list_options(mut self, tweak: impl Fn(&mut ListOptions) + Send + Sync + 'static) -> Self {
        self.tweak = Some(Arc::new(tweak));
        self
    }

    /// Drops `metadata.managedFields` of all objects; see [`ListWatch::without_managed_fields`].
    #[must_use]
    pub fn without_managed_fields(mut self) -> Self {
        self.managed_fields = ManagedFields::Skipped;
        self
    }

    /// Sets a function that configures the informers of one type, for example with a resync period or a transformer.
    ///
    /// If set twice for a type, the last function is used. For [`DynamicObject`], the function is called for each kind.
    /// The builder already has the index [`NAMESPACE_INDEX`]. If two threads request an informer at the same time, the
    /// function may be called twice, and one result is dropped.
    ///
    /// ```
    /// # fn example(client: kube::Client) {
    /// use kube_informers::cache::SharedInformerFactory;
    /// use k8s_openapi::api::core::v1::Pod;
    /// use std::{sync::Arc, time::Duration};
    ///
    /// let factory = SharedInformerFactory::new(client).customize::<Pod>(|pods| {
    ///     pods.resync(Duration::from_secs(600)).transformer(|pod| {
    ///         let mut pod = Arc::unwrap_or_clone(pod);
    ///         pod.metadata.managed_fields = None;
    ///         Ok(Arc::new(pod))
    ///     })
    /// });
    /// # }
    /// ```
    #[must_use]
    pub fn customize<K: 'static>(
        mut self,
        how: impl Fn(SharedIndexInformerBuilder<K>) -> SharedIndexInformerBuilder<K> + Send + Sync + 'static,
    ) -> Self {
        self.customizations.set(how);
        self
    }

    /// Sets the kind of the informers' delta queues. The default is that of current client-go.
    #[must_use]
    pub fn queue(mut self, queue: QueueKind) -> Self {
        self.queue = queue;
        self
    }

    /// Sets how long a stopped informer waits for its handlers to finish; see
    /// [`SharedIndexInformerBuilder::drain_limit`].
    #[must_use]
    pub fn drain_limit(mut self, limit: Duration) -> Self {
        self.drain_limit = Some(limit);
        self
    }

    /// Sets the options of the informers' Reflectors. Each Reflector has its own jitter.
    #[must_use]
    pub fn reflector(mut self, options: ReflectorOptions) -> Self {
        self.reflector = options;
        self
    }

    /// Sets the observer that gets the events of all informers.
    #[must_use]
    pub fn observer(mut self, observer: Observer) -> Self {
        self.observer = observer;
        self
    }

    /// Returns the informer of a type, the same one each time (client-go's `InformerFor`). It does nothing before
    /// [`SharedInformerFactory::start`].
    pub fn informer<K>(&self) -> SharedIndexInformer<K>
    where
        K: Resource<DynamicType = ()> + DeserializeOwned + Send + Sync + 'static,
        K::Scope: 'static,
    {
        self.informer_of(InformerId::of::<K>(), member::may_be_namespaced::<K>(), ListWatch::of_known_type)
    }

    /// Returns the informer of a type whose objects are decoded as a `P` ([`ListWatch::read_as`]). It is the same
    /// informer each time, but not that of [`informer`](Self::informer): it has its own list and watch.
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread", start_paused = true)] async fn main() {
    /// use kube_informers::cache::{Meta, Object, SharedInformerFactory, SlimMeta};
    /// use kube_testcluster::Cluster;
    /// use k8s_openapi::api::core::v1::Namespace;
    /// use tokio_util::sync::CancellationToken;
    ///
    /// #[derive(serde::Deserialize)]
    /// struct Named {
    ///     metadata: SlimMeta,
    /// }
    ///
    /// impl Object for Named {
    ///     fn meta(&self) -> Meta<'_> {
    ///         self.metadata.meta()
    ///     }
    /// }
    ///
    /// let cluster = Cluster::builder().start();
    /// let factory = SharedInformerFactory::new(cluster.client("default"));
    /// let namespaces = factory.informer_as::<Namespace, Named>();
    ///
    /// let stop = CancellationToken::new();
    /// factory.start(&stop);
    /// assert!(factory.wait_for_cache_sync(&stop).await.values().all(|synced| *synced));
    /// assert!(namespaces.reader().get("default").is_some());
    /// # stop.cancel();
    /// # }
    /// ```
    pub fn informer_as<K, P>(&self) -> SharedIndexInformer<P>
    where
        K: Resource<DynamicType = ()>,
        K::Scope: 'static,
        P: Object + DeserializeOwned + Send + Sync + 'static,
    {
        self.informer_of(InformerId::read_as::<K, P>(), member::may_be_namespaced::<K>(), |client, namespace| {
            ListWatch::<K>::of_known_type(client, namespace).read_as()
        })
    }

    /// Returns the informer of a kind that is known only at run time, the same one each time (client-go's
    /// `dynamicinformer`).
    ///
    /// The factory's namespace applies to it, so in a factory with a namespace the kind must be namespaced.
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread", start_paused = true)] async fn main() {
    /// use kube_informers::cache::SharedInformerFactory;
    /// use kube_testcluster::Cluster;
    /// use kube::core::{ApiResource, GroupVersionKind};
    /// use tokio_util::sync::CancellationToken;
    ///
    /// let cluster = Cluster::builder().start();
    /// let factory = SharedInformerFactory::new(cluster.client("default"));
    /// let namespaces = ApiResource::from_gvk(&GroupVersionKind::gvk("", "v1", "Namespace"));
    /// let informer = factory.dynamic_informer(&namespaces);
    ///
    /// let stop = CancellationToken::new();
    /// factory.start(&stop);
    /// assert!(factory.wait_for_cache_sync(&stop).await.values().all(|synced| *synced));
    /// assert!(informer.reader().get("default").is_some());
    /// # stop.cancel();
    /// # }
    /// ```
    pub fn dynamic_informer(&self, resource: &ApiResource) -> SharedIndexInformer<DynamicObject> {
        let id = InformerId::of_kind::<DynamicObject>(resource);
        let may_be_namespaced = true; // only the server knows
        self.informer_of(id, may_be_namespaced, |client, namespace| {
            ListWatch::of_dynamic_type(client, namespace, resource)
        })
    }

    /// Returns the informer with this identifier. Makes it for `source` if it was not requested before.
    fn informer_of<T>(
        &self,
        id: InformerId,
        may_be_namespaced: bool,
        source: impl FnOnce(kube_client::Client, Option<&str>) -> ListWatch<T>,
    ) -> SharedIndexInformer<T>
    where
        T: Object + DeserializeOwned + Send + Sync + 'static,
    {
        if let Some(informer) = lock(&self.informers).get(&id) {
            return informer;
        }
        let namespace = self.namespace.as_deref().filter(|_| may_be_namespaced);
        // Without the lock, because a customization may request informers from this factory. If two are made at once,
        // the first is kept.
        let made = self.make(source(self.client.clone(), namespace));
        let mut informers = lock(&self.informers);
        if let Some(informer) = informers.get(&id) {
            drop(informers);
            return informer;
        }
        informers.all.push(AnyInformer::new(id, made.clone()));
        if informers.shutting_down {
            drop(informers);
            made.give_up();
        }
        made
    }

    fn make<T>(&self, source: ListWatch<T>) -> SharedIndexInformer<T>
    where
        T: Object + DeserializeOwned + Send + Sync + 'static,
    {
        let source = match self.tweak.clone() {
            Some(tweak) => source.tweak(move |options| tweak(options)),
            None => source,
        };
        let source = match self.managed_fields {
            ManagedFields::Skipped => source.without_managed_fields(),
            ManagedFields::Kept => source,
        };
        let mut builder = SharedIndexInformer::builder(source)
            .resync(self.resync)
            .queue(self.queue)
            .reflector(self.reflector.clone())
            .observer(self.observer.clone());
        if let Some(limit) = self.drain_limit {
            builder = builder.drain_limit(limit);
        }
        // The index is added twice: before the customization, so that it cannot use the name for another index, and
        // after it, because it may return a different builder.
        _ = builder.index(NAMESPACE_INDEX, meta_namespace_index);
        let informer = self.customizations.apply(builder).build();
        _ = informer.index(NAMESPACE_INDEX, meta_namespace_index);
        informer
    }

    /// Starts every requested informer that does not run yet. Returns at once; the informers run until `stop` is
    /// cancelled. Call it again after requesting more informers. Does nothing once the shutdown has begun.
    ///
    /// If an informer fails, this is logged and [`SharedInformerFactory::failed`] fires. The other informers continue,
    /// unlike in [`SharedInformerFactory::run`].
    ///
    /// # Panics
    /// If called outside of a tokio runtime.
    pub fn start(&self, stop: &CancellationToken) {
        let mut informers = lock(&self.informers);
        if informers.shutting_down {
            return;
        }
        for informer in &mut informers.all {
            let id = informer.id.clone();
            if let Some(run) = informer.start(stop) {
                let failure = self.failure.clone();
                self.tasks.spawn(async move {
                    let ended = AssertUnwindSafe(run).catch_unwind().await;
                    if let Err(error) = ended.unwrap_or_else(|payload| Err(RunError::Panicked(Panic::new(payload)))) {
                        failure.record(id, error);
                    }
                });
            }
        }
    }

    /// Waits until every started informer has synced or can no longer sync, or `stop` is cancelled. Returns for each of
    /// them whether it has synced (client-go's `WaitForCacheSync`).
    pub async fn wait_for_cache_sync(&self, stop: &CancellationToken) -> BTreeMap<InformerId, bool> {
        let started: Vec<(InformerId, Done)> =
            lock(&self.informers).all.iter().filter_map(AnyInformer::started).collect();
        for (_, synced) in &started {
            stop.run_until_cancelled(synced.wait()).await;
        }
        started.into_iter().map(|(id, synced)| (id, synced.is_done())).collect()
    }

    /// Returns a signal that fires when an informer has failed. [`SharedInformerFactory::failure`] returns the failure.
    pub fn failed(&self) -> Done {
        self.failure.happened.done()
    }

    /// Returns the first failure of an informer; `None` if none has failed.
    pub fn failure(&self) -> Option<InformerFailed> {
        lock(&self.failure.failed).clone()
    }

    /// Starts every requested informer, waits until `stop` is cancelled or an informer fails, and shuts the factory
    /// down.
    ///
    /// # Errors
    /// The first failure of an informer.
    ///
    /// # Panics
    /// If called outside of a tokio runtime.
    pub async fn run(&self, stop: CancellationToken) -> Result<(), InformerFailed> {
        let all = stop.child_token();
        let _stops = all.clone().drop_guard(); // if this future is dropped, the informers stop too
        self.start(&all);
        tokio::select! {
            () = stop.cancelled() => {}
            _ = self.failed().into_future() => {}
        }
        all.cancel();
        self.shutdown().await
    }

    /// Prevents further starts and waits for the running informers (client-go's `Shutdown`). Cancel their `stop` before
    /// or meanwhile, because this method does not.
    ///
    /// Informers that were not started or are requested later count as stopped. The method may be called several times
    /// and concurrently; each call waits for all informers. Its future may be dropped.
    ///
    /// # Errors
    /// The first failure of an informer.
    pub async fn shutdown(&self) -> Result<(), InformerFailed> {
        let unused: Vec<_> = {
            let mut informers = lock(&self.informers);
            informers.shutting_down = true;
            informers.all.iter().filter_map(AnyInformer::give_up).collect()
        };
        unused.iter().for_each(|give_up| give_up());
        self.tasks.close();
        self.tasks.wait().await;
        self.failure().map_or(Ok(()), Err)
    }
}

impl std::fmt::Debug for SharedInformerFactory {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let informers = lock(&self.informers);
        f.debug_struct("SharedInformerFactory")
            .field("informers", &informers.all.iter().map(|informer| &informer.id).collect::<Vec<_>>())
            .finish_non_exhaustive()
    }
}
