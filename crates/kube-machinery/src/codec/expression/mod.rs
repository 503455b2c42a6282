//! Expressions in CEL, the language of the rules of custom resources, of admission policies and of match conditions.
//! The crate `cel` parses them; this module checks and runs them, with cel-go's results, messages and costs. Upstream:
//! cel-go, and `k8s.io/apiserver/pkg/cel`.

pub(crate) mod checker;
pub(crate) mod estimate;
pub mod interpreter;
mod macros;
pub(crate) mod parse;
pub mod references;
mod string_literals;
mod tokens;
mod value;

pub use self::value::{Object, Value};
pub(crate) use cel::parser::Expression;

/// The cost limit of one evaluation of an expression, which upstream names a call. Upstream: `celconfig.PerCallLimit`.
pub(crate) const COST_OF_A_CALL: u64 = 1_000_000;
/// The cost limit of all evaluations for one object. Upstream: `celconfig.RuntimeCELCostBudget`.
pub const COST_OF_AN_OBJECT: u64 = 10_000_000;
