//! Empty lists in the stored form: protobuf has none, so a list that Go always writes is null after it was stored.

use super::{Field, FieldType, Omit, Struct, find};
use crate::value::Value;

/// Replaces the empty lists of an object of this type by null, where Go does not omit them.
pub(crate) fn replace_empty_lists(kind: &str, object: &mut Value) {
    of_struct(find(kind), object);
}

fn of_struct(row: &'static Struct, value: &mut Value) {
    if !value.is_object() || !has_lists(row) {
        return;
    }
    for field in row.fields.iter().filter(|field| concerns(field, &mut Vec::new())) {
        match &field.kind {
            // The fields of an embedded struct stand beside those of the outer one.
            FieldType::Struct(embedded) if field.name.is_empty() => of_struct(find(embedded), value),
            kind => {
                if let Some(value) = value.get_mut(field.name) {
                    of_value(kind, value);
                }
            }
        }
    }
}

fn of_value(kind: &FieldType, value: &mut Value) {
    match (kind, &mut *value) {
        (FieldType::Pointer(inner), _) => of_value(inner, value),
        (FieldType::Struct(name), _) => of_struct(find(name), value),
        (FieldType::List(_), Value::Array(items)) if items.is_empty() => *value = Value::Null,
        (FieldType::List(inner), Value::Array(items)) => items.iter_mut().for_each(|item| of_value(inner, item)),
        (FieldType::Map(inner), Value::Object(fields)) => fields.values_mut().for_each(|value| of_value(inner, value)),
        _ => {}
    }
}

/// Returns true if there can be such lists in a struct. The answer is computed once for each struct.
fn has_lists(row: &'static Struct) -> bool {
    *row.has_written_lists.get_or_init(|| row.fields.iter().any(|field| concerns(field, &mut vec![row.name])))
}

/// `above` has the structs around the field, because some types contain themselves.
fn concerns(field: &Field, above: &mut Vec<&'static str>) -> bool {
    (field.omit == Omit::Never && matches!(field.kind, FieldType::List(_))) || below(&field.kind, above)
}

fn below(kind: &FieldType, above: &mut Vec<&'static str>) -> bool {
    match kind {
        FieldType::Pointer(inner) | FieldType::List(inner) => below(inner, above),
        FieldType::Map(inner) => matches!(**inner, FieldType::List(_)) || below(inner, above),
        FieldType::Struct(name) => {
            let row = find(name);
            if let Some(known) = row.has_written_lists.get() {
                return *known;
            }
            if above.contains(&row.name) {
                return false;
            }
            above.push(row.name);
            let found = row.fields.iter().any(|field| concerns(field, above));
            above.pop();
            found
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::json;

    #[test]
    fn an_empty_list_that_go_writes_is_null_after_it_was_stored() {
        let mut slice = json!({"endpoints": [{"addresses": []}], "ports": []});
        replace_empty_lists("EndpointSlice", &mut slice);
        assert_eq!(slice, json!({"endpoints": [{"addresses": null}], "ports": null}));
        let mut revision = json!({"data": {"a": []}});
        replace_empty_lists("ControllerRevision", &mut revision);
        assert_eq!(revision, json!({"data": {"a": []}}));
    }

    #[test]
    fn kinds_without_such_lists_are_not_searched() {
        assert!(!has_lists(find("ConfigMap")) && !has_lists(find("Lease")) && has_lists(find("Pod")));
    }
}
