//! The parts of an object that have a path of their own.

/// A path below an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subresource {
    /// Whether a certificate is to be signed.
    Approval,
    Status,
    Binding,
    /// The log of a container.
    Log,
    /// A stream to the running process of a container.
    Attach,
    /// The containers for debugging in a pod that runs.
    EphemeralContainers,
    /// The resources of a pod that runs.
    Resize,
    /// A new process in a container.
    Exec,
    PortForward,
    /// A deletion that a disruption budget could refuse.
    Eviction,
    /// The finalizers in a namespace's spec.
    Finalize,
    /// The number of replicas.
    Scale,
    /// A token of a service account.
    Token,
}

/// The discovery data of a subresource.
#[derive(Clone, Copy, Debug)]
pub struct Part {
    /// Group and version of the kind, if they differ from the object's.
    pub foreign: Option<(&'static str, &'static str)>,
    pub kind: &'static str,
    pub verbs: &'static [&'static str],
}

impl Subresource {
    pub fn name(self) -> &'static str {
        match self {
            Self::Approval => "approval",
            Self::Status => "status",
            Self::Binding => "binding",
            Self::Log => "log",
            Self::Attach => "attach",
            Self::EphemeralContainers => "ephemeralcontainers",
            Self::Resize => "resize",
            Self::Exec => "exec",
            Self::PortForward => "portforward",
            Self::Eviction => "eviction",
            Self::Finalize => "finalize",
            Self::Scale => "scale",
            Self::Token => "token",
        }
    }
}
