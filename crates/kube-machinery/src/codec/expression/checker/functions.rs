//! The functions that CEL expressions can call, for the type checker: which arguments they take, and the types of their
//! results. A function may have several overloads: signatures for different arguments.
//!
//! Upstream: cel-go's `common/stdlib` and `ext`, `k8s.io/apiserver/pkg/cel/library`, and `resolveOverload` in
//! cel-go's `checker/checker.go`.

mod signature;

use std::collections::HashMap;
use std::sync::LazyLock;

use self::signature::{Bindings, Signature};
use super::Type;

/// The declarations of all functions, one per line: receiver, name, parameters and result. `A` and `B` stand for any
/// type, `C` for a type that has an order, and `S` for a type that can be summed.
const DECLARED: &str = include_str!("functions.txt");

#[derive(Debug)]
pub(in crate::codec::expression) struct Overload {
    is_method: bool,
    takes: Vec<Signature>,
    results: Signature,
}

/// The type of a parameter, as far as the costs of calls depend on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::codec::expression) enum Parameter {
    Text,
    Bytes,
    List,
    Map,
    Other,
}

impl Overload {
    /// Returns the type of a parameter. The receiver of a method is the first one.
    pub(in crate::codec::expression) fn parameter(&self, at: usize) -> Parameter {
        self.takes.get(at).map_or(Parameter::Other, Signature::parameter)
    }

    /// Returns the item type of a parameter that is a list.
    pub(in crate::codec::expression) fn parameter_of_list(&self, at: usize) -> Parameter {
        match self.takes.get(at) {
            Some(Signature::List(items)) => items.parameter(),
            _ => Parameter::Other,
        }
    }
}

/// The overloads that take the arguments of a call, and the type of its result.
pub(in crate::codec::expression) struct Resolved<'s> {
    pub(in crate::codec::expression) overloads: Vec<&'static Overload>,
    pub(in crate::codec::expression) kind: Type<'s>,
}

static OVERLOADS: LazyLock<HashMap<&'static str, Vec<Overload>>> = LazyLock::new(|| {
    let mut overloads: HashMap<_, Vec<_>> = HashMap::new();
    for line in DECLARED.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let (name, declared) = signature::declared(line);
        overloads.entry(name).or_default().extend(declared);
    }
    overloads
});

/// Returns true if a function has this name. The name includes its prefix, as in `lists.range`.
pub(in crate::codec::expression) fn is_declared(name: &str) -> bool {
    OVERLOADS.contains_key(name)
}

/// Returns the type of a call's result, or `None` if no overload takes these arguments.
pub(super) fn of<'s>(name: &str, target: Option<&Type<'s>>, args: &[Type<'s>]) -> Option<Type<'s>> {
    resolved(name, target, args).map(|found| found.kind)
}

/// Returns the overloads that take these arguments, or `None` if there are none. Upstream: `resolveOverload`.
pub(in crate::codec::expression) fn resolved<'s>(
    name: &str,
    target: Option<&Type<'s>>,
    args: &[Type<'s>],
) -> Option<Resolved<'s>> {
    let all: Vec<&Type<'s>> = target.into_iter().chain(args).collect();
    let (mut overloads, mut result): (_, Option<Type<'s>>) = (Vec::new(), None);
    for overload in OVERLOADS.get(name)? {
        let mut bindings = Bindings::default();
        let takes = overload.is_method == target.is_some()
            && overload.takes.len() == all.len()
            && overload.takes.iter().zip(&all).all(|(signature, kind)| signature.takes(kind, &mut bindings));
        if !takes {
            continue;
        }
        overloads.push(overload);
        let made = overload.results.made(&bindings);
        result = Some(match result {
            // Several overloads fit, because an argument's type is open, and their results differ.
            Some(before) if before.is_open() != made.is_open() || !before.is_like(&made) => {
                let is_unknown = all.iter().any(|kind| kind.is_unknown());
                if is_unknown { Type::Unknown } else { Type::Dyn }
            }
            _ => made,
        });
    }
    Some(Resolved { overloads, kind: result? })
}
