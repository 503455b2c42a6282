//! Validates the names that a CustomResourceDefinition gives its custom resource. They appear in URLs and in kubectl's
//! arguments, so they must be DNS labels. Upstream: `ValidateCustomResourceDefinitionNames`.

use super::definition_causes::DefinitionCauses;
use crate::conventions::cause::Cause;
use crate::conventions::field::Path;
use crate::kinds::fields::{items, text};
use crate::kinds::names::dns1035;
use crate::value::Value;

/// Validates the names in `spec.names` or in `status.acceptedNames`.
pub(super) fn validate(names: &Value, at: &Path<'_>, causes: &mut DefinitionCauses) {
    for field in ["plural", "singular"] {
        label(text(names, field), &at.child(field), causes);
    }
    for field in ["kind", "listKind"] {
        let name = text(names, field);
        let messages = dns1035(&name.to_lowercase());
        if !name.is_empty() && !messages.is_empty() {
            let why = format!("may have mixed case, but should otherwise match: {}", messages.join(","));
            causes.add(&at.child(field), |at| Cause::invalid(at, name, &why));
        }
    }
    all_labels(names, "shortNames", at, causes);
    let (kind, list_kind) = (text(names, "kind"), text(names, "listKind"));
    if !kind.is_empty() && kind == list_kind {
        causes.add(&at.child("listKind"), |at| Cause::invalid(at, list_kind, "kind and listKind may not be the same"));
    }
    all_labels(names, "categories", at, causes);
}

fn all_labels(names: &Value, field: &str, at: &Path<'_>, causes: &mut DefinitionCauses) {
    let at = at.child(field);
    for (i, name) in items(names, field).iter().filter_map(Value::as_str).enumerate() {
        let messages = dns1035(name);
        if !messages.is_empty() {
            causes.add(&at.index(i), |at| Cause::invalid(at, name, &messages.join(",")));
        }
    }
}

/// Validates a name as a DNS label, if it is not empty.
pub(super) fn label(name: &str, at: &Path<'_>, causes: &mut DefinitionCauses) {
    let messages = dns1035(name);
    if !name.is_empty() && !messages.is_empty() {
        causes.add(at, |at| Cause::invalid(at, name, &messages.join(",")));
    }
}
