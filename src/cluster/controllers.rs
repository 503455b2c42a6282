//! The values of `--controllers`, `--admission`, `--authorization` and `--managed-fields`.

use kube_testcluster::Workloads;

/// Which controllers run in a cluster.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Controllers {
    /// All that there are, those of workloads too.
    #[default]
    All,
    /// The garbage collector and the namespace controller.
    Deletions,
    /// Those of deletions, and of workloads these.
    Only(Workloads),
    /// None, as in an API server alone.
    None,
}

impl From<Controllers> for kube_testcluster::Controllers {
    fn from(controllers: Controllers) -> Self {
        match controllers {
            Controllers::All => Self::All,
            Controllers::Deletions => Self::Housekeeping,
            Controllers::Only(workloads) => Self::Only(workloads),
            Controllers::None => Self::None,
        }
    }
}

/// What is added to new pods and namespaces.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Admission {
    /// What kube-apiserver adds with its default plugins.
    #[default]
    Kube,
    /// Nothing.
    Plain,
}

impl From<Admission> for kube_testcluster::Admission {
    fn from(admission: Admission) -> Self {
        match admission {
            Admission::Kube => Self::Kube,
            Admission::Plain => Self::Plain,
        }
    }
}

/// Whether what a user may do is asked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Authorization {
    /// Everything is allowed.
    #[default]
    AlwaysAllow,
    /// Roles and their bindings decide.
    Rbac,
}

impl From<Authorization> for kube_testcluster::Authorization {
    fn from(authorization: Authorization) -> Self {
        match authorization {
            Authorization::AlwaysAllow => Self::AlwaysAllow,
            Authorization::Rbac => Self::Rbac,
        }
    }
}

/// Which objects say who owns their fields.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum ManagedFields {
    /// None, and server-side apply is refused.
    Off,
    /// Those that somebody has applied, from then on.
    #[default]
    Applied,
    /// All, as in kube-apiserver.
    All,
}

impl From<ManagedFields> for kube_testcluster::ManagedFields {
    fn from(managed_fields: ManagedFields) -> Self {
        match managed_fields {
            ManagedFields::Off => Self::Off,
            ManagedFields::Applied => Self::Applied,
            ManagedFields::All => Self::Kept,
        }
    }
}
