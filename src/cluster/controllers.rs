//! The values of `--controllers`, `--admission` and `--authorization`.

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
