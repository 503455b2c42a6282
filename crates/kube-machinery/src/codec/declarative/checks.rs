//! The checks of the rules for one value, with upstream's messages. Upstream: `k8s.io/apimachinery/pkg/api/validate`.

use super::compared::Compared;
use super::{formats, unique};
use crate::codec::schema::{FieldRule, FieldType};
use crate::conventions::cause::Cause;
use crate::conventions::causes::Causes;
use crate::conventions::field::Path;
use crate::conventions::operation::Operation;
use crate::value::{Array, Value};

/// The result of a rule.
pub(super) enum Outcome {
    Passes,
    /// The other rules of the value do not apply.
    Ends,
    Fails(Causes),
}

impl From<Causes> for Outcome {
    fn from(causes: Causes) -> Self {
        if causes.is_empty() { Self::Passes } else { Self::Fails(causes) }
    }
}

impl From<Option<Cause>> for Outcome {
    fn from(cause: Option<Cause>) -> Self {
        cause.map_or(Self::Passes, |cause| Self::Fails([cause].into()))
    }
}

/// Checks a rule. A null pointer passes the rules for the form of a value.
pub(super) fn check(rule: &FieldRule, operation: Operation, compared: Compared<'_>, at: &Path<'_>) -> Outcome {
    let (value, is_unset) = (&*compared.value(), compared.is_unset());
    let (number, text) = (value.as_i64(), value.as_str());
    let out_of_range = |why: String| Cause::invalid_json(at, value, &why);
    let cause = match rule {
        FieldRule::Required => is_unset.then(|| Cause::required(at, "")),
        FieldRule::Optional if is_unset => return Outcome::Ends,
        FieldRule::Forbidden if is_unset => return Outcome::Ends,
        FieldRule::Forbidden => Some(Cause::forbidden(at, "")),
        // The walk visits changed values only.
        FieldRule::Immutable => {
            (operation == Operation::Update).then(|| Cause::invalid_as(at, "null", "field is immutable"))
        }
        FieldRule::Alpha(rule) => match check(rule, operation, compared, at) {
            Outcome::Passes => None,
            Outcome::Ends | Outcome::Fails(_) => return Outcome::Ends,
        },
        FieldRule::Minimum(least) => number
            .filter(|number| number < least)
            .map(|_| out_of_range(format!("must be greater than or equal to {least}"))),
        FieldRule::Maximum(most) => {
            number.filter(|number| number > most).map(|_| out_of_range(format!("must be less than or equal to {most}")))
        }
        FieldRule::MaxItems(most) => {
            let count = value.as_array().map_or(0, Array::len);
            (count > *most).then(|| Cause::too_many(at, count, *most))
        }
        FieldRule::MaxBytes(most) => text.filter(|text| text.len() > *most).map(|_| Cause::too_long(at, *most)),
        FieldRule::MaxLength(most) => {
            text.filter(|text| text.chars().count() > *most).map(|_| Cause::too_long_in_characters(at, *most))
        }
        FieldRule::Format(name) => {
            let Some(text) = text else { return Outcome::Passes };
            return formats::check(name, text, at).into();
        }
        FieldRule::NoModify => {
            let is_modified = compared.old.is_some_and(|old| !old.is_null() && !compared.new.is_null());
            is_modified.then(|| Cause::invalid_as(at, "null", "field cannot be modified once set"))
        }
        FieldRule::Unique(keys) => return unique::duplicates(keys, compared, at).into(),
        FieldRule::EachKey(rule) => return each_key(rule, operation, compared, at).into(),
        FieldRule::Enum(values) => {
            text.filter(|text| !values.contains(text)).map(|text| Cause::unsupported_text(at, text, values))
        }
        FieldRule::ZeroOrOneOf(key, members) => several(key, members, compared, at),
        // The walk applies these.
        FieldRule::IfMode(..) | FieldRule::ModeDiscriminator | FieldRule::UnionMember => None,
        FieldRule::Optional | FieldRule::Subfield(..) => None,
    };
    cause.into()
}

/// Applies a rule to the keys of a map that the old map does not have. Upstream: `EachMapKey`.
fn each_key(rule: &FieldRule, operation: Operation, compared: Compared<'_>, at: &Path<'_>) -> Causes {
    static TEXT: FieldType = FieldType::Text;
    let mut causes = Causes::new();
    let is_new = |key: &str| compared.old.is_none_or(|old| old.get(key).is_none());
    for (key, _) in compared.new.as_object().into_iter().flatten().filter(|(key, _)| is_new(key)) {
        let key = Value::from(key.as_str());
        if let Outcome::Fails(found) = check(rule, operation, Compared { kind: &TEXT, new: &key, old: None }, at) {
            causes.extend(found);
        }
    }
    causes
}

/// Returns the cause for a list with several of the members of a union, unless the old list had the same ones. Upstream:
/// `ZeroOrOneOfUnion`.
fn several(key: &str, members: &[&str], compared: Compared<'_>, at: &Path<'_>) -> Option<Cause> {
    let in_list = |list: &Value| -> Vec<&str> {
        let has = |member: &&&str| list.as_array().into_iter().flatten().any(|item| item[key] == **member);
        members.iter().filter(has).copied().collect()
    };
    let specified = in_list(compared.new);
    if specified.len() < 2 || compared.old.is_some_and(|old| in_list(old) == specified) {
        return None;
    }
    let Path::Child(_, field) = at else { return None };
    let name = |member: &&str| format!(r#"{field}[{{"{key}": "{member}"}}]"#);
    let names = |members: &[&str], quote: &str| {
        members.iter().map(|member| format!("{quote}{}{quote}", name(member))).collect::<Vec<_>>().join(", ")
    };
    let why = format!("must specify at most one of: {}", names(members, "`"));
    Some(Cause::invalid(at, &format!("{{{}}}", names(&specified, "")), &why))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codec::schema::{find, structs};
    use crate::value::json;

    static TEXT: FieldType = FieldType::Text;
    static NUMBER: FieldType = FieldType::Integer(32);

    fn type_of(row: &str, field: &str) -> &'static FieldType {
        &find(row).field(field).unwrap().kind
    }

    /// Returns the type of a list of texts.
    fn list() -> &'static FieldType {
        type_of("Endpoint", "addresses")
    }

    /// Checks the rule for a new value. Returns the sentence of its cause; empty if the value passes, `ends` if the other
    /// rules do not apply.
    fn checked(rule: &FieldRule, kind: &'static FieldType, new: &Value, old: Option<&Value>) -> String {
        let operation = if old.is_some() { Operation::Update } else { Operation::Create };
        match check(rule, operation, Compared { kind, new, old }, &Path::Root("spec").child("field")) {
            Outcome::Passes => String::new(),
            Outcome::Ends => "ends".to_owned(),
            Outcome::Fails(causes) => causes.iter().map(|cause| cause.sentence()).collect::<Vec<_>>().join("; "),
        }
    }

    fn of_new(rule: &FieldRule, kind: &'static FieldType, new: &Value) -> String {
        checked(rule, kind, new, None)
    }

    /// Upstream: `required_test.go`.
    #[test]
    fn a_value_is_unset_by_its_type() {
        for (kind, unset, set) in
            [(&TEXT, json!(""), json!("a")), (&NUMBER, json!(0), json!(-1)), (list(), json!([]), json!([""]))]
        {
            for unset in [unset, Value::Null] {
                assert_eq!(of_new(&FieldRule::Required, kind, &unset), "spec.field: Required value");
                assert_eq!(of_new(&FieldRule::Optional, kind, &unset), "ends");
                assert_eq!(of_new(&FieldRule::Forbidden, kind, &unset), "ends");
            }
            assert_eq!(of_new(&FieldRule::Required, kind, &set), "");
            assert_eq!(of_new(&FieldRule::Optional, kind, &set), "");
            assert_eq!(of_new(&FieldRule::Forbidden, kind, &set), "spec.field: Forbidden");
        }
    }

    /// Upstream: `immutable_test.go`.
    #[test]
    fn an_update_cannot_change_an_immutable_value() {
        let (new, old) = (json!("b"), json!("a"));
        assert_eq!(of_new(&FieldRule::Immutable, &TEXT, &new), "");
        let cause = checked(&FieldRule::Immutable, &TEXT, &new, Some(&old));
        assert_eq!(cause, "spec.field: Invalid value: null: field is immutable");
        assert_eq!(checked(&FieldRule::Alpha(Box::new(FieldRule::Immutable)), &TEXT, &new, Some(&old)), "ends");
    }

    /// Upstream: `limits_test.go`.
    #[test]
    fn a_limit_is_within_its_range() {
        let (least, most) = (FieldRule::Minimum(1), FieldRule::Maximum(1));
        assert_eq!(of_new(&least, &NUMBER, &json!(1)), "");
        let why = "spec.field: Invalid value: 0: must be greater than or equal to 1";
        assert_eq!(of_new(&least, &NUMBER, &json!(0)), why);
        assert_eq!(of_new(&least, &NUMBER, &Value::Null), why);
        let pointer = type_of("HorizontalPodAutoscalerSpec", "minReplicas");
        assert_eq!(of_new(&least, pointer, &Value::Null), "");
        assert_eq!(of_new(&most, &NUMBER, &json!(1)), "");
        assert_eq!(of_new(&most, &NUMBER, &json!(2)), "spec.field: Invalid value: 2: must be less than or equal to 1");
        let (items, bytes) = (FieldRule::MaxItems(2), FieldRule::MaxBytes(2));
        assert_eq!(of_new(&items, list(), &json!(["", ""])), "");
        assert_eq!(of_new(&items, list(), &json!(["", "", ""])), "spec.field: Too many: 3: must have at most 2 items");
        assert_eq!(of_new(&bytes, &TEXT, &json!("é")), "");
        assert_eq!(of_new(&bytes, &TEXT, &json!("éa")), "spec.field: Too long: may not be more than 2 bytes");
        let length = FieldRule::MaxLength(2);
        assert_eq!(of_new(&length, &TEXT, &json!("éa")), "");
        assert_eq!(of_new(&length, &TEXT, &json!("éab")), "spec.field: Too long: may not be more than 2 characters");
    }

    /// Upstream: `enum_test.go`.
    #[test]
    fn a_value_is_one_of_an_enumeration() {
        let rule = FieldRule::Enum(vec!["a", "b"]);
        assert_eq!(of_new(&rule, &TEXT, &json!("b")), "");
        let cause = of_new(&rule, &TEXT, &json!(""));
        assert_eq!(cause, r#"spec.field: Unsupported value: "": supported values: "a", "b""#);
    }

    /// Upstream: `strfmt_test.go`.
    #[test]
    fn a_text_has_its_format() {
        for (format, right, wrong) in [
            ("k8s-label-key", "a.b/C", "a/b/c"),
            ("k8s-label-value", "A.b", "-a"),
            ("k8s-long-name", "a.b", "A"),
            ("k8s-long-name-caseless", "A.b", "A_b"),
            ("k8s-path-segment-name", "A:b", ".."),
            ("k8s-short-name", "a-b", "a.b"),
            ("k8s-extended-resource-name", "example.com/gpu", "kubernetes.io/gpu"),
            ("k8s-resource-fully-qualified-name", "a.b/c_d", "c_d"),
            ("k8s-resource-pool-name", "a/b.c", "a//b"),
            ("k8s-uuid", "01234567-89ab-cdef-0123-456789abcdef", "01234567-89AB-cdef-0123-456789abcdef"),
        ] {
            assert_eq!(of_new(&FieldRule::Format(format), &TEXT, &json!(right)), "", "{format}");
            assert_ne!(of_new(&FieldRule::Format(format), &TEXT, &json!(wrong)), "", "{format}");
        }
    }

    #[test]
    fn the_table_has_only_known_formats() {
        fn is_known(rule: &FieldRule) -> bool {
            match rule {
                FieldRule::Format(name) => formats::is_known(name),
                FieldRule::EachKey(rule) => is_known(rule),
                FieldRule::Subfield(_, rules) => rules.iter().all(is_known),
                _ => true,
            }
        }
        let fields = structs().flat_map(|(_, row)| &row.fields);
        let unknown: Vec<&[FieldRule]> =
            fields.map(|field| &*field.rules).filter(|rules| !rules.iter().all(is_known)).collect();
        assert!(unknown.is_empty(), "{unknown:?}");
    }

    /// Upstream: `update_test.go`.
    #[test]
    fn an_update_can_set_and_remove_a_value_but_not_modify_it() {
        let kind = type_of("ResourceClaimStatus", "allocation");
        let (a, b) = (json!({"a": 1}), json!({"b": 1}));
        assert_eq!(of_new(&FieldRule::NoModify, kind, &a), "");
        assert_eq!(checked(&FieldRule::NoModify, kind, &a, Some(&Value::Null)), "");
        assert_eq!(checked(&FieldRule::NoModify, kind, &Value::Null, Some(&a)), "");
        let cause = "spec.field: Invalid value: null: field cannot be modified once set";
        assert_eq!(checked(&FieldRule::NoModify, kind, &b, Some(&a)), cause);
    }

    #[test]
    fn a_rule_for_keys_checks_those_that_the_old_map_does_not_have() {
        let rule = FieldRule::EachKey(Box::new(FieldRule::Format("k8s-short-name")));
        let kind = type_of("CounterSet", "counters");
        let map = json!({"a.b": {}, "c": {}});
        let cause = r#"spec.field: Invalid value: "a.b": must not contain dots"#;
        assert_eq!(of_new(&rule, kind, &map), cause);
        assert_eq!(checked(&rule, kind, &map, Some(&json!({"c": {}}))), cause);
        assert_eq!(checked(&rule, kind, &map, Some(&json!({"a.b": {"value": "1"}}))), "");
    }

    /// Upstream: `zeroorone_test.go`.
    #[test]
    fn a_list_has_one_member_of_a_union() {
        let rule = FieldRule::ZeroOrOneOf("type", vec!["A", "B"]);
        let of = |types: &[&str]| types.iter().map(|kind| json!({"type": kind})).collect::<Value>();
        assert_eq!(of_new(&rule, list(), &of(&["A", "A", "C"])), "");
        let cause = concat!(
            r#"spec.field: Invalid value: "{field[{\"type\": \"A\"}], field[{\"type\": \"B\"}]}": "#,
            r#"must specify at most one of: `field[{"type": "A"}]`, `field[{"type": "B"}]`"#,
        );
        assert_eq!(of_new(&rule, list(), &of(&["B", "A"])), cause);
        assert_eq!(checked(&rule, list(), &of(&["B", "A"]), Some(&of(&["A"]))), cause);
        assert_eq!(checked(&rule, list(), &of(&["B", "A", "C"]), Some(&of(&["A", "B"]))), "");
    }
}
