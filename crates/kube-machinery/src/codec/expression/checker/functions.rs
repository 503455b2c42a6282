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

/// The declarations of all functions, one a line: receiver, name, parameters and result. `A` and `B` stand for any
/// type, `C` for a type that has an order, and `S` for a type that can be summed.
const DECLARED: &str = include_str!("functions.txt");

/// One signature of a function.
struct Overload {
    is_method: bool,
    takes: Vec<Signature>,
    results: Signature,
}

static OVERLOADS: LazyLock<HashMap<&'static str, Vec<Overload>>> = LazyLock::new(|| {
    let mut overloads: HashMap<_, Vec<_>> = HashMap::new();
    for line in DECLARED.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let (name, declared) = signature::declared(line);
        overloads.entry(name).or_default().extend(declared);
    }
    overloads
});

/// The name includes its prefix, as in `lists.range`.
pub(super) fn is_declared(name: &str) -> bool {
    OVERLOADS.contains_key(name)
}

/// Returns the type of a call's result, or `None` if no overload takes these arguments.
pub(super) fn of<'s>(name: &str, target: Option<&Type<'s>>, args: &[Type<'s>]) -> Option<Type<'s>> {
    let all: Vec<&Type<'s>> = target.into_iter().chain(args).collect();
    let mut result: Option<Type<'s>> = None;
    for overload in OVERLOADS.get(name)? {
        let mut bindings = Bindings::default();
        let takes = overload.is_method == target.is_some()
            && overload.takes.len() == all.len()
            && overload.takes.iter().zip(&all).all(|(signature, kind)| signature.takes(kind, &mut bindings));
        if !takes {
            continue;
        }
        let made = overload.results.made(&bindings);
        match &result {
            // Several overloads fit, because an argument's type is open, and their results differ.
            Some(before) if before.is_open() != made.is_open() || !before.is_like(&made) => {
                let is_unknown = all.iter().any(|kind| kind.is_unknown());
                return Some(if is_unknown { Type::Unknown } else { Type::Dyn });
            }
            _ => result = Some(made),
        }
    }
    result
}
