//! A rule as a program.

use crate::codec::expression::interpreter::{Error, Meter, Names, Outcome, Program, run};
use crate::codec::expression::parse::{parse, told};
use crate::codec::structural::Rule;

pub use crate::codec::expression::Value;

/// A rule that was read.
#[derive(Debug)]
pub(in crate::codec::structural) struct Compiled {
    pub(super) program: Result<Program, String>,
    message: Option<Program>,
    /// Whether it is about a change.
    pub(super) uses_old_self: bool,
}

/// What a rule sees.
#[derive(Clone, Copy)]
pub(super) struct Seen<'a> {
    pub(super) new: &'a Value,
    pub(super) old: Option<&'a Value>,
    /// Whether the state before is an optional.
    pub(super) is_optional: bool,
    /// Whether the schema says nothing of its type.
    pub(super) is_dynamic: bool,
}

impl Names for Seen<'_> {
    fn variable(&self, name: &str, _: &Meter) -> Option<Outcome> {
        match name {
            "self" => Some(Ok(self.new.clone())),
            "oldSelf" if self.is_optional => Some(Ok(Value::optional(self.old.cloned()))),
            "oldSelf" => self.old.cloned().map(Ok),
            _ => None,
        }
    }

    fn is_dynamic(&self, _: &str) -> bool {
        self.is_dynamic
    }
}

/// Why an expression makes no message.
pub(super) enum NoMessage {
    /// Another one is told.
    Useless,
    /// Nothing more is run.
    TooExpensive(String),
}

impl Compiled {
    pub(super) fn of(rule: &Rule) -> Self {
        let expression = parse(&rule.rule).map_err(|faults| format!("compilation failed: {}", told(faults)));
        let uses_old_self = expression.as_ref().is_ok_and(|expression| expression.references().has_variable("oldSelf"));
        let program = expression.and_then(|expression| {
            Program::of(expression).map_err(|why| format!("program instantiation failed: {why}"))
        });
        let message = Some(&rule.message_expression).filter(|text| !text.is_empty());
        let message = message.and_then(|text| Program::of(parse(text).ok()?).ok());
        Self { program, message, uses_old_self }
    }

    /// What the rule says about its failure: one line. Upstream: `evalMessageExpression`.
    pub(super) fn message(&self, text: &str, seen: Seen<'_>, meter: &Meter) -> Result<String, NoMessage> {
        const MOST: usize = 5 * 1024;
        let program = self.message.as_ref().ok_or(NoMessage::Useless)?;
        let message = match run(program, &Seen { is_optional: false, ..seen }, meter) {
            Ok(Value::String(message)) => message,
            Ok(_) | Err(Error::Failed(_)) => return Err(NoMessage::Useless),
            Err(Error::OutOfBudget) => {
                let why = "messageExpression evaluation failed due to running out of cost budget, no further validation \
                           rules will be run";
                return Err(NoMessage::TooExpensive(why.to_owned()));
            }
            Err(Error::Cancelled) => {
                let why =
                    "no further validation rules will be run due to call cost exceeds limit for messageExpression";
                return Err(NoMessage::TooExpensive(format!("{why}: {}", crate::conventions::quote::quote(text))));
            }
        };
        let message = message.trim();
        let is_line = !message.is_empty() && message.len() <= MOST && !message.contains('\n');
        is_line.then(|| message.to_owned()).ok_or(NoMessage::Useless)
    }
}
