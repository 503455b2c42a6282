//! Unions: structs of which exactly one of some fields is set. Upstream: `Union` in
//! `k8s.io/apimachinery/pkg/api/validate`.

use crate::codec::schema::{Field, FieldRule, Struct};
use crate::conventions::cause::Cause;
use crate::conventions::field::Path;
use crate::value::Value;

/// Returns the cause for a struct that has none or several members of its union, unless its old state had the same
/// ones.
pub(super) fn check(row: &'static Struct, new: &Value, old: Option<&Value>, at: &Path<'_>) -> Option<Cause> {
    let members: Vec<&Field> =
        row.fields.iter().filter(|field| field.rules.contains(&FieldRule::UnionMember)).collect();
    if members.is_empty() {
        return None;
    }
    let set_in = |of: &Value| -> Vec<&str> {
        members.iter().map(|field| field.name).filter(|name| is_set(&of[*name])).collect()
    };
    let set = set_in(new);
    if set.len() == 1 || old.is_some_and(|old| set_in(old) == set) {
        return None;
    }
    let all = members.iter().map(|field| format!("`{}`", field.name)).collect::<Vec<_>>().join(", ");
    Some(match set.as_slice() {
        [] => Cause::invalid(at, "", &format!("must specify one of: {all}")),
        set => Cause::invalid(at, &format!("{{{}}}", set.join(", ")), &format!("must specify exactly one of: {all}")),
    })
}

/// Returns true for a pointer that is not null, and for a list that is not empty.
fn is_set(value: &Value) -> bool {
    !value.is_null() && !value.as_array().is_some_and(|items| items.is_empty())
}
