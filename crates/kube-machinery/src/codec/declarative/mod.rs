//! Declarative validation: the rules for the values of fields that upstream writes as tags above its Go types, and not
//! as code. The table of types (`schema`) has the rules that kube-apiserver enforces by default.
//!
//! A walk visits the fields of an object in their order in Go. As upstream's, it skips a value that an update leaves
//! unchanged, so that a new rule does not refuse the updates of objects that were valid before it (ratcheting).
//! Upstream: the functions `Validate_…` in `pkg/apis/*/*/zz_generated.validations.go`, which validation-gen generates.

mod checks;
mod compared;
mod formats;
mod union;
mod unique;

use self::checks::{Outcome, check};
use self::compared::Compared;
pub(crate) use self::compared::is_same;
use super::schema::{Field, FieldRule, FieldType, Struct, find};
use crate::conventions::causes::Causes;
use crate::conventions::field::Path;
use crate::conventions::operation::Operation;
use crate::value::Value;

/// Validates a new object of this type of the table, or an update, for which `old` is the old state. Upstream:
/// `validateDeclaratively`.
pub(crate) fn validate(kind: &str, new: &Value, old: Option<&Value>) -> Causes {
    let operation = if old.is_some() { Operation::Update } else { Operation::Create };
    let mut walk = Walk { operation, causes: Causes::new() };
    walk.fields(find(kind), new, old, &Path::Root(""));
    walk.causes
}

/// Returns true if there are rules for objects of this type.
pub(crate) fn has_rules(kind: &str) -> bool {
    find(kind).fields.iter().any(is_checked)
}

fn is_checked(field: &Field) -> bool {
    field.has_rules_below || !field.rules.is_empty()
}

/// Returns the rule of a field that applies in a mode of its struct, with the mode.
fn rule_of_modes(field: &Field) -> Option<(&'static str, &FieldRule)> {
    field.rules.iter().find_map(|rule| match rule {
        FieldRule::IfMode(mode, rule) => Some((*mode, &**rule)),
        _ => None,
    })
}

struct Walk {
    /// Create or update. The old state does not tell the two apart, because a new part of an updated object has none
    /// either.
    operation: Operation,
    /// The causes that were found so far.
    causes: Causes,
}

impl Walk {
    /// Validates the fields of a struct. It has no old state in a new object, and in an item of a list whose items have no
    /// identity.
    fn fields(&mut self, row: &'static Struct, new: &Value, old: Option<&Value>, at: &Path<'_>) {
        self.modes(row, new, old, at);
        self.causes.extend(union::check(row, new, old, at));
        for field in row.fields.iter().filter(|field| is_checked(field)) {
            if field.name.is_empty() {
                // The fields of an embedded struct stand beside those of the outer one.
                self.field(field, Compared { kind: &field.kind, new, old }, at);
            } else {
                let old = old.map(|old| &old[field.name]);
                self.field(field, Compared { kind: &field.kind, new: &new[field.name], old }, &at.child(field.name));
            }
        }
    }

    /// Applies the rules of the fields that depend on the mode of the struct, in the order of the fields' names.
    /// Upstream: `Discriminated`.
    fn modes(&mut self, row: &'static Struct, new: &Value, old: Option<&Value>, at: &Path<'_>) {
        let Some(mode) = row.fields.iter().find(|field| field.rules.contains(&FieldRule::ModeDiscriminator)) else {
            return;
        };
        let mut dependent: Vec<_> =
            row.fields.iter().filter_map(|field| Some((field, rule_of_modes(field)?))).collect();
        dependent.sort_by_key(|(field, _)| field.name);
        for (field, (wanted, rule)) in dependent {
            let compared = Compared { kind: &field.kind, new: &new[field.name], old: old.map(|old| &old[field.name]) };
            let has_same_mode = old.is_some_and(|old| old[mode.name] == new[mode.name]);
            if !(has_same_mode && compared.is_unchanged()) {
                let rule = if new[mode.name] == *wanted { rule } else { &FieldRule::Forbidden };
                self.rule(rule, compared, &at.child(field.name));
            }
        }
    }

    fn field(&mut self, field: &'static Field, compared: Compared<'_>, at: &Path<'_>) {
        if !compared.is_unchanged() && self.rules(&field.rules, compared, at) && field.has_rules_below {
            self.below(compared, keys_of(field), at);
        }
    }

    /// Applies the rules to a value. Returns false if the validation of the value ends with them.
    fn rules(&mut self, rules: &[FieldRule], compared: Compared<'_>, at: &Path<'_>) -> bool {
        let (ending, others) = rules.split_at(rules.partition_point(FieldRule::can_end));
        // All rules that can end the validation run, even after one of them has failed.
        let failed = ending.iter().filter(|rule| !self.rule(rule, compared, at)).count();
        if failed == 0 {
            others.iter().for_each(|rule| _ = self.rule(rule, compared, at));
        }
        failed == 0
    }

    /// Applies a rule to a value. Returns false if the other rules do not apply.
    fn rule(&mut self, rule: &FieldRule, compared: Compared<'_>, at: &Path<'_>) -> bool {
        match (rule, compared.kind) {
            (FieldRule::Subfield(name, rules), FieldType::Struct(row)) => {
                let Some(field) = find(row).field(name) else { return true };
                let old = compared.old.map(|old| &old[*name]);
                let compared = Compared { kind: &field.kind, new: &compared.new[*name], old };
                compared.is_unchanged() || self.rules(rules, compared, &at.child(name))
            }
            (rule, _) => match check(rule, self.operation, compared, at) {
                Outcome::Passes => true,
                Outcome::Ends => false,
                Outcome::Fails(causes) => {
                    self.causes.extend(causes);
                    false
                }
            },
        }
    }

    /// Validates the struct in a value, or the structs in its items. `keys` are the fields that identify an item of a list.
    fn below(&mut self, compared: Compared<'_>, keys: &[&str], at: &Path<'_>) {
        match compared.kind {
            _ if compared.new.is_null() => {}
            FieldType::Pointer(kind) => {
                let old = compared.old.filter(|old| !old.is_null());
                self.below(Compared { kind, old, ..compared }, keys, at);
            }
            FieldType::Struct(row) => self.fields(find(row), compared.new, compared.old, at),
            FieldType::List(kind) => {
                for (i, new) in compared.new.as_array().into_iter().flatten().enumerate() {
                    let old = compared.old.and_then(|old| unique::same_item(keys, new, old));
                    self.item(Compared { kind, new, old }, &at.index(i));
                }
            }
            FieldType::Map(kind) => {
                for (key, new) in compared.new.as_object().into_iter().flatten() {
                    let old = compared.old.and_then(|old| old.get(key));
                    self.item(Compared { kind, new, old }, &at.key(key));
                }
            }
            // No rules are below these.
            FieldType::Text
            | FieldType::Bool
            | FieldType::Integer(_)
            | FieldType::Float
            | FieldType::Bytes
            | FieldType::Time
            | FieldType::MicroTime
            | FieldType::Quantity
            | FieldType::IntOrString
            | FieldType::Raw
            | FieldType::SchemaOr(_) => {}
        }
    }

    /// Validates the struct in an item of a list or a map, unless an update leaves it unchanged.
    fn item(&mut self, compared: Compared<'_>, at: &Path<'_>) {
        if !compared.is_unchanged() {
            self.below(compared, &[], at);
        }
    }
}

/// Returns the fields that identify the items of a list.
fn keys_of(field: &Field) -> &[&'static str] {
    let keys = field.rules.iter().find_map(|rule| match rule {
        FieldRule::Unique(keys) => Some(keys.as_slice()),
        _ => None,
    });
    keys.unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codec::schema::structs;
    use crate::value::json;

    fn sentences(kind: &str, new: &Value, old: Option<&Value>) -> Vec<String> {
        validate(kind, new, old).iter().map(|cause| cause.sentence()).collect()
    }

    #[test]
    fn the_table_has_rules_only_where_the_walk_comes() {
        fn is_walked(kind: &FieldType) -> bool {
            match kind {
                FieldType::Pointer(inner) | FieldType::List(inner) | FieldType::Map(inner) => is_walked(inner),
                kind => matches!(kind, FieldType::Struct(_)),
            }
        }
        for (name, field) in structs().flat_map(|(name, row)| row.fields.iter().map(move |field| (name, field))) {
            assert!(!field.has_rules_below || is_walked(&field.kind), "{name}.{}", field.name);
            assert!(!field.name.is_empty() || field.rules.is_empty(), "{name} has rules for an embedded struct itself");
        }
    }

    #[test]
    fn a_new_object_is_validated_in_the_order_of_its_fields() {
        let spec = json!({"minReplicas": -1, "maxReplicas": 0});
        assert_eq!(
            sentences("HorizontalPodAutoscaler", &json!({"spec": spec}), None),
            [
                "spec.minReplicas: Invalid value: -1: must be greater than or equal to 0",
                "spec.maxReplicas: Required value",
            ]
        );
    }

    #[test]
    fn a_value_that_an_update_leaves_unchanged_is_not_validated() {
        let of =
            |names: &[&str]| json!({"subjects": names.iter().map(|name| json!({"name": name})).collect::<Value>()});
        assert_eq!(sentences("ClusterRoleBinding", &of(&["a", ""]), Some(&of(&["a", ""]))), [""; 0]);
        // The items of this list have no keys, so all of them are validated if one has changed.
        assert_eq!(
            sentences("ClusterRoleBinding", &of(&["", "", "b"]), Some(&of(&["", "a"]))),
            ["subjects[0].name: Required value", "subjects[1].name: Required value",]
        );
    }

    #[test]
    fn all_rules_that_can_end_a_validation_run_and_then_it_ends() {
        let class = |handler: &str| json!({"handler": handler});
        let unchangeable = "handler: Invalid value: null: field is immutable";
        let missing = "handler: Required value";
        assert_eq!(sentences("RuntimeClass", &class(""), Some(&class("a"))), [unchangeable, missing]);
        assert_eq!(sentences("RuntimeClass", &class("A"), Some(&class("a"))), [unchangeable]);
        assert_eq!(
            sentences("RuntimeClass", &class("a.b"), None),
            [r#"handler: Invalid value: "a.b": must not contain dots"#]
        );
    }

    /// The rule that a `roleRef` cannot change is in alpha, so a hand-written one refuses the change.
    #[test]
    fn a_rule_in_alpha_ends_a_validation_without_a_cause() {
        let binding = |name: &str| json!({"roleRef": {"name": name}});
        assert_eq!(sentences("RoleBinding", &binding(""), None), ["roleRef.name: Required value"]);
        assert_eq!(sentences("RoleBinding", &binding(""), Some(&binding("a"))), [""; 0]);
    }

    #[test]
    fn the_mode_of_a_struct_decides_which_fields_it_has() {
        let level = |spec: Value| json!({"spec": spec});
        let exempt = level(json!({"type": "Exempt", "exempt": {}}));
        let both = level(json!({"type": "Exempt", "exempt": {}, "limited": null}));
        assert_eq!(sentences("PriorityLevelConfiguration", &both, None), [""; 0]);
        let neither = level(json!({"type": "Limited", "exempt": {}}));
        let causes = ["spec.exempt: Forbidden", "spec.limited: Required value"];
        assert_eq!(sentences("PriorityLevelConfiguration", &neither, None), causes);
        assert_eq!(sentences("PriorityLevelConfiguration", &neither, Some(&exempt)), causes);
        assert_eq!(sentences("PriorityLevelConfiguration", &neither, Some(&neither)), [""; 0]);
    }

    #[test]
    fn the_fields_of_an_embedded_struct_are_validated() {
        let config = json!([{"requests": [], "opaque": {"driver": ""}}]);
        assert_eq!(
            sentences("DeviceClass", &json!({"spec": {"config": config}}), None),
            ["spec.config[0].opaque.driver: Required value"]
        );
    }

    #[test]
    fn the_structs_in_a_map_have_rules_and_a_struct_has_one_member_of_its_union() {
        let slice = |attributes: Value| json!({"spec": {"devices": [{"name": "d", "attributes": attributes}]}});
        let (old, new) =
            (slice(json!({"a": {"int": 1}, "b": {}})), slice(json!({"a": {"int": 1, "bool": true}, "b": {}})));
        let members = "`int`, `bool`, `string`, `version`, `ints`, `bools`, `strings`, `versions`";
        let several = format!(
            r#"spec.devices[0].attributes[a]: Invalid value: "{{int, bool}}": must specify exactly one of: {members}"#
        );
        let none = format!(r#"spec.devices[0].attributes[b]: Invalid value: "": must specify one of: {members}"#);
        assert_eq!(sentences("ResourceSlice", &old, None), [none.as_str()]);
        assert_eq!(sentences("ResourceSlice", &new, None), [several.as_str(), &none]);
        // The devices have no keys, so an update validates all of them.
        assert_eq!(sentences("ResourceSlice", &new, Some(&old)), [several, none]);
    }

    #[test]
    fn an_item_with_keys_is_compared_with_the_old_one() {
        let claim = |requests: Value| json!({"spec": {"spec": {"devices": {"requests": requests}}}});
        let request = |name: &str, mode: &str| json!({"name": name, "exactly": {"allocationMode": mode}});
        let old = claim(json!([request("a", "x")]));
        let new = claim(json!([request("b", "y"), request("a", "x")]));
        let of = |new: &Value, old: &Value| {
            sentences("DeviceClaim", &new["spec"]["spec"]["devices"], Some(&old["spec"]["spec"]["devices"]))
        };
        let cause =
            r#"requests[0].exactly.allocationMode: Unsupported value: "y": supported values: "All", "ExactCount""#;
        assert_eq!(of(&new, &old), [cause]);
    }

    #[test]
    fn the_rules_for_a_subfield_are_those_of_one_kind_only() {
        let named = |name: &str| json!({"metadata": {"name": name}, "spec": {"replicas": 1}});
        let causes = sentences("ReplicationController", &named("A"), None);
        assert!(matches!(&causes[..], [one] if one.starts_with(r#"metadata.name: Invalid value: "A": a lowercase"#)));
        assert_eq!(sentences("ReplicationController", &named(""), None), [""; 0]);
        assert_eq!(sentences("ReplicationController", &named("A"), Some(&named("A"))), [""; 0]);
        assert_eq!(sentences("ReplicaSet", &named("A"), None), [""; 0]);
    }
}
