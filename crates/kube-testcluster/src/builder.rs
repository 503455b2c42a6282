//! The options of a cluster.

mod first_objects;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use axum::Extension;
use jiff::Timestamp;
use k8s_openapi::api::core::v1::Pod;
use tokio::sync::{Semaphore, watch};
use tokio_util::sync::CancellationToken;

use crate::Cluster;
use crate::auth::with_authorization;
use crate::controllers::chores::{self, Chores};
use crate::controllers::custom_resource_definition;
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
use kube_controllers::nodes::kubelet::{Kubelet, Progress};
use kube_controllers::nodes::logs::Logs;
use kube_controllers::nodes::scheduler::Nodeless;
use kube_controllers::nodes::stages::Stages;
use kube_machinery::conventions::clock::Clock;

/// The options of a cluster. Each method replaces the earlier value.
#[derive(Clone, Debug)]
#[must_use]
pub struct ClusterBuilder {
    settings: Settings,
    started_at: Option<Timestamp>,
    /// `None`: every pod runs on `node-1`, for which there is no Node object.
    nodes: Option<usize>,
    pods: Vec<Pod>,
    crowd: usize,
    /// `None`: the default ones. To read them is most of a start, so only a kubelet does it.
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
            pods: Vec::new(),
            crowd: 0,
            stages: None,
            admin: Admin::Off,
            plugins: Plugins::default(),
        }
    }
}

impl ClusterBuilder {
    /// Which API server is simulated; today's by default.
    pub fn era(mut self, era: Era) -> Self {
        self.settings.era = era;
        self
    }

    /// Seeds everything that an API server leaves to chance: the order of an unordered watch cache, uids, the suffixes
    /// of generated names, how long watches last. Two clusters with the same seed that get the same requests give the
    /// same answers.
    pub fn seed(mut self, seed: u64) -> Self {
        self.settings.seed = seed;
        self
    }

    /// How many nodes there are at the start: `node-1`, `node-2` and so on, all of them ready. With 0, pods wait for a
    /// node. Without a call, every pod runs on a `node-1` that has no Node object.
    pub fn nodes(mut self, nodes: usize) -> Self {
        self.nodes = Some(nodes);
        self
    }

    /// Pods that exist at the start, created in this order and with the given status. Their namespaces are created too.
    /// Names must be set and unique, as [`pods_from_yaml`](super::pods_from_yaml) checks; if two pods have the same
    /// name, the later one updates the earlier one.
    pub fn pods(mut self, pods: Vec<Pod>) -> Self {
        self.pods = pods;
        self
    }

    /// Adds this many running pods of three applications to the namespace `default`, beside those of
    /// [`pods`](Self::pods).
    pub fn crowd(mut self, pods: usize) -> Self {
        self.crowd = pods;
        self
    }

    /// What the kubelet does with pods; by default what the kubelet of the documents does.
    pub fn stages(mut self, stages: Stages) -> Self {
        self.stages = Some(stages);
        self
    }

    /// The revision of the empty storage; the first write takes the next one. By default 1, as in etcd; at most 2^62.
    ///
    /// A cluster keeps nothing on disk, so a second one at the address of an earlier one counts from the start again, and a
    /// client that followed the earlier one waits for revisions that are long in coming. Where clients may outlive the
    /// cluster, begin with a number from the clock: what is left of the earlier cluster is then too old. A watch from an old
    /// resourceVersion, a list of exactly that version and an old `continue` token are answered with 410 (`Expired`), and the
    /// client lists again.
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

    /// How long a write takes in storage; by default no time. The last two writes of a deletion are this far apart.
    pub fn commit_latency(mut self, latency: Duration) -> Self {
        self.settings.commit_latency = latency;
        self
    }

    /// How many writes the server keeps for lists and watches of earlier versions. By default 10,000; at least one.
    pub fn history(mut self, writes: usize) -> Self {
        self.settings.history = writes.max(1);
        self
    }

    /// How long an earlier state can be listed; by default five minutes, the interval in which upstream compacts etcd.
    /// A paged list that takes longer expires. Watches do not depend on it: a watch cache limits its events by number.
    pub fn history_age(mut self, period: Duration) -> Self {
        self.settings.history_age = period;
        self
    }

    /// How often a watch that allows bookmarks gets one; by default once a minute.
    pub fn bookmark_period(mut self, period: Duration) -> Self {
        self.settings.bookmarks = period.max(Duration::from_millis(1));
        self
    }

    /// How many events may wait for the reader of a watch. A slower reader gets those, and then its stream ends, as
    /// upstream. By default 10,000, as many as the history keeps by default; at least one.
    pub fn watch_buffer(mut self, events: usize) -> Self {
        self.settings.watch_buffer = events.clamp(1, Semaphore::MAX_PERMITS);
        self
    }

    /// How many watches clients may have open at a time; a further one is answered with 429. By default 10,000.
    pub fn max_watches(mut self, watches: usize) -> Self {
        self.settings.max_watches = watches;
        self
    }

    /// How many bytes of answers may wait for their readers in all; a further read is answered with 429. By default 512 MiB.
    /// Answers below 64 KiB and watches are not counted.
    pub fn max_waiting_answers(mut self, bytes: usize) -> Self {
        self.settings.max_waiting_answers = bytes;
        self
    }

    /// How long an Event is kept after it was last written, as `--event-ttl` of kube-apiserver; by default an hour.
    pub fn event_ttl(mut self, period: Duration) -> Self {
        self.settings.event_ttl = period;
        self
    }

    /// How many Events are kept; by default 10,000. Of more, those whose last write is longest ago are removed early, so
    /// that a cluster that stands for long does not fill the memory.
    pub fn max_events(mut self, events: usize) -> Self {
        self.settings.max_events = events;
        self
    }

    /// Whether streaming lists are served; `false` is a server with the feature gate `WatchList=false`.
    pub fn watch_list(mut self, served: bool) -> Self {
        self.settings.watch_list = served;
        self
    }

    /// Whether discovery is served in one answer too; `false` is a server with the feature gate `AggregatedDiscoveryEndpoint=false`,
    /// whose groups are asked for one at a time.
    pub fn aggregated_discovery(mut self, served: bool) -> Self {
        self.settings.aggregated_discovery = served;
        self
    }

    /// Whether faults can be started over HTTP; by default they cannot.
    pub fn admin(mut self, admin: Admin) -> Self {
        self.admin = admin;
        self
    }

    /// Which controllers run beside the kubelet; by default all. They react to changes only: a pod that exists at the
    /// start and whose owner never existed stays. [`Cluster::shutdown`] waits for them to end.
    pub fn controllers(mut self, controllers: Controllers) -> Self {
        self.settings.controllers = controllers;
        self
    }

    /// What the server adds to new pods and to namespaces; by default nothing.
    pub fn admission(mut self, admission: Admission) -> Self {
        self.settings.admission = admission;
        self
    }

    /// Asks `admit` about every write before it is stored, as a plugin of an API server: of clients, of the kubelet and of the
    /// controllers. Each call adds one; they are asked in this order, before the webhooks and before the validation of the kind.
    /// What exists at the start, and what the server makes itself, nobody is asked about.
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

    /// For which objects `managedFields` are kept; by default for those that somebody has applied.
    pub fn managed_fields(mut self, managed_fields: ManagedFields) -> Self {
        self.settings.managed_fields = managed_fields;
        self
    }

    /// Whether what a user may do is decided by roles and bindings; by default everything is allowed.
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

    /// The API server alone, as envtest has it: no nodes, no scheduler, no kubelet and no controllers, so that a pod stays
    /// pending until the test says something else, and nobody but the test writes. What kube-apiserver makes itself is there:
    /// its namespaces, the service `kubernetes` and its endpoints. As there, a deleted namespace stays for ever, and no service
    /// account is made or asked for.
    ///
    /// The same as no [nodes](Self::nodes), [`Controllers::None`], [`Admission::Kube`] and no kubelet.
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

    /// The time on the cluster's clock at the start; by default the time of day.
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

    /// Starts the cluster with what an earlier one has left in a folder, and keeps every write there, whatever ends it: a request is
    /// answered, and a watch is told of a write, when the write is on the disk. Objects, uids and revisions go on; the history does
    /// not, so that an earlier resourceVersion is answered with 410. What this builder says of the beginning counts for the first
    /// cluster of a folder; later ones get the namespaces and services of kube-apiserver again, if they are gone.
    ///
    /// The files are read by this version and by later ones. Only one cluster at a time can use a folder.
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
    /// If another cluster uses the folder, if it holds files of somebody else, if it is damaged, or if it cannot be read or written.
    ///
    /// # Panics
    /// Outside a tokio runtime.
    pub fn start_in(self, folder: impl AsRef<Path>) -> Result<Cluster, DataError> {
        self.begin(Some(Folder::open(folder.as_ref())?))
    }

    fn begin(self, folder: Option<Folder>) -> Result<Cluster, DataError> {
        let clock = Clock::starting_at(self.started_at.unwrap_or_else(Timestamp::now));
        let left = folder.as_ref().map(Folder::read).transpose()?.flatten();
        let mut settings = self.settings;
        if let Some(left) = &left {
            settings.first_revision = left.revision; // storage and every watch cache go on from here, whatever the clock says
        }
        let mut store = Store::new(settings, clock);
        store.plugins = self.plugins;
        let store = Arc::new(store);
        let chores = Arc::new(Chores::new(self.nodes.is_some(), self.settings.admission));
        if self.settings.controllers != Controllers::None {
            store.set_hook(chores.clone());
        }
        let nodes = self.nodes.unwrap_or_default();
        let is_continued = left.is_some();
        match left {
            Some(left) => {
                store.restore(left)?;
                first_objects::write_system(&store);
            }
            None => {
                first_objects::write(&store, nodes, self.pods, self.crowd);
                chores.discard();
            }
        }
        if let Some(folder) = folder {
            store.keep_in(folder)?;
        }
        let logs = Arc::new(Logs::default());
        let router = router(store.clone(), logs.clone(), self.admin);
        let own = router.clone();
        let router = with_authorization(router, store.clone());
        let (sender, progress) = watch::channel(Progress::default());
        let stop = CancellationToken::new();
        let aged = store.lock().storage.tell_what_ages();
        let mut tasks = vec![
            tokio::spawn(expiry::run(store.clone(), stop.clone())),
            tokio::spawn(packing::run(aged, stop.clone())),
            tokio::spawn(custom_resource_definition::run(store.clone(), stop.clone())),
        ];
        if self.settings.kubelets == Kubelets::Run {
            let (client, requests) = (own_client(&own, Component::KUBELET), Arc::new(InProcess(store.clone())));
            let kubelet = Kubelet::new(client, requests, self.stages.unwrap_or_default(), clock, logs, sender);
            let nodeless = if self.nodes.is_none() { Nodeless::OnTheFirst } else { Nodeless::Wait };
            tasks.push(tokio::spawn(kubelet.run(nodeless, stop.clone())));
        }
        if self.settings.controllers != Controllers::None {
            tasks.push(tokio::spawn(chores::run(store.clone(), chores.clone(), stop.clone())));
        }
        let workloads = self.settings.controllers.workloads();
        let workloads: Vec<_> = Workload::ALL.into_iter().filter(|workload| workloads.has(*workload)).collect();
        if !workloads.is_empty() {
            let client = own_client(&own, Component::CONTROLLERS); // one for all: each takes memory
            let run = |workload: Workload| workload.run_when_needed(client.clone(), clock, stop.clone());
            tasks.extend(workloads.into_iter().map(|workload| tokio::spawn(run(workload))));
        }
        Ok(Cluster {
            store,
            chores,
            router,
            progress,
            is_continued,
            stop: stop.drop_guard(),
            tasks,
            #[cfg(feature = "serve")]
            servers: Vec::new(),
        })
    }
}

/// A client for the cluster's own components: faults and limits do not apply to it.
pub(crate) fn own_client(router: &axum::Router, component: Component) -> kube_client::Client {
    let router = router.clone().layer(Extension(Requester::Cluster)).layer(Extension(component));
    kube_client::Client::new(router, "default")
}
