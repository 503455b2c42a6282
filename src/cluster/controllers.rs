//! The values of `--controllers`.

/// Which controllers run in a cluster.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Controllers {
    /// All that there are, that of ReplicaSets too.
    #[default]
    All,
    /// The garbage collector and the namespace controller.
    Deletions,
    /// None, as in an API server alone.
    None,
}

impl From<Controllers> for kube_testcluster::Controllers {
    fn from(controllers: Controllers) -> Self {
        match controllers {
            Controllers::All => Self::All,
            Controllers::Deletions => Self::GarbageAndNamespaces,
            Controllers::None => Self::None,
        }
    }
}
