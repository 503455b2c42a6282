//! Prints a part of an object as upstream's messages do where a whole struct is invalid: with all fields of the
//! internal Go type in their order, and their Go names.

use crate::value::Value;

/// The fields of a Go type: the name in Go, the name in the API, and the type of the field.
pub(crate) struct GoStruct(pub(crate) &'static [(&'static str, &'static str, Field)]);

pub(crate) enum Field {
    /// A pointer, a list or a map, which prints as `null` if it is absent.
    Plain,
    /// A string, which prints as empty if it is absent.
    Text,
    /// A number, which prints as 0 if it is absent.
    Number,
    /// A boolean, which prints as false if it is absent.
    Bool,
    /// A pointer to a struct.
    Struct(&'static GoStruct),
    List(&'static GoStruct),
}

impl GoStruct {
    pub(crate) fn print(&self, value: &Value) -> String {
        let fields = self.0.iter().map(|(go, json, field)| format!("{go:?}:{}", field.print(&value[json])));
        format!("{{{}}}", fields.collect::<Vec<_>>().join(","))
    }

    pub(crate) fn print_list(&self, list: &Value) -> String {
        let Some(items) = list.as_array() else { return "null".to_owned() };
        let items: Vec<String> = items.iter().map(|item| self.print(item)).collect();
        format!("[{}]", items.join(","))
    }
}

impl Field {
    fn print(&self, value: &Value) -> String {
        match self {
            Self::Text if value.is_null() => "\"\"".to_owned(),
            Self::Bool if value.is_null() => "false".to_owned(),
            Self::Number if value.is_null() => "0".to_owned(),
            Self::Struct(fields) if value.is_object() => fields.print(value),
            Self::List(fields) => fields.print_list(value),
            _ => value.to_string(),
        }
    }
}
