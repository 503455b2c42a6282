//! Pods, and the pod templates of other kinds.

pub(super) mod containers;
pub(super) mod defaults;
mod probe_validation;
mod probes;
mod resource_validation;
mod update;
pub(super) mod validation;
mod volume_validation;
mod volumes;

pub(super) use self::defaults::pod as set_defaults;
pub(super) use self::validation::pod as validate;
