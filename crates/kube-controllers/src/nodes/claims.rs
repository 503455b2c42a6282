//! The requirement that the claims in a pod's volumes must meet before the pod starts.

/// The state that the claims in a pod's volumes must have before the scheduler chooses a node for the pod, and before
/// the kubelet starts it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Claims {
    /// They exist. Without a controller that binds claims, none would ever be bound.
    Exist,
    /// They are bound to volumes, and not being deleted.
    #[default]
    AreBound,
}
