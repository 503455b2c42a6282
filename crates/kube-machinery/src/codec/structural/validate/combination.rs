//! Validates a value against `allOf`, `anyOf`, `oneOf` and `not`. Besides their own cause, `anyOf` and `oneOf` report
//! the causes of the schema with the most checks (`Outcome::matches`), because the user most likely meant that schema.
//! Upstream: kube-openapi's `pkg/validation/validate/schema_props.go`.

use super::Walk;
use super::outcome::Outcome;
use crate::codec::structural::Structural;
use crate::conventions::cause::Cause;
use crate::conventions::quote::quote;
use crate::value::Value;

impl Walk {
    /// Checks `anyOf`, `oneOf`, `allOf` and `not`. They get no old value, because ratcheting does not apply inside of
    /// them.
    pub(super) fn combinations(&mut self, schema: &Structural, value: &Value) -> Outcome {
        let mut outcome = Outcome::default();
        self.any_of(&schema.any_of, value, &mut outcome);
        self.one_of(&schema.one_of, value, &mut outcome);
        self.all_of(&schema.all_of, value, &mut outcome);
        if let Some(not) = &schema.not
            && self.check(not, value, None).is_valid()
        {
            self.add_cause("must not validate the schema (not)", &mut outcome);
        }
        outcome.matches += 1; // upstream counts the combinations as one check
        outcome
    }

    /// Passes if a schema accepts the value, and otherwise adds the causes of the schema that came closest.
    fn any_of(&mut self, schemas: &[Structural], value: &Value, to: &mut Outcome) {
        let mut best: Option<Outcome> = None;
        for schema in schemas {
            let outcome = self.check(schema, value, None);
            if outcome.is_valid() {
                return to.merge(outcome);
            }
            if best.as_ref().is_none_or(|best| outcome.matches > best.matches) {
                best = Some(outcome);
            }
        }
        if let Some(best) = best {
            self.add_cause("must validate at least one schema (anyOf)", to);
            to.merge(best);
        }
    }

    fn one_of(&mut self, schemas: &[Structural], value: &Value, to: &mut Outcome) {
        let (mut best, mut met, mut first): (Option<Outcome>, usize, _) = (None, 0, None);
        for schema in schemas {
            let outcome = self.check(schema, value, None);
            if outcome.is_valid() {
                met += 1;
                first.get_or_insert(outcome);
            } else if best.as_ref().is_none_or(|best| outcome.matches > best.matches) {
                best = Some(outcome);
            }
        }
        // Without schemas, `met` is 0 and there is no best one: nothing to check.
        match (met, first, best) {
            (1, Some(first), _) => to.merge(first),
            (0, _, Some(best)) => {
                self.add_cause("must validate one and only one schema (oneOf). Found none valid", to);
                to.merge(best);
            }
            (0, ..) => {}
            (met, ..) => {
                let words = format!("must validate one and only one schema (oneOf). Found {met} valid alternatives");
                self.add_cause(&words, to);
            }
        }
    }

    fn all_of(&mut self, schemas: &[Structural], value: &Value, to: &mut Outcome) {
        let mut met = 0;
        for schema in schemas {
            let outcome = self.check(schema, value, None);
            met += usize::from(outcome.is_valid());
            to.merge(outcome);
        }
        if met != schemas.len() {
            let none = if met == 0 { ". None validated" } else { "" };
            self.add_cause(&format!("must validate all the schemas (allOf){none}"), to);
        }
    }

    /// Adds a cause about the combination. As upstream, its field is the root, not the value.
    fn add_cause(&self, what: &str, to: &mut Outcome) {
        to.push(Cause::invalid(self.path.root(), "", &format!("{} {what}", quote(self.path.name()))));
    }
}
