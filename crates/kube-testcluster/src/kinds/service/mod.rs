//! Services.

mod allocation;
mod defaults;
mod free_ranges;
mod validation;

pub(super) use self::allocation::allocator;
pub(super) use self::defaults::service as set_defaults;
pub(super) use self::validation::service as validate;
