//! The scaling behavior of a HorizontalPodAutoscaler as the text of an annotation of version `v1`. Upstream writes its
//! internal type there, whose fields have their names in Go. Upstream: `HorizontalPodAutoscalerBehavior` in
//! `pkg/apis/autoscaling/types.go`.

use crate::codec::schema;
use crate::conventions::go_struct::{Field, GoStruct};
use crate::value::{Map, Value};

const POLICY: GoStruct = GoStruct(&[
    ("Type", "type", Field::Text),
    ("Value", "value", Field::Number),
    ("PeriodSeconds", "periodSeconds", Field::Number),
]);
const RULES: GoStruct = GoStruct(&[
    ("StabilizationWindowSeconds", "stabilizationWindowSeconds", Field::Plain),
    ("SelectPolicy", "selectPolicy", Field::Plain),
    ("Policies", "policies", Field::List(&POLICY)),
    ("Tolerance", "tolerance", Field::Plain),
]);
const BEHAVIOR: GoStruct =
    GoStruct(&[("ScaleUp", "scaleUp", Field::Struct(&RULES)), ("ScaleDown", "scaleDown", Field::Struct(&RULES))]);

/// Returns the text of the annotation.
pub(super) fn text(behavior: &Value) -> String {
    BEHAVIOR.print(behavior)
}

/// Reads the annotation. As upstream, one that cannot be read or is empty counts as missing.
pub(super) fn read(text: &str) -> Option<Value> {
    let value: Value = serde_json::from_str(text).ok()?;
    let behavior = renamed(&BEHAVIOR, &value);
    let decoded = schema::decode("HorizontalPodAutoscalerBehavior", behavior).ok()?.value;
    decoded.as_object().is_some_and(|fields| !fields.is_empty()).then_some(decoded)
}

/// Gives the fields their names in the API. As Go's decoder, it ignores the case of names, and drops unknown fields.
fn renamed(of: &GoStruct, value: &Value) -> Value {
    let Some(fields) = value.as_object() else { return value.clone() };
    let mut renamed = Map::new();
    for (go, name, kind) in of.0 {
        let found = fields.iter().find(|(field, _)| field.eq_ignore_ascii_case(go));
        if let Some((_, value)) = found.filter(|(_, value)| !value.is_null()) {
            renamed.insert((*name).into(), renamed_below(kind, value));
        }
    }
    Value::Object(renamed)
}

fn renamed_below(kind: &Field, value: &Value) -> Value {
    match (kind, value.as_array()) {
        (Field::Struct(of), _) => self::renamed(of, value),
        (Field::List(of), Some(items)) => items.iter().map(|item| renamed(of, item)).collect(),
        _ => value.clone(),
    }
}
