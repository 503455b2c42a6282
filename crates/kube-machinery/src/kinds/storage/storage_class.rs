//! The StorageClass kind, which says how volumes are made for claims. Upstream: `pkg/apis/storage`.

use std::collections::{BTreeMap, BTreeSet};

use crate::conventions::cause::{At, Cause};
use crate::conventions::causes::Causes;
use crate::conventions::edit::set_default;
use crate::kinds::columns;
use crate::kinds::deprecated_labels;
use crate::kinds::fields::{each, invalid, items, one_of, required, text};
use crate::kinds::metadata::UpdatedMetadata;
use crate::kinds::names;
use crate::kinds::resource::{DeleteResponse, ResourceRow, Scope};
use crate::value::{Value, json};

/// The kind's row in the table of kinds (`kinds::served`).
pub(in crate::kinds) const ROW: ResourceRow = ResourceRow {
    group: super::GROUP,
    plural: "storageclasses",
    singular: "storageclass",
    kind: "StorageClass",
    storage_hash: "K+m6uJwbjGY=",
    scope: Scope::Cluster,
    short_names: &["sc"],
    delete_response: DeleteResponse::Object,
    defaults: set_defaults,
    validate,
    warnings,
    columns: columns::storage::CLASSES,
    default_in_list: Some(effective_default),
    updated_metadata: UpdatedMetadata::Whole,
    ..ResourceRow::USUAL
};

/// Upstream: `SetDefaults_StorageClass`.
fn set_defaults(class: &mut Value) {
    set_default(class, "reclaimPolicy", json!("Delete"));
    set_default(class, "volumeBindingMode", json!("Immediate"));
}

/// Finds the class that claims without a class get: of those that are marked, the newest one, or the first by name.
/// Upstream: `getEffectiveDefaultStorageClass`.
fn effective_default(classes: &[Value]) -> Option<usize> {
    let marks = ["storageclass.kubernetes.io/is-default-class", "storageclass.beta.kubernetes.io/is-default-class"];
    let is_marked = |class: &Value| marks.iter().any(|mark| class["metadata"]["annotations"][*mark] == "true");
    let age = |class: &Value| text(&class["metadata"], "creationTimestamp").to_owned();
    let marked = classes.iter().enumerate().filter(|(_, class)| is_marked(class));
    let newest = marked.max_by(|(_, one), (_, other)| {
        let names = text(&other["metadata"], "name").cmp(text(&one["metadata"], "name"));
        age(one).cmp(&age(other)).then(names)
    });
    newest.map(|(i, _)| i)
}

/// Upstream: `ValidateStorageClass`.
fn validate(new: &Value, _old: Option<&Value>) -> Causes {
    let mut causes = super::provisioner(new, "provisioner");
    causes.extend(super::parameters(new));
    let policy = text(new, "reclaimPolicy");
    if !policy.is_empty() {
        causes.extend(one_of(policy, &["Delete", "Retain"], &"reclaimPolicy"));
    }
    let modes = ["Immediate", "WaitForFirstConsumer"];
    causes.extend(one_of(text(new, "volumeBindingMode"), &modes, &"volumeBindingMode"));
    causes.extend(topologies(new));
    causes
}

/// The values that a topology term lists for each key.
type Term<'a> = BTreeMap<&'a str, BTreeSet<&'a str>>;

/// Validates the topology terms, of which no two may be the same. Upstream: `validateAllowedTopologies`.
fn topologies(class: &Value) -> Causes {
    let (mut causes, mut seen) = (Causes::new(), BTreeSet::<Term<'_>>::new());
    for (i, term) in items(class, "allowedTopologies").iter().enumerate() {
        let at = format_args!("allowedTopologies[{i}]");
        let (read, wrong) = topology(term, &at);
        causes.extend(wrong);
        // As upstream, which compares with the terms that follow before it has read them, an empty term is a duplicate.
        if read.is_empty() || !seen.insert(read) {
            causes.push(Cause::duplicate(format_args!("{at}.matchLabelExpressions"), ""));
        }
    }
    causes
}

/// Validates a term, and returns it as a map for the comparison with other terms. Upstream:
/// `ValidateTopologySelectorTerm`.
fn topology<'a>(term: &'a Value, at: At<'_>) -> (Term<'a>, Causes) {
    let (mut causes, mut read) = (Causes::new(), Term::new());
    for (at, expression) in each(term, "matchLabelExpressions", at) {
        let mut values = BTreeSet::new();
        causes.extend(required(expression, "values", &at));
        for (n, value) in items(expression, "values").iter().enumerate() {
            let value = value.as_str().unwrap_or_default();
            if !values.insert(value) {
                causes.push(Cause::duplicate(format_args!("{at}.values[{n}]"), value));
            }
        }
        let key = text(expression, "key");
        causes.extend(invalid(&format_args!("{at}.key"), key, names::label_key(key)));
        if read.insert(key, values).is_some() {
            causes.push(Cause::duplicate(format_args!("{at}.key"), key));
        }
    }
    (read, causes)
}

/// Warns of deprecated labels in the topologies. Upstream: `GetWarningsForStorageClass`.
fn warnings(new: &Value, _old: Option<&Value>) -> Vec<String> {
    let mut warnings = Vec::new();
    for (at, term) in each(new, "allowedTopologies", &"") {
        let expressions = each(term, "matchLabelExpressions", &at);
        warnings.extend(expressions.filter_map(|(at, expression)| {
            let message = deprecated_labels::message(text(expression, "key"))?;
            Some(format!("{at}.key: {message}").trim_start_matches('.').to_owned())
        }));
    }
    warnings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_marked_class_is_the_default_of_a_list() {
        let class = |name: &str, mark: &str, created: &str| {
            let annotations = json!({"storageclass.kubernetes.io/is-default-class": mark});
            json!({"metadata": {"name": name, "annotations": annotations, "creationTimestamp": created}})
        };
        let old = class("a", "true", "2023-05-01T10:00:00Z");
        let new = [class("c", "true", "2023-05-01T10:00:01Z"), class("b", "true", "2023-05-01T10:00:01Z")];
        let other = class("d", "false", "2023-05-01T10:00:02Z");
        assert_eq!(effective_default(&[old, new[0].clone(), new[1].clone(), other.clone()]), Some(2));
        assert_eq!(effective_default(&[other]), None);
    }
}
