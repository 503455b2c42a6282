//! What expressions cost while they run. Upstream: cel-go's `CostTracker`, with the limits of `k8s.io/apiserver/pkg/apis/cel`.

use std::cell::{Cell, RefCell};

use super::regexes::Regexes;
use super::{Error, Outcome, Value, optional};
use crate::codec::expression::cost;

/// How many levels of expressions can be inside each other before what a name needs is computed in advance.
const FEW_LEVELS: usize = 30;
/// How deep a value can nest that is kept.
const MOST_LEVELS: usize = 500;

/// What is left to some expressions that have a budget together.
#[derive(Debug)]
pub(crate) struct Meter {
    budget: Cell<u64>,
    expression: Cell<u64>,
    levels: Cell<usize>,
    pub(super) regexes: RefCell<Regexes>,
}

impl Meter {
    pub(crate) fn new(budget: u64) -> Self {
        let regexes = RefCell::default();
        Self { budget: Cell::new(budget), expression: Cell::new(cost::OF_A_CALL), levels: Cell::new(0), regexes }
    }

    /// # Errors
    /// That this is more than is left.
    pub(crate) fn charge(&self, cost: u64) -> Result<(), Error> {
        let left = self.expression.get().checked_sub(cost).ok_or(Error::Cancelled)?;
        self.expression.set(left);
        let left = self.budget.get().checked_sub(cost).ok_or(Error::OutOfBudget)?;
        self.budget.set(left);
        Ok(())
    }

    /// Charges what it costs to look at all of a value.
    pub(super) fn charge_for(&self, value: &Value) -> Result<(), Error> {
        match value {
            Value::String(text) => self.charge(of_text(text.len())),
            Value::Bytes(bytes) => self.charge(of_text(bytes.len())),
            Value::List(items) => {
                self.charge(items.len() as u64)?;
                items.iter().try_for_each(|item| self.charge_for(item))
            }
            Value::Map(map) => {
                self.charge(map.map.len() as u64)?;
                map.map.values().try_for_each(|value| self.charge_for(value))
            }
            other => match held(other) {
                Some(held) => self.charge_for(held),
                None => Ok(()),
            },
        }
    }

    /// Runs an expression, which may be inside another one: what that has cost does not count for it.
    pub(super) fn one_expression(&self, run: impl FnOnce() -> Outcome) -> Outcome {
        let outer = self.expression.replace(cost::OF_A_CALL);
        let outcome = run();
        self.expression.set(outer);
        outcome
    }

    /// Runs a part of an expression.
    pub(super) fn level(&self, run: impl FnOnce() -> Outcome) -> Outcome {
        let outer = self.levels.get();
        self.levels.set(outer + 1);
        let outcome = run();
        self.levels.set(outer);
        outcome
    }

    /// Whether so many expressions are inside each other that no further one should begin that needs others.
    pub(crate) fn is_deep(&self) -> bool {
        self.levels.get() > FEW_LEVELS
    }
}

/// What an optional holds.
fn held(value: &Value) -> Option<&Value> {
    optional(value)?.value()
}

/// The cost of looking at a text. Upstream: `StringTraversalCostFactor`.
pub(super) fn of_text(length: usize) -> u64 {
    length.div_ceil(10) as u64
}

impl Meter {
    /// Whether a value nests deeper than one that is kept may. To look is charged, but less than to compute.
    pub(crate) fn is_too_deep(&self, value: &Value) -> Result<bool, Error> {
        let mut seen = 0;
        self.exceeds(value, MOST_LEVELS, &mut seen)
    }

    fn exceeds(&self, value: &Value, levels: usize, seen: &mut u64) -> Result<bool, Error> {
        if levels == 0 {
            return Ok(true);
        }
        *seen += 1;
        if seen.is_multiple_of(10) {
            self.charge(1)?;
        }
        let below: Box<dyn Iterator<Item = &Value>> = match value {
            Value::List(items) => Box::new(items.iter()),
            Value::Map(map) => Box::new(map.map.values()),
            other => Box::new(held(other).into_iter()),
        };
        for item in below {
            if self.exceeds(item, levels - 1, seen)? {
                return Ok(true);
            }
        }
        Ok(false)
    }
}
