//! Validates a custom resource, or a default in a CustomResourceDefinition, by the CEL rules in its schema
//! (`x-kubernetes-validations`). A rule sees the value at its place in the schema as `self`, and the value before an
//! update as `oldSelf`. A failed rule without `oldSelf` is a warning if the value did not change ("ratcheting"). All
//! rules of one object share a cost budget.
//!
//! Upstream: apiextensions-apiserver's `pkg/apiserver/schema/cel/validation.go`.

mod path;
mod program;
mod values;

use self::program::{Activation, NoMessage};
use super::number::Number;
use super::print_value::print_value;
use super::validate::ratchet::{MapList, Ratchet};
use super::{Rule, Structural};
use crate::codec::expression::COST_OF_AN_OBJECT;
use crate::codec::expression::interpreter::{Error, Meter, run};
use crate::conventions::cause::{Cause, Findings};
use crate::conventions::field::Path;
use crate::value::Value;

pub(super) use self::program::Compiled;

/// The largest size of the warnings about one object, in bytes. A response shows less.
const MOST_WARNED: usize = 64 << 10;

/// Returns the rules that an object violates. The object must be valid under the rest of its schema. A rule that uses
/// `oldSelf` runs only if there is an old value, or if it has `optionalOldSelf`.
pub(crate) fn validate(schema: &Structural, new: &Value, old: Option<&Value>, at: &str) -> Findings {
    if !has_rules(schema) {
        return Findings::default();
    }
    let current = old.map(|old| (schema, new, old));
    let meter = Meter::new(COST_OF_AN_OBJECT);
    let mut walk = Walk { ratchet: Ratchet::default(), meter, found: Findings::default(), warned: 0 };
    let node = Node { schema, new, old, is_root: at.is_empty(), old_states: OldStates { current, parent: None } };
    walk.node(schema, &node, &Path::Root(at));
    walk.found
}

/// Returns true if there are rules outside of `allOf`. Those inside of `allOf` run only if there are others too.
/// Upstream: `hasXValidations`.
fn has_rules(schema: &Structural) -> bool {
    let mut parts = schema.properties.values().chain(schema.items.as_deref()).chain(schema.additional());
    !schema.rules.is_empty() || parts.any(has_rules)
}

/// A walk over an object that runs its rules, until they exceed the cost budget.
struct Walk {
    ratchet: Ratchet,
    meter: Meter,
    found: Findings,
    /// The size of the warnings.
    warned: usize,
}

/// A value with its schema and its old state.
struct Node<'a> {
    schema: &'a Structural,
    new: &'a Value,
    /// The value of `oldSelf`.
    old: Option<&'a Value>,
    /// True for the whole object, whose apiVersion, kind and metadata rules may use.
    is_root: bool,
    /// The old states to compare with if a rule fails.
    old_states: OldStates<'a>,
}

/// A schema, a new value under it, and the old value.
type Pair<'a> = (&'a Structural, &'a Value, &'a Value);

/// The old states for ratcheting: a failed rule is a warning if the value it is about did not change. Upstream:
/// `ratchetingOptions`.
#[derive(Clone, Copy, Default)]
struct OldStates<'a> {
    /// The value itself.
    current: Option<Pair<'a>>,
    /// The value around it, which is compared if the old state of the value itself is unknown.
    parent: Option<Pair<'a>>,
}

/// The control flow of the walk: `None` stops it.
type Flow = Option<()>;

impl Walk {
    /// Runs the rules of a schema, and then those below it. `rules` is the schema with the rules: the node's own
    /// schema, or a part of its `allOf`. The type of the value always comes from the node's own schema.
    fn node(&mut self, rules: &Structural, node: &Node<'_>, at: &Path<'_>) -> Flow {
        if node.new.is_null() {
            return Some(());
        }
        self.rules(rules, node, at)?;
        for part in &rules.all_of {
            let old_states = OldStates { current: None, parent: node.old_states.parent };
            self.node(part, &Node { old_states, ..*node }, at)?;
        }
        match node.new {
            Value::Object(fields) => {
                for (name, new) in fields {
                    let known = rules.properties.get(name.as_str()).zip(node.schema.properties.get(name.as_str()));
                    let other = || rules.additional().zip(node.schema.additional());
                    let (Some((rules, schema)), at) = (match known {
                        Some(known) => (Some(known), at.child(name)),
                        None => (other(), at.key(name)),
                    }) else {
                        continue;
                    };
                    let old = node.old.and_then(|old| old.get(name));
                    let node = Node { schema, new, old, is_root: false, old_states: node.old_states.field(name) };
                    self.node(rules, &node, &at)?;
                }
            }
            Value::Array(items) => {
                let Some((rules, schema)) = rules.items.as_deref().zip(node.schema.items.as_deref()) else {
                    return Some(());
                };
                let old = node.old.and_then(Value::as_array).and_then(|old| MapList::of(node.schema, old));
                let compared =
                    node.old_states.current.and_then(|(_, _, old)| MapList::of(node.schema, old.as_array()?));
                for (i, new) in items.iter().enumerate() {
                    let old_states =
                        node.old_states.item(schema, new, compared.as_ref().and_then(|list| list.get(new)));
                    let old = old.as_ref().and_then(|list| list.get(new));
                    self.node(rules, &Node { schema, new, old, is_root: false, old_states }, &at.index(i))?;
                }
            }
            _ => {}
        }
        Some(())
    }

    fn rules(&mut self, of: &Structural, node: &Node<'_>, at: &Path<'_>) -> Flow {
        if of.rules.is_empty() {
            return Some(());
        }
        let value = |value| values::of(node.schema, value, node.is_root || node.schema.is_embedded_resource);
        let (new, old) = (value(node.new), node.old.map(value));
        for rule in of.rules.iter().filter(|rule| !rule.rule.trim().is_empty()) {
            self.rule(rule, node, &new, old.as_ref(), at)?;
        }
        Some(())
    }

    fn rule(
        &mut self,
        rule: &Rule,
        node: &Node<'_>,
        new: &program::Value,
        old: Option<&program::Value>,
        at: &Path<'_>,
    ) -> Flow {
        let compiled = rule.compiled();
        let is_optional = rule.optional_old_self.unwrap_or_default();
        if compiled.uses_old_self && old.is_none() && !is_optional {
            return Some(());
        }
        let program = match &compiled.program {
            Ok(program) => program,
            Err(why) => {
                self.add_error(node, at, &format!("rule compile error: {why}"));
                return Some(());
            }
        };
        // If the schema gives the value no single type, the type is known only when the rule runs.
        let is_dynamic = node.schema.kinds().is_empty() || node.schema.is_int_or_string;
        let activation = Activation { new, old, is_optional, is_dynamic };
        match run(program, &activation, &self.meter) {
            Ok(program::Value::Bool(true)) => {}
            Ok(_) => self.add_violation(rule, node, activation, at)?,
            Err(why) => {
                self.add_error(node, at, &rule.error_message(&why));
                // Any other error is about the cost, and stops the walk.
                return matches!(why, Error::Failed(_)).then_some(());
            }
        }
        Some(())
    }

    /// Adds the cause of a violated rule, unless the value did not change.
    fn add_violation(&mut self, rule: &Rule, node: &Node<'_>, activation: Activation<'_>, at: &Path<'_>) -> Flow {
        let compiled = rule.compiled();
        let message = compiled.message(&rule.message_expression, activation, &self.meter);
        let cause_of_rule = match &message {
            Ok(detail) => cause(rule, node, at, detail),
            Err(NoMessage::Unusable) => cause(rule, node, at, &rule.message_or_default()),
            Err(NoMessage::TooExpensive(why)) => {
                Cause::invalid(path::below(at, &rule.field_path), &node.schema.kind, why)
            }
        };
        if compiled.uses_old_self || !self.is_as_before(node) {
            self.found.causes.push(cause_of_rule);
        } else if self.warned < MOST_WARNED {
            let warning = cause_of_rule.sentence();
            self.warned += warning.len();
            self.found.warnings.push(warning);
        }
        (!matches!(message, Err(NoMessage::TooExpensive(_)))).then_some(())
    }

    /// Adds the cause of a rule that could not run. It shows the type of the value.
    fn add_error(&mut self, node: &Node<'_>, at: &Path<'_>, detail: &str) {
        self.found.causes.push(Cause::invalid(at, &node.schema.kind, detail));
    }

    /// Returns true if the value did not change since the old state.
    fn is_as_before(&mut self, node: &Node<'_>) -> bool {
        let compared = node.old_states.current.or(node.old_states.parent);
        compared.is_some_and(|(schema, new, old)| self.ratchet.unchanged(schema, new, old))
    }
}

/// Makes the cause of a violated rule. Upstream: `fieldErrorForReason`.
fn cause(rule: &Rule, node: &Node<'_>, at: &Path<'_>, detail: &str) -> Cause {
    let field = path::below(at, &rule.field_path);
    let is_shown = !matches!(node.schema.kind.as_str(), "object" | "array");
    match rule.reason.as_deref() {
        Some("FieldValueForbidden") => Cause::forbidden(field, detail),
        Some("FieldValueRequired") => Cause::required(field, detail),
        Some("FieldValueDuplicate") if is_shown => Cause::duplicate_as(field, &print_value(node.new)),
        Some("FieldValueDuplicate") => Cause::duplicate_alone(field),
        _ if is_shown => Cause::invalid_as(field, &print_value(node.new), detail),
        _ => Cause::invalid_alone(field, detail),
    }
}

impl<'a> OldStates<'a> {
    /// Returns the old states of a field.
    fn field(self, name: &str) -> Self {
        let Some((schema, new, old)) = self.current else { return self };
        // A violated rule about the object's own apiVersion or kind is an error even if the value did not change.
        if self.parent.is_none() && matches!(name, "apiVersion" | "kind") {
            return Self::default();
        }
        let part = || Some((schema.field(name)?, new.get(name)?, old.get(name)?));
        Self { current: part(), parent: self.current }
    }

    /// Returns the old states of a list item, whose old value is known if the list has keys.
    fn item(self, schema: &'a Structural, new: &'a Value, old: Option<&'a Value>) -> Self {
        if self.current.is_none() {
            return self;
        }
        Self { current: old.map(|old| (schema, new, old)), parent: self.current }
    }
}

impl Rule {
    /// Returns the name of the rule in messages: its message, or its expression. Upstream: `ruleErrorString`.
    fn label(&self) -> &str {
        if self.message.is_empty() { self.rule.trim() } else { self.message.trim() }
    }

    fn message_or_default(&self) -> String {
        if self.message.is_empty() { format!("failed rule: {}", self.rule.trim()) } else { self.message.trim().into() }
    }

    fn error_message(&self, error: &Error) -> String {
        let label = self.label();
        match error {
            Error::OutOfBudget => error.to_string(),
            Error::Cancelled => {
                let why = "no further validation rules will be run due to call cost exceeds limit for rule";
                format!("'{error}': {why}: {label}")
            }
            Error::Failed(why) if why.starts_with("no such overload") => {
                let more = "call arguments did not match a supported operator, function or macro signature for rule";
                format!("'{why}': {more}: {label}")
            }
            Error::Failed(why) => format!("{why} evaluating rule: {label}"),
        }
    }

    fn compiled(&self) -> &Compiled {
        self.compiled.get_or_init(|| std::sync::Arc::new(Compiled::of(self)))
    }
}
