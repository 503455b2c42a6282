//! Services.

pub(crate) mod allocation;
mod defaults;
mod validation;

pub(super) use self::defaults::service as set_defaults;
pub(super) use self::validation::service as validate;
