//! SharedInformerFactory: one informer per type, however often it is asked for. Upstream: `client-go/informers/factory.go`.

mod customizations;
mod member;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use kube_core::{ApiResource, DynamicObject, Resource};
use serde::de::DeserializeOwned;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use super::done::{Done, wait_for};
use super::index::{NAMESPACE_INDEX, meta_namespace_index};
use super::list_options::ListOptions;
use super::list_watch::ListWatch;
use super::lock::{Mutex, lock};
use super::observe::Observer;
use super::processor::join_all;
use super::queue_kind::QueueKind;
use super::reflector::ReflectorOptions;
use super::shared_informer::{SharedIndexInformer, SharedIndexInformerBuilder};
use customizations::Customizations;
use member::{Id, Member};

type Tweak = Arc<dyn Fn(&mut ListOptions) + Send + Sync>;

/// Makes informers that share one client, and starts, awaits and ends them together.
///
/// Every informer has the index [`NAMESPACE_INDEX`].
///
/// ```
/// # #[tokio::main(flavor = "current_thread", start_paused = true)] async fn main() {
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
/// assert!(factory.wait_for_cache_sync(&stop).await["Pod"]);
/// assert!(pods.indexer().list().is_empty());
/// stop.cancel();
/// factory.shutdown().await;
/// # }
/// ```
pub struct SharedInformerFactory {
    client: kube_client::Client,
    namespace: Option<String>,
    resync: Duration,
    tweak: Option<Tweak>,
    customizations: Customizations,
    queue: QueueKind,
    reflector: ReflectorOptions,
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

impl SharedInformerFactory {
    /// A factory for all namespaces, without resync.
    pub fn new(client: kube_client::Client) -> Self {
        Self {
            client,
            namespace: None,
            resync: Duration::ZERO,
            tweak: None,
            customizations: Customizations::default(),
            queue: QueueKind::default(),
            reflector: ReflectorOptions::default(),
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

    /// Changes the options of every list and watch, last of all: a selector, for example.
    #[must_use]
    pub fn tweak_list_options(mut self, tweak: impl Fn(&mut ListOptions) + Send + Sync + 'static) -> Self {
        self.tweak = Some(Arc::new(tweak));
        self
    }

    /// Makes the informers of one type in another way: with a resync period of their own, a transformer, fewer pages. The last
    /// one for a type wins. For [`DynamicObject`]s it is called for every kind of them.
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

    /// How each informer's Reflector asks, and what it does about failures.
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
        self.informer_of(&(), member::has_namespace::<K>())
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
    /// assert!(factory.wait_for_cache_sync(&stop).await["Namespace"]);
    /// assert!(informer.indexer().get_by_key("default").is_some());
    /// # stop.cancel();
    /// # }
    /// ```
    pub fn dynamic_informer(&self, resource: &ApiResource) -> SharedIndexInformer<DynamicObject> {
        self.informer_of(resource, true)
    }

    fn informer_of<K>(&self, kind: &K::DynamicType, has_namespace: bool) -> SharedIndexInformer<K>
    where
        K: Resource + DeserializeOwned + Send + Sync + 'static,
    {
        let mut state = lock(&self.state);
        let id = Id::of::<K>(kind);
        if let Some(informer) = state.informers.iter().find_map(|member| member.informer(&id)) {
            return informer;
        }
        let namespace = self.namespace.as_deref().filter(|_| has_namespace);
        let informer = self.make(ListWatch::<K>::of_type(self.client.clone(), namespace, kind));
        state.informers.push(Member::new(id, informer.clone()));
        informer
    }

    fn make<K>(&self, source: ListWatch<K>) -> SharedIndexInformer<K>
    where
        K: Resource + DeserializeOwned + Send + Sync + 'static,
    {
        let source = match self.tweak.clone() {
            Some(tweak) => source.tweak(move |options| tweak(options)),
            None => source,
        };
        let builder = SharedIndexInformer::builder(source)
            .resync(self.resync)
            .queue(self.queue)
            .reflector(self.reflector.clone())
            .observer(self.observer.clone());
        let informer = self.customizations.apply(builder).build();
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
        tasks.extend(informers.iter_mut().filter_map(|member| member.start(stop)).map(tokio::spawn));
    }

    /// Waits until every informer that runs now has synced, or until `stop`; says by kind which have: `Pod`, or
    /// `ReplicaSet.v1.apps` where the group has a name.
    pub async fn wait_for_cache_sync(&self, stop: &CancellationToken) -> BTreeMap<String, bool> {
        let started: Vec<(String, Done)> = {
            let state = lock(&self.state);
            state.informers.iter().filter_map(Member::started).collect()
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
