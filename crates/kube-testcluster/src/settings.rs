//! The settings of a server.

use std::time::Duration;

use kube_controllers::Workload;

/// The generation of the API server, as far as a client can tell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Era {
    /// API servers up to 1.26. The watch cache keeps its objects in an unordered map, so what it answers (LIST with
    /// resourceVersion 0, the first events of a WATCH) comes in no particular order; here: in the order of a seeded
    /// hash. A streaming list (`sendInitialEvents`) is refused.
    Classic,
    /// API servers of today. The watch cache is ordered by key, its reads are consistent, and streaming lists are
    /// served.
    #[default]
    Modern,
}

/// The admin path `/lab/faults`.
///
/// POST `{"fault": "429:verb=list,times=3"}` starts a [`Fault`](crate::Fault), GET lists the active ones, DELETE ends
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
    /// Those of [`Housekeeping`](Self::Housekeeping), and those of workloads: of
    /// [ReplicaSets](crate::controllers::replica_set), [Deployments](crate::controllers::deployment),
    /// [DaemonSets](crate::controllers::daemon_set), [StatefulSets](crate::controllers::stateful_set),
    /// [Jobs](crate::controllers::job), [CronJobs](crate::controllers::cron_job) and [services](crate::controllers::endpoint_slice). Each of them begins with the
    /// first object that it works on.
    #[default]
    All,
    /// The garbage collector and the namespace controller, which deletions need; the service account controller, with
    /// [`Admission::Kube`]; that of aggregated cluster roles; and those of nodes: their taints follow their conditions, and the pods of a node that was deleted
    /// go after 40 seconds. A ReplicaSet is only an object, until the test runs a controller of its own.
    Housekeeping,
    /// Those of [`Housekeeping`](Self::Housekeeping), and of the controllers of workloads these.
    Only(Workloads),
    /// None, as in an API server without a controller manager: dependents outlive their owners, objects with a
    /// finalizer of the garbage collector stay, and a new node stays tainted. A deleted namespace is removed at once with its
    /// contents left behind; with [`Admission::Kube`] it stays, as nobody empties it.
    None,
}

impl Controllers {
    pub(crate) fn workloads(self) -> Workloads {
        match self {
            Self::All => Workload::ALL.into_iter().collect(),
            Self::Only(workloads) => workloads,
            Self::Housekeeping | Self::None => Workloads::default(),
        }
    }
}

/// Some controllers of workloads; by default none.
///
/// ```
/// use kube_testcluster::{Controllers, Workload};
///
/// let only = Controllers::Only([Workload::Deployment, Workload::ReplicaSet].into_iter().collect());
/// # let _ = only;
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Workloads([bool; Workload::ALL.len()]);

impl Workloads {
    pub(crate) fn has(self, workload: Workload) -> bool {
        self.0[workload as usize]
    }
}

impl FromIterator<Workload> for Workloads {
    fn from_iter<I: IntoIterator<Item = Workload>>(workloads: I) -> Self {
        let mut chosen = Self::default();
        workloads.into_iter().for_each(|workload| chosen.0[workload as usize] = true);
        chosen
    }
}

/// Whether pods are scheduled and run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kubelets {
    Run,
    /// A pod is only an object.
    Absent,
}

/// What the server adds to new pods and to namespaces, beyond the defaults of their kinds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Admission {
    /// Nothing, as in an API server of the library `k8s.io/apiserver` alone: an object is what its client has sent.
    #[default]
    Plain,
    /// What kube-apiserver adds with its default plugins. A new pod gets a priority, the policy of its preemption, tolerations
    /// of 300 seconds for nodes that are not ready or not reachable, and its service account; a priority class or an account
    /// that does not exist is refused. Each namespace gets the service account `default` and the config map `kube-root-ca.crt`,
    /// and the namespace `default` the service `kubernetes` with its endpoints. Each version of a group has its APIService,
    /// and the cluster roles, roles and bindings are there that kube-apiserver begins with. Without controllers there are neither
    /// service accounts nor config maps, and the roles `admin`, `edit` and `view` have no rules.
    Kube,
}

/// Whether the server asks what a user may do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Authorization {
    /// Every request is allowed, as with `--authorization-mode=AlwaysAllow` of kube-apiserver.
    #[default]
    AlwaysAllow,
    /// By the roles and bindings that are stored, as with `--authorization-mode=RBAC`. Those that kube-apiserver begins with are
    /// there. Who asks without a credential where none is asked for, in process or on a plain loopback listener, is a member of
    /// `system:masters`, who may do everything; other users are those of [`Cluster::client_as`](crate::Cluster::client_as), of
    /// `kubectl --as`, of the tokens of service accounts, and of a listener with TLS. The cluster's own controllers are never asked.
    Rbac,
}

/// For which objects the server keeps who owns which fields, for server-side apply.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum ManagedFields {
    /// For none: objects have no `managedFields`, and server-side apply is refused with 415.
    Off,
    /// For those that somebody has applied, from their first apply on; what they had before belongs to `before-first-apply`, and what
    /// `kubectl apply` has written to `kubectl-client-side-apply`. Other
    /// objects have no `managedFields`: they are smaller so, and their writes quicker. Upstream: `NewSkipNonAppliedManager`
    /// of `k8s.io/apimachinery`, as kube-apiserver had it up to 1.17.
    #[default]
    Applied,
    /// For all: each write says in `managedFields` what it has changed, as in kube-apiserver.
    Kept,
}

/// The settings that are chosen before the start.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Settings {
    pub(crate) era: Era,
    pub(crate) seed: u64,
    /// The revision of the empty storage: the first write takes the next one.
    pub(crate) first_revision: u64,
    /// How long a write takes before it is visible.
    pub(crate) commit_latency: Duration,
    /// How many revisions storage keeps, and how many events each watch cache keeps.
    pub(crate) history: usize,
    /// How long storage keeps an earlier state.
    pub(crate) history_age: Duration,
    /// How often a watch that allows bookmarks gets one.
    pub(crate) bookmarks: Duration,
    /// How many events may wait for the reader of a watch.
    pub(crate) watch_buffer: usize,
    /// How many watches clients may have open.
    pub(crate) max_watches: usize,
    /// How many bytes of answers may wait for their readers.
    pub(crate) max_waiting_answers: usize,
    /// How long an Event is kept after its last write.
    pub(crate) event_ttl: Duration,
    /// How many Events are kept.
    pub(crate) max_events: usize,
    /// Whether a modern server serves streaming lists.
    pub(crate) watch_list: bool,
    /// Whether discovery is served in one answer too.
    pub(crate) aggregated_discovery: bool,
    pub(crate) kubelets: Kubelets,
    pub(crate) controllers: Controllers,
    pub(crate) admission: Admission,
    pub(crate) managed_fields: ManagedFields,
    pub(crate) authorization: Authorization,
}

impl Settings {
    pub(crate) fn streams_lists(&self) -> bool {
        self.watch_list && self.era == Era::Modern
    }

    /// Whether each namespace gets a service account: without controllers nobody makes them.
    pub(crate) fn makes_accounts(&self) -> bool {
        self.admission == Admission::Kube && self.controllers != Controllers::None
    }

    /// Whether the roles and bindings are there that kube-apiserver begins with.
    pub(crate) fn has_policy(&self) -> bool {
        self.admission == Admission::Kube || self.authorization == Authorization::Rbac
    }

    /// Whether a namespace has a finalizer from its beginning, as kube-apiserver gives it one. Without a controller that
    /// empties it, it stays for ever; a plain server without controllers removes it at once.
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
