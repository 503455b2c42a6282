//! How the objects of a kind are created, updated and deleted, where kinds differ.

/// How DELETE removes an object without finalizers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deletion {
    /// The object gets a deletionTimestamp and stays until its grace period has been reduced to 0.
    Graceful,
    /// The object is removed at once.
    AtOnce,
}

/// The response to a DELETE that has removed an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeleteResponse {
    /// A Status.
    Status,
    /// The last state of the object.
    Object,
}

/// Whether `metadata.generation` counts the changes of the spec.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Generation {
    Counted,
    /// It also counts the changes of the annotations, which a Deployment passes on to its ReplicaSets.
    CountedWithAnnotations,
    /// It counts the changes at these JSON pointers: the kind has no spec, or not only that.
    CountedAt(&'static [&'static str]),
    /// It counts the changes of everything but the metadata.
    CountedButMetadata,
    Absent,
}

/// How a kind is created and updated, where kinds differ. Upstream: a kind's `strategy.go`.
#[derive(Clone, Copy, Debug)]
pub struct Strategy {
    /// What PUT does if there is no object. Upstream: `AllowCreateOnUpdate`.
    pub create_on_update: CreateOnUpdate,
    /// Whether an update without a resourceVersion overwrites any state. Upstream: `AllowUnconditionalUpdate`.
    pub unconditional_update: UnconditionalUpdate,
    /// What becomes of the status in the body of a creation. Upstream: `PrepareForCreate`.
    pub status_on_create: StatusOnCreate,
    /// Upstream: `TTLFunc`.
    pub lifetime: Lifetime,
    /// Upstream: `DefaultGarbageCollectionPolicy`.
    pub dependents: Dependents,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CreateOnUpdate {
    Allowed,
    Refused,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnconditionalUpdate {
    Allowed,
    Refused,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lifetime {
    Endless,
    /// An hour, or what was chosen for Events.
    Short,
}

/// Whether objects of a kind can own others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dependents {
    Collected,
    /// They stay, unless the deletion says otherwise.
    Orphaned,
    /// There are none, so a deletion waits for none whatever its policy is.
    Unsupported,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StatusOnCreate {
    /// Only the status subresource writes the status.
    Reset,
    Kept,
}

impl Strategy {
    /// The strategy of most kinds.
    pub(crate) const USUAL: Self = Self {
        create_on_update: CreateOnUpdate::Refused,
        unconditional_update: UnconditionalUpdate::Allowed,
        status_on_create: StatusOnCreate::Reset,
        lifetime: Lifetime::Endless,
        dependents: Dependents::Collected,
    };
    pub(crate) const CREATED_ON_UPDATE: Self = Self { create_on_update: CreateOnUpdate::Allowed, ..Self::USUAL };
}
