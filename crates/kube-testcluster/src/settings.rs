//! The settings of a server, fixed at its start, and the public enums of which they are made.

use std::time::Duration;

use kube_controllers::ControllerName;

/// The generation of API server that is simulated. It covers only differences that clients can notice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Era {
    /// API servers up to 1.26. The watch cache keeps its objects in an unordered map, so its responses (LIST with
    /// resourceVersion 0, the first events of a WATCH) come in no particular order; here, in the order of a seeded
    /// hash. A streaming list (`sendInitialEvents`) is refused.
    Classic,
    /// Current API servers. The watch cache is ordered by key, its reads are consistent, and streaming lists are
    /// served.
    #[default]
    Modern,
}

/// The admin path `/lab/faults`.
///
/// POST `{"fault": "429:verb=list,times=3"}` starts a [`Fault`](crate::Fault), GET lists the active faults, DELETE ends
/// all of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Admin {
    /// The path is served.
    On,
    /// The path is unknown, as on every other API server.
    #[default]
    Off,
}

/// The controllers that run beside the kubelet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Controllers {
    /// The controllers of [`Housekeeping`](Self::Housekeeping), and these:
    /// [ReplicaSets](crate::controllers::replica_set),
    /// [ReplicationControllers](crate::controllers::replication_controller),
    /// [Deployments](crate::controllers::deployment),
    /// [DaemonSets](crate::controllers::daemon_set), [StatefulSets](crate::controllers::stateful_set),
    /// [Jobs](crate::controllers::job), [CronJobs](crate::controllers::cron_job),
    /// services ([EndpointSlices](crate::controllers::endpoint_slice),
    /// [Endpoints](crate::controllers::endpoints) and
    /// [mirroring](crate::controllers::endpoint_slice_mirroring)),
    /// [PodDisruptionBudgets](crate::controllers::disruption), [ResourceQuotas](crate::controllers::resource_quota),
    /// [volume claims](crate::controllers::persistent_volume),
    /// [tainted nodes](crate::controllers::taint_eviction) and
    /// [CertificateSigningRequests](crate::controllers::certificates). Each of them starts with the first object that
    /// it works on. With [`Admission::Kube`], the controllers that protect
    /// [claims](crate::controllers::pvc_protection) and [volumes](crate::controllers::pv_protection) in use run too,
    /// also with `Housekeeping` and `Only`.
    #[default]
    All,
    /// The garbage collector and the namespace controller, which deletions need; the controllers of service accounts
    /// and of their tokens in Secrets, with [`Admission::Kube`]; the controller of aggregated cluster roles; and the
    /// controllers of nodes: a node that falls silent becomes unreachable, a node's taints follow its conditions, and
    /// the pods of a deleted node go after 40 seconds.
    /// A ReplicaSet is only an object, unless the test runs a controller of its own.
    Housekeeping,
    /// The controllers of [`Housekeeping`](Self::Housekeeping), and the named ones.
    Only(ControllerSet),
    /// No controllers, as in an API server without a controller manager: dependents outlive their owners, objects with
    /// a finalizer of the garbage collector stay, and a new node stays tainted. A deleted namespace is removed at once,
    /// and its objects stay behind; with [`Admission::Kube`] the namespace stays, because no controller empties it.
    None,
}

impl Controllers {
    fn enabled_controllers(self) -> ControllerSet {
        match self {
            Self::All => ControllerName::ALL.into_iter().collect(),
            Self::Only(controllers) => controllers,
            Self::Housekeeping | Self::None => ControllerSet::default(),
        }
    }
}

/// A set of controllers, for [`Controllers::Only`]. Collect it from the wanted [`ControllerName`]s.
///
/// ```
/// use kube_testcluster::{Controllers, ControllerName};
///
/// let only = Controllers::Only([ControllerName::Deployment, ControllerName::ReplicaSet].into_iter().collect());
/// # let _ = only;
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ControllerSet([bool; ControllerName::ALL.len()]);

impl ControllerSet {
    pub(crate) fn has(self, name: ControllerName) -> bool {
        self.0[name as usize]
    }
}

impl FromIterator<ControllerName> for ControllerSet {
    fn from_iter<I: IntoIterator<Item = ControllerName>>(controllers: I) -> Self {
        let mut chosen = Self::default();
        controllers.into_iter().for_each(|name| chosen.0[name as usize] = true);
        chosen
    }
}

/// The presence of a scheduler and a kubelet, which run pods.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kubelets {
    Run,
    /// A pod is only an object.
    Absent,
}

/// The objects and fields that the server adds to new pods and namespaces, beyond the defaults of their kinds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Admission {
    /// Nothing, as in an API server made with the library `k8s.io/apiserver` alone: an object stays as its client has
    /// sent it.
    #[default]
    Plain,
    /// The additions of kube-apiserver's default plugins. A new pod gets a priority, a preemption policy, tolerations
    /// of 300 seconds for nodes that are not ready or not reachable, and its service account. A pod is refused if its
    /// priority class or service account does not exist, if it violates the Pod Security level in the labels of its
    /// namespace, or if it breaks a limit range. An object that exceeds a quota is refused, too. Claims and volumes get
    /// the finalizers that protect them while they are used. Runtime classes, default storage classes and default
    /// ingress classes have their effect. Each namespace gets the service account `default` and the config map
    /// `kube-root-ca.crt`, and the namespace `default` gets the service `kubernetes` with its endpoints. Each version
    /// of a group has its APIService, and kube-apiserver's bootstrap roles and bindings exist. Without controllers
    /// there are no service accounts and no config maps, and the roles `admin`, `edit` and `view` have no rules.
    Kube,
}

/// The authorization mode: decides if a user's rights are checked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Authorization {
    /// Every request is allowed, as with `--authorization-mode=AlwaysAllow` of kube-apiserver.
    #[default]
    AlwaysAllow,
    /// The stored roles and bindings decide, as with `--authorization-mode=RBAC`. kube-apiserver's bootstrap roles and
    /// bindings exist. A client without a credential, in process or on a plain loopback listener, is in the group
    /// `system:masters`, which may do everything. Other users come from
    /// [`Cluster::client_as`](crate::Cluster::client_as), `kubectl --as`, service account tokens, and listeners with
    /// TLS. The cluster's own controllers are not checked.
    Rbac,
}

/// The objects for which the server keeps `managedFields`, for server-side apply.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum ManagedFields {
    /// No objects: there are no `managedFields`, and server-side apply is refused with 415.
    Off,
    /// Objects that were applied, from their first apply on. Fields that an object had before then belong to
    /// `before-first-apply`, and fields that `kubectl apply` has written belong to `kubectl-client-side-apply`. Other
    /// objects have no `managedFields`, which makes them smaller and their writes quicker. Upstream:
    /// `NewSkipNonAppliedManager` of `k8s.io/apimachinery`, as kube-apiserver had it up to 1.17.
    #[default]
    Applied,
    /// All objects: each write records in `managedFields` the fields that it has changed, as in kube-apiserver.
    Kept,
}

/// The settings of a server, fixed at its start. [`ClusterBuilder`](crate::ClusterBuilder) explains each.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Settings {
    pub(crate) era: Era,
    /// Decides everything that an API server leaves to chance, such as uids and the order of an unordered watch cache.
    pub(crate) seed: u64,
    /// The revision of the empty storage. The first write takes the next revision.
    pub(crate) first_revision: u64,
    /// The duration of a write before it is visible.
    pub(crate) commit_latency: Duration,
    /// The number of revisions that storage keeps, and of events that each watch cache keeps.
    pub(crate) history: usize,
    /// The total size, in bytes, of the objects in the history.
    pub(crate) history_bytes: usize,
    pub(crate) history_age: Duration,
    /// The period of bookmarks for watches that allow them.
    pub(crate) bookmarks: Duration,
    /// The number of events that may wait for the reader of a watch.
    pub(crate) watch_buffer: usize,
    pub(crate) max_watches: usize,
    /// The total size, in bytes, of responses that may wait for slow clients.
    pub(crate) max_waiting_answers: usize,
    /// The time for which an Event is kept after its last write.
    pub(crate) event_ttl: Duration,
    pub(crate) max_events: usize,
    /// True if streaming lists are served. A server of [`Era::Classic`] serves none in any case.
    pub(crate) watch_list: bool,
    pub(crate) aggregated_discovery: bool,
    pub(crate) kubelets: Kubelets,
    pub(crate) controllers: Controllers,
    pub(crate) admission: Admission,
    pub(crate) managed_fields: ManagedFields,
    pub(crate) authorization: Authorization,
}

impl Settings {
    /// Returns the controllers that run as clients of the API. Those that protect claims and volumes remove the
    /// finalizers that [`Admission::Kube`] adds, so they always run with it; without it, they run only if a test names
    /// them.
    pub(crate) fn enabled_controllers(&self) -> ControllerSet {
        let mut controllers = self.controllers.enabled_controllers();
        let protects = match (self.admission, self.controllers) {
            (_, Controllers::None) | (Admission::Plain, Controllers::Only(_)) => return controllers,
            (admission, _) => admission == Admission::Kube,
        };
        for name in [ControllerName::PersistentVolumeClaimProtection, ControllerName::PersistentVolumeProtection] {
            controllers.0[name as usize] = protects;
        }
        controllers
    }

    pub(crate) fn streams_lists(&self) -> bool {
        self.watch_list && self.era == Era::Modern
    }

    /// Returns true if each namespace gets a service account. Without controllers there are no service accounts.
    pub(crate) fn makes_accounts(&self) -> bool {
        self.admission == Admission::Kube && self.controllers != Controllers::None
    }

    /// Returns true if the objects exist that kube-apiserver creates at its start and for each kind.
    pub(crate) fn has_system_objects(&self) -> bool {
        self.admission == Admission::Kube
    }

    /// Returns true if kube-apiserver's bootstrap roles and bindings exist.
    pub(crate) fn has_policy(&self) -> bool {
        self.admission == Admission::Kube || self.authorization == Authorization::Rbac
    }

    /// Returns true if a namespace has a finalizer from its creation on, as in kube-apiserver. Without a controller
    /// that empties it, such a namespace stays for ever; a plain server without controllers removes a namespace at
    /// once.
    pub(crate) fn holds_namespaces(&self) -> bool {
        self.admission == Admission::Kube || self.controllers != Controllers::None
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            era: Era::default(),
            seed: 0,
            first_revision: 1,
            commit_latency: Duration::ZERO,
            history: 10_000,
            history_bytes: 128 * 1024 * 1024,
            history_age: Duration::from_secs(300),
            bookmarks: Duration::from_secs(60),
            watch_buffer: 10_000,
            max_watches: 10_000,
            max_waiting_answers: 512 * 1024 * 1024,
            event_ttl: Duration::from_secs(60 * 60),
            max_events: 10_000,
            watch_list: true,
            aggregated_discovery: true,
            kubelets: Kubelets::Run,
            controllers: Controllers::All,
            admission: Admission::Plain,
            managed_fields: ManagedFields::default(),
            authorization: Authorization::AlwaysAllow,
        }
    }
}
