//! Counts what CEL expressions cost while they run, and stops them at two limits: one for each expression, and a budget
//! for all expressions of one object.
//!
//! Upstream: cel-go's `CostTracker`, with the limits of `k8s.io/apiserver/pkg/apis/cel`.

use std::cell::{Cell, RefCell};
use std::sync::Arc;

use super::library::Regexes;
use super::{Error, Outcome, Value};
use crate::codec::expression::COST_OF_A_CALL;

/// If evaluations are nested deeper than this, a variable of an admission policy is computed after the variables that
/// it needs, and not around them: a long chain of variables would otherwise recurse and exhaust the stack.
const FEW_LEVELS: usize = 30;
/// The deepest nesting of the value of a policy's variable. Each variable can nest its predecessor's value, and a walk
/// over a value takes stack for each level.
const MOST_LEVELS: usize = 500;

/// The budgets that a group of expressions shares, and the compiled regular expressions.
///
/// Upstream charges nothing for some operations that take time or memory, such as joining lists. Those are counted
/// here as work: a second account with the same limits as the cost.
#[derive(Debug)]
pub struct Meter {
    /// The cost that all expressions together may still have.
    budget: Cell<u64>,
    /// The cost that the current expression may still have.
    expression: Cell<u64>,
    /// The same two limits for work, which has no cost upstream.
    work: Cell<u64>,
    work_of_expression: Cell<u64>,
    /// The nesting of the current evaluation.
    levels: Cell<usize>,
    pub(super) regexes: RefCell<Regexes>,
}

impl Meter {
    pub fn new(budget: u64) -> Self {
        Self {
            budget: Cell::new(budget),
            expression: Cell::new(COST_OF_A_CALL),
            work: Cell::new(budget),
            work_of_expression: Cell::new(COST_OF_A_CALL),
            levels: Cell::new(0),
            regexes: RefCell::default(),
        }
    }

    /// Charges a cost to the current expression and to the budget.
    ///
    /// # Errors
    /// If the cost is more than what is left.
    pub fn charge(&self, cost: u64) -> Result<(), Error> {
        take(&self.budget, cost).ok_or(Error::OutOfBudget)?;
        take(&self.expression, cost).ok_or(Error::Cancelled)
    }

    /// Gives back a cost that the next part will charge although upstream does not.
    pub(super) fn credit(&self, cost: u64) {
        self.budget.set(self.budget.get().saturating_add(cost));
        self.expression.set(self.expression.get().saturating_add(cost));
    }

    #[cfg(test)]
    pub(crate) fn remaining(&self) -> u64 {
        self.budget.get()
    }

    /// Counts work, which upstream does not charge for.
    ///
    /// # Errors
    /// If the work is more than what is left.
    pub(super) fn work(&self, work: u64) -> Result<(), Error> {
        take(&self.work_of_expression, work).ok_or(Error::Cancelled)?;
        take(&self.work, work).ok_or(Error::OutOfBudget)
    }

    /// Counts the work of reading a value with all that it contains.
    pub(super) fn work_on(&self, value: &Value) -> Result<(), Error> {
        match value {
            Value::String(text) => self.work(1 + text.len() as u64 / 10),
            Value::Bytes(bytes) => self.work(1 + bytes.len() as u64 / 10),
            Value::List(items) => {
                self.work(1)?;
                items.iter().try_for_each(|item| self.work_on(item))
            }
            Value::Map(map) => {
                self.work(1)?;
                map.values().try_for_each(|value| self.work_on(value))
            }
            Value::Optional(Some(held)) => self.work_on(held),
            _ => self.work(1),
        }
    }

    /// Runs an expression with a limit of its own, also if it runs inside of another expression. It still uses the
    /// shared budget.
    pub(super) fn one_expression(&self, run: impl FnOnce() -> Outcome) -> Outcome {
        let outer = (self.expression.replace(COST_OF_A_CALL), self.work_of_expression.replace(COST_OF_A_CALL));
        let outcome = run();
        self.expression.set(outer.0);
        self.work_of_expression.set(outer.1);
        outcome
    }

    /// Runs a part of an expression, one level deeper.
    pub(super) fn level(&self, run: impl FnOnce() -> Outcome) -> Outcome {
        let outer = self.levels.get();
        self.levels.set(outer + 1);
        let outcome = run();
        self.levels.set(outer);
        outcome
    }

    /// Returns true if evaluation is nested deeper than `FEW_LEVELS`.
    pub fn is_deep(&self) -> bool {
        self.levels.get() > FEW_LEVELS
    }

    /// Returns true if a value nests deeper than a variable may. The walk counts as work, but less than computing the
    /// value did.
    pub fn is_too_deep(&self, value: &Value) -> Result<bool, Error> {
        let mut seen = 0;
        self.exceeds(value, MOST_LEVELS, &mut seen)
    }

    /// Returns true if the value has more than `levels` levels. `seen` counts the values of the walk.
    fn exceeds(&self, value: &Value, levels: usize, seen: &mut u64) -> Result<bool, Error> {
        if levels == 0 {
            return Ok(true);
        }
        *seen += 1;
        if seen.is_multiple_of(10) {
            self.work(1)?;
        }
        let below: Box<dyn Iterator<Item = &Value>> = match value {
            Value::List(items) => Box::new(items.iter()),
            Value::Map(map) => Box::new(map.values()),
            Value::Optional(held) => Box::new(held.iter().map(Arc::as_ref)),
            _ => return Ok(false),
        };
        for item in below {
            if self.exceeds(item, levels - 1, seen)? {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// Subtracts an amount from what is left; returns `None` if it is not enough.
fn take(left: &Cell<u64>, amount: u64) -> Option<()> {
    left.set(left.get().checked_sub(amount)?);
    Some(())
}
