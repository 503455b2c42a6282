//! Parses and prints label selectors inside of objects (`matchLabels`, `matchExpressions`), such as the selector of a
//! replica set. The selectors in queries have another syntax, which `kube-selectors` parses.

use std::collections::BTreeMap;

use crate::codec::go_struct_json::go_struct_json;
use crate::codec::schema::FieldType;
use crate::value::Value;

use kube_selectors::{BadSelector, LabelOperator, LabelRequirement, LabelSelector};

/// Writes a selector as upstream's causes show it: with the fields in the order of the Go type.
pub(crate) fn shown(selector: &Value) -> String {
    go_struct_json(&FieldType::Struct("LabelSelector"), selector)
}

/// Parses a `metav1.LabelSelector`. An absent selector matches nothing, an empty one everything.
///
/// # Errors
/// If an operator, a key or a value is invalid.
pub fn read(selector: &Value) -> Result<LabelSelector, BadSelector> {
    if !selector.is_object() {
        return Ok(LabelSelector::nothing());
    }
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let mut read = LabelSelector::everything();
    for (key, value) in selector["matchLabels"].as_object().into_iter().flatten() {
        read = read.and(LabelRequirement::new(key.as_str(), LabelOperator::Equals, vec![text(value)])?);
    }
    for expression in selector["matchExpressions"].as_array().into_iter().flatten() {
        let operator = match expression["operator"].as_str().unwrap_or_default() {
            "In" => LabelOperator::In,
            "NotIn" => LabelOperator::NotIn,
            "Exists" => LabelOperator::Exists,
            "DoesNotExist" => LabelOperator::DoesNotExist,
            other => return Err(BadSelector::new(format!("{other:?} is not a valid label selector operator"))),
        };
        let values = expression["values"].as_array().into_iter().flatten().map(text).collect();
        read = read.and(LabelRequirement::new(text(&expression["key"]), operator, values)?);
    }
    Ok(read)
}

/// Prints a label selector as Go prints the struct. Upstream: `LabelSelector.String`.
pub fn in_go(selector: &Value) -> String {
    let texts = |list: &Value| {
        let all = list.as_array().into_iter().flatten().filter_map(Value::as_str);
        all.collect::<Vec<_>>().join(" ")
    };
    let labels: BTreeMap<_, _> = selector["matchLabels"].as_object().into_iter().flatten().collect();
    let labels = labels.into_iter().map(|(key, value)| format!("{key}: {},", value.as_str().unwrap_or_default()));
    let expressions = selector["matchExpressions"].as_array().into_iter().flatten().map(|one| {
        let part = |field: &str| one[field].as_str().unwrap_or_default();
        let (key, operator, values) = (part("key"), part("operator"), texts(&one["values"]));
        format!("LabelSelectorRequirement{{Key:{key},Operator:{operator},Values:[{values}],}},")
    });
    format!(
        "&LabelSelector{{MatchLabels:map[string]string{{{}}},MatchExpressions:[]LabelSelectorRequirement{{{}}},}}",
        labels.collect::<String>(),
        expressions.collect::<String>()
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::json;

    #[test]
    fn labels_and_expressions_of_a_selector_are_parsed() {
        let selector = json!({
            "matchLabels": {"b": "1"},
            "matchExpressions": [
                {"key": "a", "operator": "In", "values": ["y", "x"]},
                {"key": "c", "operator": "Exists"},
                {"key": "d", "operator": "DoesNotExist", "values": []},
            ],
        });
        assert_eq!(read(&selector).unwrap().to_string(), "a in (x,y),b=1,c,!d");
        assert!(read(&json!({})).unwrap().is_everything());
        assert!(read(&Value::Null).unwrap().is_nothing());
        let wrong = read(&json!({"matchExpressions": [{"key": "a", "operator": "Is"}]}));
        assert_eq!(wrong.unwrap_err().to_string(), "\"Is\" is not a valid label selector operator");
    }
}
