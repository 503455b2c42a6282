//! Services.

mod addresses;
mod allocation;
mod defaults;
mod exposure;
mod free_ranges;
mod load_balancer;
mod validation;

pub(super) use self::allocation::allocator;
pub(super) use self::defaults::service as set_defaults;
pub(super) use self::load_balancer::status as validate_status;
pub(super) use self::validation::service as validate;
