//! [`ClusterBuilder`]: the options of a new cluster, and its start, which puts the parts together: the store, the first
//! objects, the HTTP API, the kubelet and the controllers.

mod first_objects;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use axum::Extension;
use jiff::Timestamp;
use k8s_openapi::api::core::v1::{Node, Pod};
use tokio::sync::{Semaphore, watch};
use tokio_util::sync::CancellationToken;

use crate::Cluster;
use crate::auth::with_authorization;
use crate::controllers::custom_resource_definition;
use crate::controllers::housekeeping::{self, Housekeeping};
use crate::plugins::admit::{Admit, Plugins};
use crate::router::router;
use crate::settings::{Admin, Admission, Authorization, Controllers, Era, Kubelets, ManagedFields, Settings};
use crate::store::Requester;
use crate::store::Store;
use crate::store::wal::{DataError, Folder};
use crate::store::{expiry, packing};
use crate::verbs::in_process::InProcess;
use crate::verbs::ownership::Component;
use kube_controllers::Workload;
use kube_controllers::clock::Clock;
use kube_controllers::nodes::kubelet::{Claims, Earlier, Kubelet, Progress, Scheduling};
use kube_controllers::nodes::logs::Logs;
use kube_controllers::nodes::scheduler::Nodeless;
use kube_controllers::nodes::stages::Stages;

/// The options of a new cluster. Each method replaces the earlier value, except that [`admit`](Self::admit) adds a
/// plugin.
#[derive(Clone, Debug)]
#[must_use]
pub struct ClusterBuilder {
    settings: Settings,
    started_at: Option<Timestamp>,
    /// `None` if every pod runs on `node-1`, which has no Node object.
    nodes: Option<usize>,
    node_templates: Vec<Node>,
    scheduling: Scheduling,
    pods: Vec<Pod>,
    /// The number of generated pods besides `pods`.
    crowd: usize,
    /// `None` for the default stages. Reading them is most of the start, so only a cluster with a kubelet does it.
    stages: Option<Stages>,
    admin: Admin,
    plugins: Plugins,
}

impl Default for ClusterBuilder {
    fn default() -> Self {
        Self {
            settings: Settings::default(),
            started_at: None,
            nodes: None,
            node_templates: Vec::new(),
            scheduling: Scheduling::Simulated,
            pods: Vec::new(),
            crowd: 0,
            stages: None,
            admin: Admin::Off,
            plugins: Plugins::default(),
        }
    }
}

impl ClusterBuilder {
    /// Sets the generation of API server that is simulated; by default the current one.
    pub fn era(mut self, era: Era) -> Self {
        self.settings.era = era;
        self
    }

    /// Sets the seed for everything that an API server leaves to chance: the order of an unordered watch cache, uids,
    /// the suffixes of generated names, the duration of watches. Two clusters with the same seed that get the same
    /// requests give the same responses.
    pub fn seed(mut self, seed: u64) -> Self {
        self.settings.seed = seed;
        self
    }

    /// Sets the number of nodes at the start: `node-1`, `node-2` and so on, all ready. With 0, pods wait for a node. If
    /// this method is not called, every pod runs on a `node-1` that has no Node object.
    pub fn nodes(mut self, nodes: usize) -> Self {
        self.nodes = Some(nodes);
        self
    }

    /// Sets what the nodes at the start have beside, or instead of, the usual: labels, annotations, the spec (such as
    /// taints), and `capacity` and `allocatable` in the status. A resource without `allocatable` is allocatable as a
    /// whole. Names are not used. With several templates, the nodes get them in turn, so that three templates make three
    /// zones.
    ///
    /// ```
    /// # use kube_testcluster::{Cluster, node_templates_from_yaml};
    /// let large = node_templates_from_yaml("{metadata: {labels: {size: l}}, status: {capacity: {cpu: 64}}}", "nodes")?;
    /// let builder = Cluster::builder().nodes(3).node_templates(large);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn node_templates(mut self, templates: Vec<Node>) -> Self {
        self.node_templates = templates;
        self
    }

    /// Chooses the program that binds pods to nodes. With [`Scheduling::ByOthers`] and [`Controllers::None`], the real
    /// kube-scheduler and kube-controller-manager can run on this cluster.
    pub fn scheduling(mut self, scheduling: Scheduling) -> Self {
        self.scheduling = scheduling;
        self
    }

    /// Sets pods that exist at the start. They are created in this order and with the given status; their namespaces
    /// are created, too. Names must be set and unique, as [`pods_from_yaml`](super::pods_from_yaml) checks; if two pods
    /// have the same name, the later one updates the earlier one.
    pub fn pods(mut self, pods: Vec<Pod>) -> Self {
        self.pods = pods;
        self
    }

    /// Adds this many running pods of three applications to the namespace `default`, in addition to
    /// [`pods`](Self::pods).
    pub fn crowd(mut self, pods: usize) -> Self {
        self.crowd = pods;
        self
    }

    /// Sets the stages that the kubelet takes pods through. By default a pod is bound, starts, and runs until it is
    /// deleted.
    pub fn stages(mut self, stages: Stages) -> Self {
        self.stages = Some(stages);
        self
    }

    /// Sets the revision of the empty storage; the first write takes the next one. By default 1, as in etcd; at most
    /// 2^62.
    ///
    /// A cluster without a folder keeps nothing on disk, so a second one at the same address counts from the start
    /// again, and a client of the first one waits for revisions that take long to come. If clients may outlive the
    /// cluster, begin with a number from the clock. A watch from an old resourceVersion, a list of exactly that
    /// version, and an old `continue` token then get 410 (`Expired`), and the client lists again.
    ///
    /// ```
    /// # use kube_testcluster::Cluster;
    /// use std::time::SystemTime;
    ///
    /// // No cluster writes more than once a microsecond, so the next one always begins later.
    /// let now = SystemTime::UNIX_EPOCH.elapsed()?.as_micros();
    /// let builder = Cluster::builder().first_revision(u64::try_from(now)?);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn first_revision(mut self, revision: u64) -> Self {
        self.settings.first_revision = revision.clamp(1, 1 << 62);
        self
    }

    /// Sets the duration of a write in storage; by default zero. The last two writes of a graceful deletion are this
    /// far apart.
    pub fn commit_latency(mut self, latency: Duration) -> Self {
        self.settings.commit_latency = latency;
        self
    }

    /// Sets the number of writes that the server keeps for lists and watches of earlier versions. By default 10,000; at
    /// least one.
    pub fn history(mut self, writes: usize) -> Self {
        self.settings.history = writes.max(1);
        self
    }

    /// Limits the size of the history, which is the objects of the last writes, for lists and watches of earlier
    /// versions. By default 128 MiB. A request for a version that this limit has dropped gets 410, as with the limits
    /// by number and age. A watch whose reader is further behind ends. The last write always stays.
    pub fn history_bytes(mut self, bytes: usize) -> Self {
        self.settings.history_bytes = bytes;
        self
    }

    /// Sets the time for which an earlier state can be listed; by default five minutes, the interval in which upstream
    /// compacts etcd. A paged list that takes longer expires. Watches do not depend on it, because a watch cache limits
    /// its events by number.
    pub fn history_age(mut self, period: Duration) -> Self {
        self.settings.history_age = period;
        self
    }

    /// Sets the period of bookmarks for watches that allow them; by default one minute.
    pub fn bookmark_period(mut self, period: Duration) -> Self {
        self.settings.bookmarks = period.max(Duration::from_millis(1));
        self
    }

    /// Sets the number of events that may wait for the reader of a watch. As upstream, a slower reader gets those
    /// events, and then its stream ends. By default 10,000, as many as the history keeps; at least one.
    pub fn watch_buffer(mut self, events: usize) -> Self {
        self.settings.watch_buffer = events.clamp(1, Semaphore::MAX_PERMITS);
        self
    }

    /// Sets the number of watches that clients may have open at a time. A further watch gets 429. By default 10,000.
    pub fn max_watches(mut self, watches: usize) -> Self {
        self.settings.max_watches = watches;
        self
    }

    /// Sets the total size, in bytes, of responses that wait for slow clients. A further request gets 429; a write
    /// is refused before it begins, because a client must learn of a write that is done. A watch is not refused: its
    /// next event waits. By default 512 MiB. Responses and events below 64 KiB do not count.
    pub fn max_waiting_answers(mut self, bytes: usize) -> Self {
        self.settings.max_waiting_answers = bytes;
        self
    }

    /// Sets the time for which an Event is kept after its last write, as `--event-ttl` of kube-apiserver; by default
    /// one hour.
    pub fn event_ttl(mut self, period: Duration) -> Self {
        self.settings.event_ttl = period;
        self
    }

    /// Sets the number of Events that are kept; by default 10,000. Beyond it, the Events whose last write is longest
    /// ago are removed early, so that a long-running cluster does not fill the memory.
    pub fn max_events(mut self, events: usize) -> Self {
        self.settings.max_events = events;
        self
    }

    /// Turns streaming lists on or off. `false` is a server with the feature gate `WatchList=false`.
    pub fn watch_list(mut self, served: bool) -> Self {
        self.settings.watch_list = served;
        self
    }

    /// Turns aggregated discovery on or off. `false` is a server with the feature gate
    /// `AggregatedDiscoveryEndpoint=false`, whose clients ask for one group at a time.
    pub fn aggregated_discovery(mut self, served: bool) -> Self {
        self.settings.aggregated_discovery = served;
        self
    }

    /// Turns the admin path on or off, with which faults are started over HTTP; off by default.
    pub fn admin(mut self, admin: Admin) -> Self {
        self.admin = admin;
        self
    }

    /// Sets the controllers that run beside the kubelet; by default all. They react only to changes: a pod that exists
    /// at the start with an owner that never existed stays. [`Cluster::shutdown`] waits for the controllers to end.
    pub fn controllers(mut self, controllers: Controllers) -> Self {
        self.settings.controllers = controllers;
        self
    }

    /// Sets the objects and fields that the server adds to new pods and namespaces; by default none.
    pub fn admission(mut self, admission: Admission) -> Self {
        self.settings.admission = admission;
        self
    }

    /// Adds an admission plugin. `admit` is called for every write of clients, the kubelet and the controllers, before
    /// it is stored. Plugins are called in the order in which they were added, before the webhooks and before the
    /// validation of the kind. They are not called for objects that exist at the start, or that the server creates
    /// itself.
    ///
    /// ```
    /// # use kube_testcluster::Cluster;
    /// # use k8s_openapi::api::core::v1::ConfigMap;
    /// # use kube::{Api, api::PostParams};
    /// # use serde_json::json;
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use kube::core::Status;
    /// use kube_testcluster::{AdmissionRequest, Operation};
    ///
    /// let label_and_guard = |request: &mut AdmissionRequest| {
    ///     if (request.kind.as_str(), request.operation) != ("ConfigMap", Operation::Create) {
    ///         return Ok(());
    ///     }
    ///     if request.name == "forbidden" {
    ///         return Err(Status::failure("not this one", "Forbidden").with_code(403).boxed());
    ///     }
    ///     if let Some(map) = &mut request.object {
    ///         map["metadata"]["labels"]["seen"] = json!("yes");
    ///     }
    ///     Ok(())
    /// };
    /// let cluster = Cluster::builder().bare().admit(label_and_guard).start();
    ///
    /// let maps: Api<ConfigMap> = Api::default_namespaced(cluster.client("default"));
    /// let mut map = ConfigMap::default();
    /// map.metadata.name = Some("allowed".into());
    /// let made = maps.create(&PostParams::default(), &map).await?;
    /// assert_eq!(made.metadata.labels.unwrap_or_default()["seen"], "yes");
    ///
    /// map.metadata.name = Some("forbidden".into());
    /// let refused = maps.create(&PostParams::default(), &map).await.unwrap_err();
    /// assert!(matches!(refused, kube::Error::Api(status) if status.code == 403 && status.message == "not this one"));
    /// # Ok(())
    /// # }
    /// ```
    pub fn admit(mut self, admit: impl Admit + 'static) -> Self {
        self.plugins.0.push(Arc::new(admit));
        self
    }

    /// Sets the objects for which `managedFields` are kept; by default the objects that were applied.
    pub fn managed_fields(mut self, managed_fields: ManagedFields) -> Self {
        self.settings.managed_fields = managed_fields;
        self
    }

    /// Sets the authorization mode: RBAC, or by default every request is allowed.
    ///
    /// ```
    /// # use kube_testcluster::{Authorization, Cluster, User};
    /// # use k8s_openapi::api::core::v1::Secret;
    /// # use kube::api::{Api, ListParams};
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let cluster = Cluster::builder().authorization(Authorization::Rbac).start();
    /// let ada = cluster.client_as(User::new("ada", ["developers"]), "default");
    /// let refused = Api::<Secret>::default_namespaced(ada).list(&ListParams::default()).await.unwrap_err();
    /// assert!(refused.to_string().contains(
    ///     "secrets is forbidden: User \"ada\" cannot list resource \"secrets\" in API group \"\" in the namespace \"default\""
    /// ));
    /// # Ok(())
    /// # }
    /// ```
    pub fn authorization(mut self, authorization: Authorization) -> Self {
        self.settings.authorization = authorization;
        self
    }

    /// Starts only the API server, as envtest does: no nodes, no scheduler, no kubelet and no controllers. A pod stays
    /// pending until the test changes it, and only the test writes objects. The objects that kube-apiserver creates
    /// itself exist: its namespaces, and the service `kubernetes` with its endpoints. As with envtest, a deleted
    /// namespace stays for ever, and service accounts are neither created nor required.
    ///
    /// This is the same as no [nodes](Self::nodes), [`Controllers::None`], [`Admission::Kube`] and no kubelet.
    ///
    /// ```
    /// # use kube_testcluster::Cluster;
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use k8s_openapi::api::core::v1::Service;
    ///
    /// let cluster = Cluster::builder().bare().start();
    /// let services = kube::Api::<Service>::namespaced(cluster.client("default"), "default");
    /// assert!(services.get_opt("kubernetes").await?.is_some());
    /// # Ok(())
    /// # }
    /// ```
    pub fn bare(mut self) -> Self {
        self.nodes = Some(0);
        self.settings.kubelets = Kubelets::Absent;
        self.controllers(Controllers::None).admission(Admission::Kube)
    }

    /// Sets the time on the cluster's clock at the start; by default the current time.
    pub fn started_at(mut self, time: Timestamp) -> Self {
        self.started_at = Some(time);
        self
    }

    /// Starts the cluster and its kubelet.
    ///
    /// # Panics
    /// Outside a tokio runtime.
    pub fn start(self) -> Cluster {
        match self.begin(None) {
            Ok(cluster) => cluster,
            Err(error) => unreachable!("without a folder nothing can fail: {error}"),
        }
    }

    /// Starts the cluster with the objects that an earlier one has left in a folder, and keeps every write there, even
    /// if the process crashes. A request is answered, and a watch gets an event, only when the write is on the disk.
    /// Objects, uids and revisions continue. The history does not, so a request for an earlier resourceVersion gets
    /// 410. The builder's initial nodes and pods count only for the first cluster of a folder. Later clusters only
    /// create the namespaces and services of kube-apiserver again if they are gone.
    ///
    /// While the disk has no room, each write is refused with the cause (code 500). Reads go on, and so do writes when
    /// there is room again.
    ///
    /// Later versions of this crate can read the files of this one. Only one cluster at a time can use a folder.
    ///
    /// ```
    /// # use kube_testcluster::Cluster;
    /// # use k8s_openapi::api::core::v1::ConfigMap;
    /// # use kube::{Api, api::PostParams};
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let folder = std::env::temp_dir().join(format!("kube-testcluster-{}", std::process::id()));
    /// let cluster = Cluster::builder().bare().start_in(&folder)?;
    /// let maps: Api<ConfigMap> = Api::default_namespaced(cluster.client("default"));
    /// let mut map = ConfigMap::default();
    /// map.metadata.name = Some("kept".into());
    /// let made = maps.create(&PostParams::default(), &map).await?;
    /// cluster.shutdown().await;
    ///
    /// let cluster = Cluster::builder().bare().start_in(&folder)?;
    /// let maps: Api<ConfigMap> = Api::default_namespaced(cluster.client("default"));
    /// assert_eq!(maps.get("kept").await?, made);
    /// # cluster.shutdown().await;
    /// # std::fs::remove_dir_all(&folder)?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// If another cluster uses the folder, if it holds files of another program or of a newer version of this one, if it
    /// is damaged, or if it cannot be read or written.
    ///
    /// # Panics
    /// Outside a tokio runtime.
    pub fn start_in(self, folder: impl AsRef<Path>) -> Result<Cluster, DataError> {
        self.begin(Some(Folder::open(folder.as_ref())?))
    }

    /// Starts the cluster. With a folder, it continues from the objects there, and keeps every write there. Only a
    /// folder can cause an error.
    pub(crate) fn begin(self, folder: Option<Folder>) -> Result<Cluster, DataError> {
        let clock = self.started_at.map_or_else(Clock::starting_now, Clock::starting_at);
        let earlier = folder.as_ref().map(Folder::read).transpose()?.flatten();
        let mut settings = self.settings;
        if let Some(earlier) = &earlier {
            // Storage and every watch cache go on from here, whatever revision the builder was given.
            settings.first_revision = earlier.revision;
        }
        let mut store = Store::new(settings, clock);
        store.plugins = self.plugins;
        let store = Arc::new(store);
        let is_first = store.definition_controller.set(custom_resource_definition::apply_changed).is_ok();
        debug_assert!(is_first, "a new store has no controller");
        let housekeeping = Arc::new(Housekeeping::new(self.nodes.is_some(), self.settings.admission));
        if self.settings.controllers != Controllers::None {
            store.set_hook(housekeeping.clone());
        }
        let nodes = self.nodes.unwrap_or_default();
        let is_continued = earlier.is_some();
        match earlier {
            Some(earlier) => {
                store.restore(earlier)?; // queues work for the controllers, which the earlier server may have left undone
                first_objects::write_system(&store);
            }
            None => {
                first_objects::write(&store, nodes, &self.node_templates, self.pods, self.crowd);
                housekeeping.discard(); // controllers react only to later changes
            }
        }
        if let Some(folder) = folder {
            store.keep_in(folder)?;
        }
        let logs = Arc::new(Logs::default());
        let router = router(store.clone(), logs.clone(), self.admin);
        let own = router.clone(); // the cluster's own clients are not subject to authorization
        let router = with_authorization(router, store.clone());
        let (sender, progress) = watch::channel(Progress::default());
        let stop = CancellationToken::new();
        // The objects that leave the history, which `packing` compresses.
        let aged = store.lock().storage.subscribe_aged();
        let mut tasks = vec![
            tokio::spawn(expiry::run(store.clone(), stop.clone())),
            tokio::spawn(packing::run(aged, stop.clone())),
            tokio::spawn(custom_resource_definition::run(store.clone(), stop.clone())),
        ];
        if self.settings.kubelets == Kubelets::Run {
            let (client, requests) = (own_client(&own, Component::KUBELET), Arc::new(InProcess(store.clone())));
            let earlier = if is_continued { Earlier::Resumed } else { Earlier::None };
            let kubelet = Kubelet::new(client, requests, self.stages.unwrap_or_default(), clock, logs, sender);
            let binds = self.settings.workloads().has(Workload::PersistentVolumeBinder);
            let claims = if binds { Claims::AreBound } else { Claims::Exist };
            let kubelet = kubelet.with_earlier(earlier).with_claims(claims).with_scheduling(self.scheduling);
            let nodeless = if self.nodes.is_none() { Nodeless::OnTheFirst } else { Nodeless::Wait };
            tasks.push(tokio::spawn(kubelet.run(nodeless, stop.clone())));
        }
        if self.settings.controllers != Controllers::None {
            tasks.push(tokio::spawn(housekeeping::run(store.clone(), housekeeping.clone(), stop.clone())));
        }
        let workloads = self.settings.workloads();
        let workloads: Vec<_> = Workload::ALL.into_iter().filter(|workload| workloads.has(*workload)).collect();
        #[cfg(feature = "tls")]
        let (signer, given) = watch::channel(None);
        if !workloads.is_empty() {
            let client = own_client(&own, Component::CONTROLLERS); // one for all controllers, because each client takes memory
            #[cfg(feature = "tls")]
            if workloads.contains(&Workload::CertificateSigning) {
                tasks.push(tokio::spawn(crate::tls::signer::run(given, client.clone(), clock, stop.clone())));
            }
            let run = |workload| kube_controllers::run_when_needed(workload, client.clone(), clock, stop.clone());
            tasks.extend(workloads.into_iter().map(|workload| match workload {
                Workload::EphemeralVolume => {
                    let (needed, run, stop) = (housekeeping.ephemeral_volumes_needed(), run(workload), stop.clone());
                    tokio::spawn(async move {
                        if stop.run_until_cancelled(needed).await.is_some() {
                            run.await;
                        }
                    })
                }
                workload => tokio::spawn(run(workload)),
            }));
        }
        Ok(Cluster {
            store,
            housekeeping,
            router,
            progress,
            is_continued,
            stop: stop.drop_guard(),
            tasks,
            #[cfg(feature = "serve")]
            servers: Vec::new(),
            #[cfg(feature = "tls")]
            signer,
        })
    }
}

/// Returns a client for the cluster's own components. Faults and limits do not apply to it.
pub(crate) fn own_client(router: &axum::Router, component: Component) -> kube_client::Client {
    let router = router.clone().layer(Extension(Requester::Cluster)).layer(Extension(component));
    kube_client::Client::new(router, "default")
}
