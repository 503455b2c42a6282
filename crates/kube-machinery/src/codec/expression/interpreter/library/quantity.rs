//! The CEL library for Kubernetes' quantities such as `1.5Gi`: `quantity('1Gi').isGreaterThan(…)`. Upstream:
//! `pkg/cel/library/quantity.go`.

use std::cmp::Ordering;

use super::super::{Error, Meter};
use super::{Outcome, Value};
use crate::codec::expression::Object;
use crate::conventions::quantity::Quantity;

pub(super) fn call(name: &str, args: &[Value]) -> Option<Outcome> {
    match (name, args) {
        ("quantity", [Value::String(text)]) => {
            Some(Quantity::parse(text).map(Value::object).map_err(|why| Error::failed(why.to_string())))
        }
        ("isQuantity", [Value::String(text)]) => Some(Ok(Value::Bool(Quantity::parse(text).is_ok()))),
        ("sign", [one]) => one.downcast::<Quantity>().map(|one| Ok(Value::Int(sign(one)))),
        _ => None,
    }
}

fn sign(of: &Quantity) -> i64 {
    if of.is_negative() { -1 } else { i64::from(!of.is_zero()) }
}

pub(super) fn from_ordering(order: Ordering) -> Value {
    Value::Int(order as i64)
}

impl Object for Quantity {
    #[cfg(test)]
    fn shown(&self) -> String {
        format!("quantity({self})")
    }

    fn type_name(&self) -> &'static str {
        "kubernetes.Quantity"
    }

    fn equals(&self, other: &dyn Object) -> Option<bool> {
        (other as &dyn std::any::Any).downcast_ref::<Self>().map(|other| self.compare(other).is_eq())
    }

    fn call(&self, _: &Meter, name: &str, args: &[Value]) -> Option<Outcome> {
        let quantity = |arg: &Value| match arg {
            Value::Int(int) => Some(Self::of_int(*int)),
            other => other.downcast::<Self>().cloned(),
        };
        Some(Ok(match (name, args) {
            ("isInteger", []) => Value::Bool(self.as_int().is_some()),
            ("asInteger", []) => match self.as_int() {
                Some(int) => Value::Int(int),
                None => return Some(Err(Error::failed("cannot convert value to integer"))),
            },
            ("asApproximateFloat", []) => Value::Double(self.to_approximate_f64()),
            ("add", [other]) => Value::object(self.plus(&quantity(other)?)),
            ("sub", [other]) => Value::object(self.minus(&quantity(other)?)),
            (_, [other]) => {
                let order = self.compare(other.downcast::<Self>()?);
                match name {
                    "compareTo" => from_ordering(order),
                    "isLessThan" => Value::Bool(order.is_lt()),
                    "isGreaterThan" => Value::Bool(order.is_gt()),
                    _ => return None,
                }
            }
            _ => return None,
        }))
    }
}
