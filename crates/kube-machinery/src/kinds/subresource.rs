//! The subresources: paths below an object, such as `/status` and `/scale`, through which clients read or change a part
//! of it, or act on it. A kind's row lists the kind's subresources.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subresource {
    /// The decision on a certificate signing request.
    Approval,
    Status,
    /// The binding of a pod to a node.
    Binding,
    /// The log of a container.
    Log,
    /// A connection to the running process of a container.
    Attach,
    /// The ephemeral containers of a pod, for debugging.
    EphemeralContainers,
    /// The container resources of a running pod.
    Resize,
    /// A new process in a container.
    Exec,
    /// A connection to ports of a pod.
    PortForward,
    /// A deletion of a pod that a disruption budget can refuse.
    Eviction,
    /// The finalizers in a namespace's spec.
    Finalize,
    /// The number of replicas.
    Scale,
    /// A token of a service account.
    Token,
}

/// The kind of the objects that a subresource reads and writes, and its verbs.
#[derive(Clone, Copy, Debug)]
pub struct SubresourceInfo<'k> {
    /// The group and version of `kind`, if they differ from the object's.
    pub foreign: Option<(&'static str, &'static str)>,
    pub kind: &'k str,
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
