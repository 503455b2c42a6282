//! Pods, and the pod templates of other kinds.

pub(super) mod containers;
pub(super) mod defaults;
mod probes;
mod update;
pub(super) mod validation;
mod volumes;

pub(super) use self::defaults::pod as set_defaults;
pub(super) use self::validation::pod as validate;
