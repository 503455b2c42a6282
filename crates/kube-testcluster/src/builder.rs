//! [`ClusterBuilder`]: the options of a new cluster.

mod first_objects;
mod start;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use k8s_openapi::api::core::v1::{Node, Pod};
use tokio::sync::Semaphore;

use crate::Cluster;
use crate::plugins::admit::{Admit, Plugins};
use crate::settings::{Admin, Admission, Authorization, Controllers, Era, Kubelets, ManagedFields, Settings};
use crate::store::wal::{DataError, Folder};
use kube_controllers::nodes::heartbeats::Heartbeats;
use kube_controllers::nodes::kubelet::Scheduling;
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
    heartbeats: Heartbeats,
    scheduling: Scheduling,
    pods: Vec<Pod>,
    /// The number of generated pods besides `pods`.
    crowd: usize,
    /// `None` for the default stages. Parsing them takes most of the start, so only a cluster with a kubelet does it.
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
            heartbeats: Heartbeats::Off,
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

    /// Sets labels, annotations, the spec (such as taints), and `capacity` and `allocatable` of the status for the
    /// nodes at the start, in addition to the usual values or instead of them. A resource without `allocatable` is
    /// allocatable as a whole. The templates' names are ignored. Several templates go to the nodes in turn, so three
    /// templates can make three zones.
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

    /// Chooses whether the nodes at the start send heartbeats as real kubelets do; by default [`Heartbeats::Off`], so
    /// that an idle cluster stays idle. Each node has its Lease in `kube-node-lease` in any case.
    ///
    /// A node falls silent while it has the label `lab/kubelet=silent`: it sends no heartbeats, and its pods stand
    /// still. 50 seconds after its last heartbeat (without heartbeats, after the label) its conditions become unknown, and its
    /// pods are no longer ready. If another node works, its pods are evicted when they no longer tolerate that; they go
    /// once the node speaks again. A silent node of another client does not report that it is ready again.
    pub fn heartbeats(mut self, heartbeats: Heartbeats) -> Self {
        self.heartbeats = heartbeats;
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

    /// Sets the revision of the empty storage; the first write takes the next revision. By default 1, as in etcd; at
    /// most 2^62.
    ///
    /// A cluster without a folder keeps nothing on disk, so a second cluster at the same address counts from the start
    /// again, and a client of the first cluster waits a long time for the revisions that it knows. If clients may
    /// outlive the cluster, begin with a number from the clock. A watch from an old resourceVersion, a list of exactly
    /// that version, and an old `continue` token then get 410 (`Expired`), and the client lists again.
    ///
    /// ```
    /// # use kube_testcluster::Cluster;
    /// use std::time::SystemTime;
    ///
    /// // No cluster writes more than once a microsecond, so the next cluster always begins with a higher revision.
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

    /// Limits the total size of the history: the objects of the last writes, which the server keeps for lists and
    /// watches of earlier versions. By default 128 MiB. Beyond the limit, the server drops the oldest writes. A request
    /// for a version before the remaining ones gets 410, as with the limits by number and age, and a watch that has not
    /// read the dropped writes yet ends. The last write is never dropped.
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
    /// is refused before it begins, because a write that is done must not get 429. A watch is not refused: its next
    /// event waits. By default 512 MiB. Responses and events below 64 KiB do not count.
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

    /// Turns on or off the admin path, with which clients start faults over HTTP; off by default.
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
}
