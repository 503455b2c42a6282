//! The IPAddress kind, which records that an address belongs to an object, such as the cluster IP of a Service. The name of
//! the object is the address. Upstream: `pkg/apis/networking`, `pkg/registry/networking/ipaddress`.

use crate::conventions::cause::Cause;
use crate::conventions::causes::Causes;
use crate::kinds::columns;
use crate::kinds::fields::{invalid, required, text};
use crate::kinds::metadata::UpdatedMetadata;
use crate::kinds::names::{self, NameRule};
use crate::kinds::resource::{ResourceRow, Scope};
use crate::value::Value;

/// The kind's row in the table of kinds (`kinds::served`).
pub(in crate::kinds) const ROW: ResourceRow = ResourceRow {
    group: "networking.k8s.io",
    plural: "ipaddresses",
    singular: "ipaddress",
    kind: "IPAddress",
    storage_hash: "3f/plJFChNE=",
    scope: Scope::Cluster,
    short_names: &["ip"],
    name_rule: NameRule::Address,
    validate,
    columns: columns::networking::ADDRESSES,
    updated_metadata: UpdatedMetadata::Whole,
    ..ResourceRow::USUAL
};

const AT: &str = "spec.parentRef";

/// Validates the reference to the object that has the address. Declarative rules require it, and forbid that it changes.
/// Upstream: `ValidateIPAddress`.
fn validate(new: &Value, _old: Option<&Value>) -> Causes {
    let parent = &new["spec"]["parentRef"];
    let mut causes = Causes::new();
    if parent.is_object() {
        causes.extend(form(parent, "group", names::subdomain));
        for field in ["resource", "name"] {
            causes.extend(required(parent, field, &AT));
            causes.extend(form(parent, field, names::path_segment));
        }
        causes.extend(form(parent, "namespace", names::path_segment));
    }
    causes
}

/// Validates the form of a field. An empty one passes.
fn form<Message: AsRef<str>>(parent: &Value, field: &str, rule: fn(&str) -> Vec<Message>) -> Vec<Cause> {
    let value = text(parent, field);
    let messages = if value.is_empty() { Vec::new() } else { rule(value) };
    let messages = messages.iter().map(AsRef::as_ref);
    invalid(&format_args!("{AT}.{field}"), value, messages).into_iter().collect()
}
