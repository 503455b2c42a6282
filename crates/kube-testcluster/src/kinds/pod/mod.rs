//! Pods, and the pod templates of other kinds.

mod affinity;
pub(super) mod containers;
pub(super) mod defaults;
mod environment;
mod network;
mod placement;
mod probe_validation;
mod probes;
pub(super) mod resource_validation;
mod security;
mod selectors;
mod status;
mod update;
pub(super) mod validation;
mod volume_validation;
mod volumes;

pub(super) use self::defaults::pod as set_defaults;
pub(super) use self::status::status as validate_status;
pub(super) use self::validation::pod as validate;
