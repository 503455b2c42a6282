//! The strategy of a kind: the options by which kinds differ when objects are created, updated and deleted. For
//! example, a PUT may create an object of some kinds only. A kind's row (`row`) has the options, and the request
//! handlers act on them. `registry` has the options about requests of every verb. Upstream: the `strategy.go` of each
//! kind.

/// The way DELETE removes an object without finalizers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deletion {
    /// The object gets a deletionTimestamp, and stays until its grace period is reduced to 0.
    Graceful,
    AtOnce,
    /// As `AtOnce`, but an object with finalizers is in the phase `Terminating` until they are gone, and has no grace
    /// period; a collection cannot be deleted. This is the deletion of a namespace.
    Emptied,
    /// The object is marked as terminating, and stays until its instances are gone: a CustomResourceDefinition. The
    /// deletion of a collection removes it `AtOnce`. Upstream: `REST.Delete` of
    /// `pkg/registry/customresourcedefinition/etcd.go`.
    AfterInstances,
}

/// The response to a DELETE that has removed an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeleteResponse {
    /// A Status that reports the success.
    Status,
    /// The last state of the object.
    Object,
}

/// The changes that `metadata.generation` counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Generation {
    /// Changes of the spec.
    Counted,
    /// Changes of the spec, but the server does not number a new object, so the first change has the number 1.
    CountedFromUpdate,
    /// Changes at these JSON pointers, including fields in them that the server then removes.
    CountedAsSent(&'static [&'static str]),
    /// Changes of the spec and of the annotations, which a Deployment copies to its ReplicaSets.
    CountedWithAnnotations,
    /// Changes at these JSON pointers, for a kind with no spec, or with more than a spec.
    CountedAt(&'static [&'static str]),
    /// All changes outside of the metadata.
    CountedButMetadata,
    /// No changes: objects have no generation.
    Absent,
}

/// The treatment of equal causes, as metadata and the kind's own validation may find the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DuplicateCauses {
    /// The strategy has declarative validation, which removes them: `ErrorList.Filter` aggregates the errors. Upstream:
    /// `rest.DeclarativeValidation`.
    Removed,
    Kept,
}

/// The options of a kind's strategy.
#[derive(Clone, Copy, Debug)]
pub struct Strategy {
    /// Upstream: `AllowCreateOnUpdate`.
    pub create_on_update: CreateOnUpdate,
    /// The answer to an apply to the status of an object that does not exist. Upstream: `forceAllowCreate` in the `Update`
    /// of most kinds' `StatusREST` is false.
    pub create_on_status_apply: CreateOnUpdate,
    /// Upstream: `AllowUnconditionalUpdate`.
    pub unconditional_update: UnconditionalUpdate,
    /// Upstream: `PrepareForCreate`.
    pub status_on_create: StatusOnCreate,
    /// Upstream: `TTLFunc`.
    pub lifetime: Lifetime,
    /// Upstream: `DefaultGarbageCollectionPolicy`.
    pub dependents: Dependents,
    /// The warning about a deletion that names no policy, if the dependents stay then.
    pub warning_of_orphans: Option<&'static str>,
}

/// The answer to a PUT of an object that does not exist: it creates the object, or fails with NotFound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CreateOnUpdate {
    Allowed,
    Refused,
}

/// The answer to an update without a resourceVersion, which overwrites any state if it is allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnconditionalUpdate {
    Allowed,
    Refused,
}

/// The time after which the server removes an object by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lifetime {
    Endless,
    /// The time to live of Events: an hour, unless the cluster is configured otherwise.
    Short,
}

/// The default garbage collection of the dependents of a deleted object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dependents {
    /// The garbage collector deletes the dependents.
    Collected,
    /// The dependents stay, unless the deletion asks for another policy.
    Orphaned,
    /// Objects of the kind have no dependents, so a deletion ignores its propagation policy.
    Unsupported,
}

/// The treatment of the status in the body of a create.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StatusOnCreate {
    /// The status in the body is dropped, because only the status subresource writes the status.
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
        warning_of_orphans: None,
        create_on_status_apply: CreateOnUpdate::Refused,
    };
    /// As `USUAL`, but a PUT of an object that does not exist creates it.
    pub(crate) const CREATED_ON_UPDATE: Self = Self { create_on_update: CreateOnUpdate::Allowed, ..Self::USUAL };
}
