//! The CEL expressions of a validating admission policy. They compile on first use, see `program`.

use std::collections::HashMap;

use super::program::Program;
use super::webhook::{Condition, text};
use crate::kinds::fields;
use crate::value::Value;

#[derive(Debug)]
pub struct Expressions {
    pub conditions: Vec<Condition>,
    /// The variables, in order: each can use those before it.
    pub variables: Vec<Variable>,
    /// The indices in `variables` of each name. A name can be declared again; expressions after the second declaration
    /// use the second.
    places: HashMap<String, Vec<usize>>,
    pub validations: Vec<Validation>,
    /// The expressions for the values of audit annotations.
    pub annotations: Vec<Program>,
}

/// A named expression that other expressions can use.
#[derive(Debug)]
pub struct Variable {
    pub name: String,
    pub program: Program,
}

/// An expression that must be true, and the message if it is false.
#[derive(Debug)]
pub struct Validation {
    pub program: Program,
    pub message: String,
    pub message_program: Option<Program>,
    pub reason: &'static str,
}

impl Expressions {
    pub(super) fn of(spec: &Value) -> Self {
        let each = |field: &str| fields::items(spec, field).iter();
        let variable =
            |one: &Value| Variable { name: text(&one["name"]), program: Program::of(fields::text(one, "expression")) };
        let annotation = |one: &Value| Program::of(fields::text(one, "valueExpression"));
        let variables: Vec<Variable> = each("variables").map(variable).collect();
        let mut places: HashMap<String, Vec<usize>> = HashMap::new();
        for (i, variable) in variables.iter().enumerate() {
            places.entry(variable.name.clone()).or_default().push(i);
        }
        Self {
            places,
            variables,
            conditions: Condition::all_of(&spec["matchConditions"]),
            validations: each("validations").map(Validation::of).collect(),
            annotations: each("auditAnnotations").map(annotation).collect(),
        }
    }
}

impl Expressions {
    /// Returns the index of the last variable with this name among the first `first` variables: the one that the
    /// variable at index `first` sees.
    pub fn variable_among(&self, first: usize, name: &str) -> Option<usize> {
        self.places.get(name)?.iter().rev().copied().find(|place| *place < first)
    }
}

impl Validation {
    fn of(validation: &Value) -> Self {
        let message_program = Some(fields::text(validation, "messageExpression")).filter(|text| !text.is_empty());
        Self {
            program: Program::of(fields::text(validation, "expression")),
            message: text(&validation["message"]),
            message_program: message_program.map(Program::of),
            reason: match fields::text(validation, "reason") {
                "Forbidden" => "Forbidden",
                "RequestEntityTooLarge" => "RequestEntityTooLarge",
                _ => "Invalid",
            },
        }
    }
}
