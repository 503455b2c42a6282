//! The Namespace kind. Each namespace gets a label with its own name, by which selectors can match it.

use crate::conventions::cause::{At, Cause};
use crate::conventions::causes::Causes;
use crate::conventions::edit::{empty, keep, object, set_default};
use crate::kinds::columns;
use crate::kinds::fields::items;
use crate::kinds::metadata::UpdatedMetadata;
use crate::kinds::names::NameRule;
use crate::kinds::resource::{Change, ResourceRow, Scope, Subresource};
use crate::kinds::strategy::Deletion;
use crate::kinds::{metadata, names};
use crate::value::{Value, json};

/// The kind's row in the table of kinds (`kinds::served`).
pub(in crate::kinds) const ROW: ResourceRow = ResourceRow {
    plural: "namespaces",
    singular: "namespace",
    kind: "Namespace",
    storage_hash: "Q3oi5N2YM8M=",
    scope: Scope::Cluster,
    short_names: &["ns"],
    subresources: &[Subresource::Finalize, Subresource::Status],
    fields: &[("status.phase", "status.phase", "")],
    name_rule: NameRule::Label,
    defaults: set_defaults,
    prepare,
    canonicalize: set_label,
    deletion: Deletion::Emptied,
    validate,
    validate_status,
    columns: columns::simple::NAMESPACES,
    updated_metadata: UpdatedMetadata::Whole,
    ..ResourceRow::USUAL
};

/// The finalizer that keeps a namespace until it is empty. It is in `spec.finalizers`, not in the metadata.
pub const FINALIZER: &str = "kubernetes";

/// Adds the finalizer to a new namespace, if there are controllers that can remove it. Only the subresource `finalize`
/// changes the finalizers later. Upstream: `namespaceStrategy`.
fn prepare(new: &mut Value, change: &Change<'_>) {
    match change.old {
        None if change.has_controllers => {
            let finalizers = object(&mut new["spec"]).entry("finalizers").or_insert_with(|| json!([]));
            if let Value::Array(names) = finalizers
                && !names.iter().any(|name| name == FINALIZER)
            {
                names.push(json!(FINALIZER));
            }
        }
        Some(old) if change.subresource.is_none() => keep(&old["spec"], &mut new["spec"], "finalizers"),
        _ => {}
    }
}

/// Sets the label `kubernetes.io/metadata.name`. A namespace with a generated name gets the label after the validation,
/// because the name is unknown when the defaults are set. Upstream: `SetDefaults_Namespace` and
/// `namespaceStrategy.Canonicalize`.
fn set_label(namespace: &mut Value) {
    let name = namespace.pointer("/metadata/name").and_then(Value::as_str).unwrap_or_default().to_owned();
    if !name.is_empty() {
        let metadata = object(&mut namespace["metadata"]);
        object(metadata.entry("labels").or_insert_with(empty))
            .insert("kubernetes.io/metadata.name".into(), name.into());
    }
}

pub(in crate::kinds) fn set_defaults(namespace: &mut Value) {
    set_label(namespace);
    set_default(namespace, "spec", empty());
    set_default(namespace, "status", empty());
    set_default(&mut namespace["status"], "phase", json!("Active"));
}

/// Refuses a phase that does not fit the deletion. The field's name is upstream's. Upstream:
/// `ValidateNamespaceStatusUpdate`.
fn validate_status(new: &Value, _old: Option<&Value>) -> Causes {
    let phase = new["status"]["phase"].as_str().unwrap_or_default();
    let (wanted, why) = if new["metadata"]["deletionTimestamp"].is_null() {
        ("Active", "may only be 'Active' if `deletionTimestamp` is empty")
    } else {
        ("Terminating", "may only be 'Terminating' if `deletionTimestamp` is not empty")
    };
    if phase == wanted { Causes::new() } else { Causes::from([Cause::invalid("status.Phase", phase, why)]) }
}

/// Upstream: `ValidateNamespace` and `ValidateNamespaceFinalizeUpdate`.
pub(in crate::kinds) fn validate(new: &Value, old: Option<&Value>) -> Causes {
    let mut causes = Causes::new();
    for (i, name) in items(&new["spec"], "finalizers").iter().enumerate() {
        let name = name.as_str().unwrap_or_default();
        let at_one = format_args!("spec.finalizers[{i}]");
        // Upstream's path has the index only for an update.
        let at: At<'_> = if old.is_some() { &at_one } else { &"spec.finalizers" };
        causes.extend(names::label_key(name).iter().map(|why| Cause::invalid(at, name, why)));
        causes.extend(metadata::not_qualified(at, name));
    }
    causes
}
