//! SharedInformerFactory: one informer per type, however often it is asked for. Upstream: `client-go/informers/factory.go`.

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
use crate::cache::done::{Done, Firing};
use crate::cache::fifo::QueueKind;
use crate::cache::key::Object;
use crate::cache::lister_watcher::{ListOptions, ListWatch, ManagedFields, Tweak};
use crate::cache::observe::Observer;
use crate::cache::processor::{Panic, RunError};
use crate::cache::reflector::ReflectorOptions;
use crate::cache::shared_informer::{SharedIndexInformer, SharedIndexInformerBuilder};
use crate::cache::store::{NAMESPACE_INDEX, meta_namespace_index};
use crate::lock::{Mutex, lock};

use customizations::Customizations;
use member::AnyInformer;

pub use failure::InformerFailed;
pub use member::InformerId;

/// Makes informers that share one client, and starts, awaits and ends them together.
///
/// Every informer has the index [`NAMESPACE_INDEX`].
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
    /// In the order in which the types were first asked for.
    all: Vec<AnyInformer>,
    shutting_down: bool,
}

impl Informers {
    fn get<K: 'static>(&self, id: &InformerId) -> Option<SharedIndexInformer<K>> {
        self.all.iter().find_map(|informer| informer.informer(id))
    }
}

/// The first informer that ended other than by its `stop`.
#[derive(Default)]
struct FirstFailure {
    failed: Mutex<Option<InformerFailed>>,
    happened: Firing,
}

impl FirstFailure {
    fn note(&self, informer: InformerId, error: RunError) {
        error!("the informer of {informer} ended: {}", with_causes(&error));
        lock(&self.failed).get_or_insert(InformerFailed { informer, source: Arc::new(error) });
        self.happened.fire();
    }
}

impl SharedInformerFactory {
    /// A factory for all namespaces, without resync.
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

    /// Only the objects of this namespace, for types that have one; of all namespaces if it is empty (client-go's `NamespaceAll`).
    #[must_use]
    pub fn namespace(mut self, namespace: &str) -> Self {
        self.namespace = Some(namespace.to_owned()).filter(|namespace| !namespace.is_empty());
        self
    }

    /// How often handlers are told of everything again; zero, the default, is never.
    #[must_use]
    pub fn resync(mut self, period: Duration) -> Self {
        self.resync = period;
        self
    }

    /// Changes the options of every list and watch, last of all: a selector, for example.
    #[must_use]
    pub fn tweak_list_options(mut self, tweak: impl Fn(&mut ListOptions) + Send + Sync + 'static) -> Self {
        self.tweak = Some(Arc::new(tweak));
        self
    }

    /// Lists and watches objects without their `metadata.managedFields`, which take a third of the memory of a pod; see
    /// [`ListWatch::without_managed_fields`].
    #[must_use]
    pub fn without_managed_fields(mut self) -> Self {
        self.managed_fields = ManagedFields::Skipped;
        self
    }

    /// Makes the informers of one type in another way: with a resync period of their own, a transformer, fewer pages. The last
    /// one for a type wins. For [`DynamicObject`]s it is called for every kind of them. The builder has the index
    /// [`NAMESPACE_INDEX`] already. It may be called a second time, and the result dropped, if two ask for a type at once.
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

    /// Which queue each informer has; today's client-go's by default.
    #[must_use]
    pub fn queue(mut self, queue: QueueKind) -> Self {
        self.queue = queue;
        self
    }

    /// How long the handlers of each informer may take to finish once it is stopped; see
    /// [`SharedIndexInformerBuilder::drain_limit`].
    #[must_use]
    pub fn drain_limit(mut self, limit: Duration) -> Self {
        self.drain_limit = Some(limit);
        self
    }

    /// How each informer's Reflector asks, and what it does about failures. Each has jitter of its own.
    #[must_use]
    pub fn reflector(mut self, options: ReflectorOptions) -> Self {
        self.reflector = options;
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
        K: Resource<DynamicType = ()> + DeserializeOwned + Send + Sync + 'static,
        K::Scope: 'static,
    {
        self.informer_of(InformerId::of::<K>(), member::has_namespace::<K>(), ListWatch::of_known_type)
    }

    /// The informer of a type whose objects are read as a `P`, which holds only the fields that a program wants: the same one each
    /// time. It is another informer than that of the type, with a list and a watch of its own. See [`ListWatch::read_as`].
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
        self.informer_of(InformerId::read_as::<K, P>(), member::has_namespace::<K>(), |client, namespace| {
            ListWatch::<K>::of_known_type(client, namespace).read_as()
        })
    }

    /// The informer of a kind that is only known when the program runs: the same one each time.
    ///
    /// The factory's namespace limits it, so in a factory of one namespace the kind has to live in namespaces.
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
        self.informer_of(id, true, |client, namespace| ListWatch::of_dynamic_type(client, namespace, resource))
    }

    fn informer_of<T>(
        &self,
        id: InformerId,
        has_namespace: bool,
        source: impl FnOnce(kube_client::Client, Option<&str>) -> ListWatch<T>,
    ) -> SharedIndexInformer<T>
    where
        T: Object + DeserializeOwned + Send + Sync + 'static,
    {
        if let Some(informer) = lock(&self.informers).get(&id) {
            return informer;
        }
        let namespace = self.namespace.as_deref().filter(|_| has_namespace);
        // Without the lock: a customization may ask this factory for informers. If two are made at once, the first one stays.
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
        // Before the customization, which learns then that the name is taken; after it, because it may return another builder.
        _ = builder.index(NAMESPACE_INDEX, meta_namespace_index);
        let informer = self.customizations.apply(builder).build();
        _ = informer.index(NAMESPACE_INDEX, meta_namespace_index);
        informer
    }

    /// Runs, until `stop`, every informer that was asked for and does not run yet. Returns at once; call it again after
    /// asking for more. Does nothing once the shutdown has begun.
    ///
    /// An informer that ends otherwise (a handler panicked) is logged as an error, [`SharedInformerFactory::failed`] fires, and the
    /// others go on; [`SharedInformerFactory::run`] stops them.
    ///
    /// # Panics
    /// Outside of a tokio runtime.
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
                        failure.note(id, error);
                    }
                });
            }
        }
    }

    /// Waits until every informer that runs now has synced, or never will, or until `stop`; says which have.
    pub async fn wait_for_cache_sync(&self, stop: &CancellationToken) -> BTreeMap<InformerId, bool> {
        let started: Vec<(InformerId, Done)> =
            lock(&self.informers).all.iter().filter_map(AnyInformer::started).collect();
        for (_, synced) in &started {
            stop.run_until_cancelled(synced.wait()).await;
        }
        started.into_iter().map(|(id, synced)| (id, synced.is_done())).collect()
    }

    /// Fires when an informer has ended other than by its `stop`; which one, [`SharedInformerFactory::failure`] says.
    pub fn failed(&self) -> Done {
        self.failure.happened.done()
    }

    /// The first informer that has ended other than by its `stop`, and why; `None` as long as none has.
    pub fn failure(&self) -> Option<InformerFailed> {
        lock(&self.failure.failed).clone()
    }

    /// Starts every informer that was asked for, and waits until `stop`, or until one of them ends before; then stops them all and
    /// shuts the factory down.
    ///
    /// # Errors
    /// An informer failed: the first one that did.
    ///
    /// # Panics
    /// Outside of a tokio runtime.
    pub async fn run(&self, stop: CancellationToken) -> Result<(), InformerFailed> {
        let all = stop.child_token();
        let _stops = all.clone().drop_guard();
        self.start(&all);
        tokio::select! {
            () = stop.cancelled() => {}
            _ = self.failed().into_future() => {}
        }
        all.cancel();
        self.shutdown().await
    }

    /// Forbids further starts and waits for the informers that run; cancel their `stop` before or meanwhile. Those that were not
    /// started, and those that are asked for later, are stopped. It may be called as often as wanted, concurrently, and be dropped:
    /// each call waits for all of them.
    ///
    /// # Errors
    /// An informer failed: the first one that did.
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
