//! The variables that the CEL expressions of a policy or of a webhook's match conditions see: the request, its objects,
//! parameters, and the policy's own `variables`. The interpreter asks for them through the trait [`Variables`].
//! Upstream: `admission/plugin/cel/activation.go` and `composition.go`.

use std::cell::{Cell, OnceCell, RefCell};
use std::collections::{BTreeSet, HashMap};

use super::super::Attributes;
use super::authorizer;
use kube_machinery::codec::expression::Value as Cel;
use kube_machinery::codec::expression::interpreter::{Error, Meter, Outcome, Variables, run};
use kube_machinery::codec::expression::references::fields_of;
use kube_machinery::kinds::Resource;
use kube_machinery::kinds::admission::Expressions;
use kube_machinery::value::Value;

/// The values that all expressions about a request see. They are converted to CEL at their first use, and shared by
/// several activations. `row` is the version in which the expressions see the objects.
pub(in crate::admission) struct SharedValues<'a> {
    attributes: &'a Attributes<'a>,
    row: &'a Resource,
    request: OnceCell<Cel>,
    object: OnceCell<Cel>,
    old: OnceCell<Cel>,
    namespace: Option<Cel>,
}

impl<'a> SharedValues<'a> {
    pub(in crate::admission) fn of(
        attributes: &'a Attributes<'a>,
        row: &'a Resource,
        namespace: Option<&Value>,
    ) -> Self {
        let (request, object, old) = (OnceCell::new(), OnceCell::new(), OnceCell::new());
        let namespace = namespace.map(|namespace| Cel::from(&namespace_object(namespace)));
        Self { attributes, row, request, object, old, namespace }
    }

    /// Returns the same values without the namespace, because upstream gives match conditions no `namespaceObject`.
    pub(super) fn without_namespace(other: &Self) -> Self {
        let (request, object, old) = (other.request.clone(), other.object.clone(), other.old.clone());
        Self { attributes: other.attributes, row: other.row, request, object, old, namespace: None }
    }

    fn versioned(&self, object: Option<&Value>) -> Cel {
        object.map_or(Cel::Null, |object| Cel::from(&self.attributes.request.versioned(self.row, object)))
    }
}

/// Returns the fields of a namespace that expressions see. Upstream: `CreateNamespaceObject`.
fn namespace_object(namespace: &Value) -> Value {
    const FIELDS: [&str; 12] = [
        "name",
        "generateName",
        "namespace",
        "uid",
        "resourceVersion",
        "generation",
        "creationTimestamp",
        "deletionTimestamp",
        "deletionGracePeriodSeconds",
        "labels",
        "annotations",
        "finalizers",
    ];
    let mut object =
        kube_machinery::value::json!({"metadata": {}, "spec": namespace["spec"], "status": namespace["status"]});
    for field in FIELDS {
        if let Some(value) = namespace["metadata"].get(field) {
            object["metadata"][field] = value.clone();
        }
    }
    object
}

/// The availability of the variable `authorizer` to expressions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AuthorizerVariable {
    Available,
    Absent,
}

/// The variables for expressions that run together. A policy's own variable (an expression with a name, used as
/// `variables.NAME`) is computed when the first expression names it.
pub(in crate::admission) struct Activation<'a> {
    shared: &'a SharedValues<'a>,
    params: Option<Cel>,
    authorizer: AuthorizerVariable,
    /// The expressions of the policy; `None` for a webhook.
    expressions: Option<&'a Expressions>,
    /// The results of the policy's variables that are computed already, by index.
    computed: RefCell<HashMap<usize, Outcome>>,
    /// The number of the policy's variables that can be named now. A variable can name only those before it.
    named: Cell<usize>,
}

impl<'a> Activation<'a> {
    pub(in crate::admission) fn of_webhook(shared: &'a SharedValues<'a>) -> Self {
        Self::new(shared, None, AuthorizerVariable::Available, None)
    }

    pub(super) fn new(
        shared: &'a SharedValues<'a>,
        params: Option<Cel>,
        authorizer: AuthorizerVariable,
        expressions: Option<&'a Expressions>,
    ) -> Self {
        let named = Cell::new(expressions.map_or(0, |expressions| expressions.variables.len()));
        Self { shared, params, authorizer, expressions, computed: RefCell::default(), named }
    }

    /// Returns the index of the variable with this name, if it can be named here. If two have the same name, the later
    /// one counts.
    fn find(&self, name: &str) -> Option<usize> {
        self.expressions?.variable_among(self.named.get(), name)
    }

    /// Returns the value of a policy's variable, and computes it at its first use.
    fn value_of_variable(&self, of: &'a Expressions, index: usize, meter: &Meter) -> Outcome {
        if let Some(known) = self.computed.borrow().get(&index) {
            return known.clone();
        }
        if meter.is_deep() {
            self.compute_what_it_needs(of, index, meter);
        }
        self.compute(of, index, meter)
    }

    /// Computes all variables that a variable depends on, from the first one on. So no variable is computed inside
    /// another one, and a long chain of variables cannot exhaust the stack.
    fn compute_what_it_needs(&self, of: &'a Expressions, index: usize, meter: &Meter) {
        // `needed` is sorted by index, and a variable can name only earlier ones. So each variable is computed after
        // those that it names.
        let (mut needed, mut open) = (BTreeSet::new(), vec![index]);
        while let Some(next) = open.pop() {
            let planned = of.variables[next].program.planned();
            let names = planned.map(|planned| fields_of("variables", planned.root())).unwrap_or_default();
            for found in names.into_iter().filter_map(|name| of.variable_among(next, name)) {
                if !self.computed.borrow().contains_key(&found) && needed.insert(found) {
                    open.push(found);
                }
            }
        }
        needed.into_iter().for_each(|index| drop(self.compute(of, index, meter)));
    }

    /// Computes a variable, and remembers the result.
    fn compute(&self, of: &'a Expressions, index: usize, meter: &Meter) -> Outcome {
        let variable = &of.variables[index];
        let outcome = match variable.program.planned() {
            Err(why) => Err(failed(&variable.name, "compile", why.to_owned())),
            Ok(planned) => {
                let visible = self.named.replace(index); // meanwhile, only the variables before this one can be named
                let outcome = run(planned, self, meter);
                self.named.set(visible);
                let outcome = outcome.and_then(|value| match meter.is_too_deep(&value)? {
                    true => Err(Error::Failed("the value nests too deep".to_owned())),
                    false => Ok(value),
                });
                outcome.map_err(|why| match why {
                    Error::OutOfBudget => why, // ends the whole evaluation, so it must stay recognizable
                    why => failed(&variable.name, "evaluate", why.to_string()),
                })
            }
        };
        self.computed.borrow_mut().insert(index, outcome.clone());
        outcome
    }
}

/// Returns the error for a variable that failed. The text of a long chain of failures is not extended any more.
fn failed(name: &str, how: &str, why: String) -> Error {
    const LONGEST: usize = 1024;
    Error::Failed(if why.len() > LONGEST { why } else { format!("composited variable {name:?} fails to {how}: {why}") })
}

impl Variables for Activation<'_> {
    fn variable(&self, name: &str, _: &Meter) -> Option<Outcome> {
        let (shared, attributes) = (self.shared, self.shared.attributes);
        Some(Ok(match name {
            "object" => shared.object.get_or_init(|| shared.versioned(attributes.object.as_deref())).clone(),
            "oldObject" => shared.old.get_or_init(|| shared.versioned(attributes.old)).clone(),
            "request" => shared.request.get_or_init(|| Cel::from(&attributes.request_about(shared.row))).clone(),
            "namespaceObject" => shared.namespace.clone().unwrap_or(Cel::Null),
            "params" => self.params.clone()?,
            "authorizer" if self.authorizer == AuthorizerVariable::Available => authorizer::of_user(attributes),
            _ => return None,
        }))
    }

    fn member(&self, of: &str, field: &str, meter: &Meter) -> Option<Outcome> {
        match (of, field) {
            ("variables", name) => Some(self.value_of_variable(self.expressions?, self.find(name)?, meter)),
            ("authorizer", "requestResource") if self.authorizer == AuthorizerVariable::Available => {
                Some(Ok(authorizer::of_request(self.shared.attributes)))
            }
            _ => None,
        }
    }

    fn is_dynamic(&self, name: &str) -> bool {
        matches!(name, "object" | "oldObject" | "params" | "variables")
    }
}
