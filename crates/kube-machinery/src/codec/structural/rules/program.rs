//! Compiles a CEL rule of a schema and its `messageExpression`: once, when the rule first runs.

use crate::codec::expression::interpreter::{Error, Meter, Outcome, Program, Variables, run};
use crate::codec::expression::parse::{join_faults, parse};
use crate::codec::structural::Rule;

pub use crate::codec::expression::Value;

#[derive(Debug)]
pub(in crate::codec::structural) struct Compiled {
    /// The program, or the reason why the rule does not compile.
    pub(super) program: Result<Program, String>,
    /// The message expression; `None` if there is none or if it does not compile.
    message: Option<Program>,
    pub(super) uses_old_self: bool,
}

/// The variables of a rule: `self`, and `oldSelf` if there is an old value.
#[derive(Clone, Copy)]
pub(super) struct Activation<'a> {
    pub(super) new: &'a Value,
    pub(super) old: Option<&'a Value>,
    /// True if `oldSelf` is an optional value.
    pub(super) is_optional: bool,
    /// True if the schema does not determine one type for the value.
    pub(super) is_dynamic: bool,
}

impl Variables for Activation<'_> {
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

/// The reason why a message expression gives no message.
pub(super) enum NoMessage {
    /// There is no valid expression, it failed, or its result is not one line of text. The rule's own message is used.
    Unusable,
    /// The expression exceeded the cost budget. No further rules run.
    TooExpensive(String),
}

impl Compiled {
    pub(super) fn of(rule: &Rule) -> Self {
        let expression = parse(&rule.rule).map_err(|faults| format!("compilation failed: {}", join_faults(faults)));
        let uses_old_self = expression.as_ref().is_ok_and(|expression| expression.references().has_variable("oldSelf"));
        let program = expression.and_then(|expression| {
            Program::of(expression).map_err(|why| format!("program instantiation failed: {why}"))
        });
        let message = Some(&rule.message_expression).filter(|text| !text.is_empty());
        let message = message.and_then(|text| Program::of(parse(text).ok()?).ok());
        Self { program, message, uses_old_self }
    }

    /// Evaluates the message expression, which must give a single line. Upstream: `evalMessageExpression`.
    pub(super) fn message(&self, text: &str, activation: Activation<'_>, meter: &Meter) -> Result<String, NoMessage> {
        /// The most bytes of a message. Upstream: `celconfig.MaxEvaluatedMessageExpressionSizeBytes`.
        const MOST: usize = 5 * 1024;
        let program = self.message.as_ref().ok_or(NoMessage::Unusable)?;
        // In a message expression, `oldSelf` is never an optional value.
        let message = match run(program, &Activation { is_optional: false, ..activation }, meter) {
            Ok(Value::String(message)) => message,
            Ok(_) | Err(Error::Failed(_)) => return Err(NoMessage::Unusable),
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
        is_line.then(|| message.to_owned()).ok_or(NoMessage::Unusable)
    }
}
