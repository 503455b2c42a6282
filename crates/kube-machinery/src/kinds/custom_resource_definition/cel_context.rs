//! The estimated costs of the CEL rules of one schema. When a definition is written, each rule must keep to a limit,
//! and so must all rules of a schema together. A rule runs once for each value of its schema, so lists and maps around
//! it multiply its cost. Upstream: `CELSchemaContext` in `pkg/apis/apiextensions/validation/cel_validation.go`.

use std::cell::RefCell;
use std::cmp::Reverse;

use super::definition_causes::DefinitionCauses;
use super::internal::schema_has;
use super::validation_options::LimitOfARule;
use crate::codec::expression::estimate::Declared;
use crate::conventions::cause::Cause;
use crate::conventions::field::Path;
use crate::kinds::fields::text;
use crate::value::Value;

/// The most that one rule may cost. Upstream: `StaticEstimatedCostLimit`.
const MOST_OF_A_RULE: u64 = 10_000_000;
/// The most that all rules of a schema may cost. Upstream: `StaticEstimatedCRDCostLimit`.
const MOST_OF_A_SCHEMA: u64 = 100_000_000;
/// The number of expensive rules that are named if all together cost too much.
const MOST_NAMED: usize = 4;

/// The rules of a whole schema.
pub(super) struct SchemaRules<'a> {
    /// The declared sizes of the values, by which costs are estimated; `None` for a schema without rules.
    declared: Option<Declared<'a>>,
    limit: LimitOfARule,
    total: RefCell<TotalCost>,
}

/// Upstream: `TotalCost`.
#[derive(Default)]
struct TotalCost {
    sum: u64,
    /// The paths and costs of the most expensive rules, the most expensive first. Only rules that cost at least a
    /// hundredth of the limit are listed.
    expensive: Vec<(String, u64)>,
}

/// The context of one place in a schema: the data about the whole schema that the rules at this place need.
#[derive(Clone, Copy)]
pub(super) struct CelContext<'a> {
    /// The declared sizes of the values at this place; `None` for a schema without rules, and for a place that the type
    /// of the surrounding schema lacks.
    pub(super) declared: Option<&'a Declared<'a>>,
    rules: &'a SchemaRules<'a>,
    /// The largest number of values of this schema in one object; `None` if a list or a map around it has no limit.
    cardinality: Option<u64>,
}

impl<'a> SchemaRules<'a> {
    pub(super) fn of(schema: &'a Value, limit: LimitOfARule) -> Self {
        let has_rules = schema_has(schema, &mut |schema| !schema["x-kubernetes-validations"].is_null());
        let is_resource = true; // it is the schema of a whole object
        let declared = if has_rules { Declared::of(schema, is_resource) } else { None };
        Self { declared, limit, total: RefCell::default() }
    }

    pub(super) fn root(&'a self) -> CelContext<'a> {
        CelContext { declared: self.declared.as_ref(), rules: self, cardinality: Some(1) }
    }

    /// Refuses rules that cost too much together.
    pub(super) fn validate_total(&self, at: &Path<'_>, causes: &mut DefinitionCauses) {
        let total = self.total.borrow();
        if total.sum <= MOST_OF_A_SCHEMA {
            return;
        }
        for (rule, _) in &total.expensive {
            let why = "contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema";
            causes.add_later(&Path::Root(rule), |at| Cause::forbidden(at, why));
        }
        let what = "x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema";
        causes.add_later(at, |at| Cause::forbidden(at, &too_expensive(what, total.sum, MOST_OF_A_SCHEMA)));
    }
}

impl<'a> CelContext<'a> {
    /// Returns the context of a property. `schema` is the schema around it.
    pub(super) fn property(self, schema: &Value, name: &str) -> Self {
        self.child(schema, self.declared.and_then(|declared| declared.field(name)))
    }

    /// Returns the context of the items of a list, or of the values of a map.
    pub(super) fn elements(self, schema: &Value) -> Self {
        self.child(schema, self.declared.and_then(Declared::elements))
    }

    /// Returns true if the type of the surrounding schema has no part for this schema, for example if the schema is in
    /// the `items` of an object. Then the costs are estimated by the schema's own type. Upstream:
    /// `CELSchemaContext.TypeInfo`.
    pub(super) fn lacks_a_place(self) -> bool {
        self.declared.is_none() && self.rules.declared.is_some()
    }

    /// Returns the context of a part of a schema. `declared` are the sizes of the part.
    fn child(self, schema: &Value, declared: Option<&'a Declared<'a>>) -> Self {
        let cardinality = self.cardinality.zip(most_elements(schema)).map(|(all, of_each)| all.saturating_mul(of_each));
        Self { declared, cardinality, ..self }
    }

    /// Returns the cost of a rule for all values of its schema. Upstream: `getExpressionCost`.
    pub(super) fn cost_of_all(self, declared: &Declared<'_>, cost: u64) -> u64 {
        cost.saturating_mul(self.cardinality.unwrap_or_else(|| declared.most_in_a_request()))
    }

    /// Adds the cost of an expression to the total, and refuses one that costs too much.
    pub(super) fn observe(self, what: &str, cost: u64, at: &Path<'_>, causes: &mut DefinitionCauses) {
        if self.rules.limit == LimitOfARule::Enforced && cost > MOST_OF_A_RULE {
            causes.add_later(at, |at| Cause::forbidden(at, &too_expensive(what, cost, MOST_OF_A_RULE)));
        }
        let mut total = self.rules.total.borrow_mut();
        total.sum = total.sum.saturating_add(cost);
        if cost >= MOST_OF_A_SCHEMA / 100 {
            total.expensive.push((at.to_string(), cost));
            total.expensive.sort_by_key(|(_, cost)| Reverse(*cost));
            total.expensive.truncate(MOST_NAMED);
        }
    }
}

/// Returns the largest number of values that one value of this schema contains; `None` if there is no limit. Upstream:
/// `extractMaxElements`.
fn most_elements(schema: &Value) -> Option<u64> {
    let limit = |field: &str| schema[field].as_i64().map(|most| u64::try_from(most).unwrap_or_default());
    match text(schema, "type") {
        "object" if !schema["additionalProperties"].is_null() => limit("maxProperties"),
        "array" => limit("maxItems"),
        _ => Some(1),
    }
}

/// Upstream: `getCostErrorMessage`.
fn too_expensive(what: &str, cost: u64, most: u64) -> String {
    #[expect(clippy::cast_precision_loss, reason = "as upstream")]
    let factor = match cost as f64 / most as f64 {
        factor if factor > 100.0 => "more than 100x".to_owned(),
        factor if factor < 1.5 => format!("{factor:.6}x"),
        factor => format!("{factor:.1}x"),
    };
    format!(
        "{what} exceeds budget by factor of {factor} (try simplifying the rule, or adding maxItems, maxProperties, and maxLength \
         where arrays, maps, and strings are declared)"
    )
}

#[cfg(test)]
mod tests {
    use super::super::validation;
    use super::*;
    use crate::value::json;

    /// Reads definitions with the causes that upstream has for them, from the folder `COSTS_DIR` if it is set.
    fn cases() -> Vec<Value> {
        let own = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/costs");
        let folder = std::env::var_os("COSTS_DIR").map_or(own, Into::into);
        let text = std::fs::read_to_string(folder.join("definitions.jsonl")).unwrap();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    fn definition(schema: &Value) -> Value {
        json!({
            "metadata": {"name": "things.example.com"},
            "spec": {
                "group": "example.com",
                "scope": "Namespaced",
                "names": {"plural": "things", "singular": "thing", "kind": "Thing", "listKind": "ThingList"},
                "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": schema.clone()}}],
            },
            "status": {"storedVersions": ["v1"]},
        })
    }

    fn sorted(causes: &[Cause]) -> Vec<Value> {
        let mut causes: Vec<Value> = causes.iter().map(|cause| crate::value::to_value(cause).unwrap()).collect();
        let text = |cause: &Value, part: &str| cause[part].as_str().unwrap_or_default().to_owned();
        causes.sort_by_cached_key(|cause| [text(cause, "field"), text(cause, "message")]);
        causes
    }

    #[test]
    fn a_definition_whose_rules_cost_too_much_is_refused_in_upstreams_words() {
        let different = |case: &Value| {
            let ours = sorted(&validation::validate(&definition(&case["definition"]), None));
            let upstream = case["causes"].as_array().cloned().unwrap_or_default();
            (upstream != ours)
                .then(|| format!("{}\nupstream: {}\nhere: {}", case["definition"], json!(upstream), json!(ours)))
        };
        let different: Vec<_> = cases().iter().filter_map(different).collect();
        assert!(
            different.is_empty(),
            "{}, such as\n{}",
            different.len(),
            different[..different.len().min(4)].join("\n")
        );
    }

    #[test]
    fn an_update_that_leaves_a_schema_as_it_is_may_keep_an_expensive_rule() {
        let rule = json!({"rule": "self.all(x, self.exists(y, x == y))"});
        let list = |most: i64| {
            let items = json!({"type": "string", "maxLength": 10});
            json!({"type": "array", "maxItems": most, "items": items, "x-kubernetes-validations": [rule.clone()]})
        };
        let of = |most: i64| definition(&json!({"type": "object", "properties": {"list": list(most)}}));
        let causes = |new: &Value, old: Option<&Value>| validation::validate(new, old).len();
        assert_eq!(causes(&of(10), None), 0);
        assert_eq!(causes(&of(2000), None), 1);
        assert_eq!(causes(&of(2000), Some(&of(2000))), 0);
        assert_eq!(causes(&of(2000), Some(&of(10))), 1);
    }
}
