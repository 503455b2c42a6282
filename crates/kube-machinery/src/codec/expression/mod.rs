//! Expressions in CEL: they are read by the parser of the crate `cel`, and checked and run here. Upstream: `k8s.io/apiserver/pkg/cel`.

pub(crate) mod checker;
pub mod interpreter;
mod macros;
pub(crate) mod parse;
pub mod references;
mod texts;
mod tokens;
mod value;

pub use self::value::{Object, Value};
pub(crate) use cel::parser::Expression;

/// The most that one call may cost. Upstream: `celconfig.PerCallLimit`.
pub(crate) const COST_OF_A_CALL: u64 = 1_000_000;
/// The most that all calls for one object may cost. Upstream: `celconfig.RuntimeCELCostBudget`.
pub const COST_OF_AN_OBJECT: u64 = 10_000_000;
