//! The causes in a Status with reason `Invalid`: errors in fields of an object or of a query. Validation returns a list
//! of them, and each constructor here words one of upstream's kinds of errors. Upstream: `field.Error`.

use std::fmt::Display;

use serde::Serialize;

use super::causes::Causes;
use super::quote::quote;
use crate::value::Value;

/// The path of a field, such as a [`Path`](super::field::Path) or the arguments of a format. It is formatted only for a
/// cause.
pub(crate) type At<'a> = &'a dyn Display;

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct Cause {
    #[serde(skip_serializing_if = "str::is_empty")]
    reason: &'static str,
    message: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    field: String,
    /// The number of causes that this one stands for, beyond the limit of a list; 0 for any other cause.
    #[serde(skip)]
    more: usize,
}

/// The result of a validation: causes refuse the object, warnings go with the response.
#[derive(Debug, Default)]
pub struct Findings {
    pub causes: Causes,
    /// The violated rules in CEL about values that an update leaves as they were.
    pub warnings: Vec<String>,
}

impl Findings {
    pub fn of(causes: Causes) -> Self {
        Self { causes, warnings: Vec::new() }
    }
}

impl Cause {
    /// Returns a cause that concerns no field.
    pub fn without_field(reason: &'static str, message: &str) -> Self {
        Self { reason, message: message.into(), field: String::new(), more: 0 }
    }

    /// Returns the cause for a field that another manager owns. Upstream: `CauseTypeFieldManagerConflict`.
    pub fn of_manager(field: &str, message: &str) -> Self {
        Self { reason: "FieldManagerConflict", message: message.into(), field: field.into(), more: 0 }
    }

    pub fn required(field: impl Display, detail: &str) -> Self {
        let message = if detail.is_empty() { "Required value".into() } else { format!("Required value: {detail}") };
        Self { reason: "FieldValueRequired", message, field: field.to_string(), more: 0 }
    }

    pub fn invalid(field: impl Display, value: &str, detail: &str) -> Self {
        Self {
            reason: "FieldValueInvalid",
            message: format!("Invalid value: {}: {detail}", quote(value)),
            field: field.to_string(),
            more: 0,
        }
    }

    /// Returns the cause for an invalid value that is not a string.
    pub fn invalid_json(field: impl Display, value: &Value, detail: &str) -> Self {
        Self::invalid_as(field, &value.to_string(), detail)
    }

    /// Returns the cause for an invalid value that is text already, such as a quoted one.
    pub fn invalid_as(field: impl Display, value: &str, detail: &str) -> Self {
        let detail = if detail.is_empty() { String::new() } else { format!(": {detail}") };
        Self {
            reason: "FieldValueInvalid",
            message: format!("Invalid value: {value}{detail}"),
            field: field.to_string(),
            more: 0,
        }
    }

    /// Returns the cause for an invalid value that the message does not show.
    pub(crate) fn invalid_alone(field: impl Display, detail: &str) -> Self {
        let message = format!("Invalid value: {detail}");
        Self { reason: "FieldValueInvalid", message, field: field.to_string(), more: 0 }
    }

    pub fn forbidden(field: impl Display, detail: &str) -> Self {
        let message = if detail.is_empty() { "Forbidden".into() } else { format!("Forbidden: {detail}") };
        Self { reason: "FieldValueForbidden", message, field: field.to_string(), more: 0 }
    }

    #[cfg(feature = "cel")]
    pub(crate) fn internal(field: impl Display, why: &str) -> Self {
        Self { reason: "InternalError", message: format!("Internal error: {why}"), field: field.to_string(), more: 0 }
    }

    pub(crate) fn duplicate(field: impl Display, value: &str) -> Self {
        Self {
            reason: "FieldValueDuplicate",
            message: format!("Duplicate value: {}", quote(value)),
            field: field.to_string(),
            more: 0,
        }
    }

    /// Returns the cause for a duplicate value that is text already.
    pub(crate) fn duplicate_as(field: impl Display, value: &str) -> Self {
        Self {
            reason: "FieldValueDuplicate",
            message: format!("Duplicate value: {value}"),
            field: field.to_string(),
            more: 0,
        }
    }

    /// Returns the cause for a duplicate value that the message does not show.
    #[cfg(feature = "cel")]
    pub(crate) fn duplicate_alone(field: impl Display) -> Self {
        Self { reason: "FieldValueDuplicate", message: "Duplicate value".into(), field: field.to_string(), more: 0 }
    }

    pub(crate) fn duplicate_json(field: impl Display, value: &Value) -> Self {
        Self {
            reason: "FieldValueDuplicate",
            message: format!("Duplicate value: {value}"),
            field: field.to_string(),
            more: 0,
        }
    }

    /// Returns the cause for a duplicate value that Go prints as a struct, with its fields in this order. `why` may
    /// be empty.
    pub(crate) fn duplicate_struct(field: impl Display, value: &Value, order: &[&str], why: &str) -> Self {
        let fields: Vec<String> = order.iter().map(|name| format!("{name:?}:{}", value[name])).collect();
        let why = if why.is_empty() { String::new() } else { format!(": {why}") };
        let message = format!("Duplicate value: {{{}}}{why}", fields.join(","));
        Self { reason: "FieldValueDuplicate", message, field: field.to_string(), more: 0 }
    }

    pub(crate) fn not_found(field: impl Display, value: &str) -> Self {
        Self {
            reason: "FieldValueNotFound",
            message: format!("Not found: {}", quote(value)),
            field: field.to_string(),
            more: 0,
        }
    }

    pub(crate) fn not_found_because(field: impl Display, value: &str, detail: &str) -> Self {
        let message = format!("Not found: {}: {detail}", quote(value));
        Self { reason: "FieldValueNotFound", message, field: field.to_string(), more: 0 }
    }

    pub fn too_long(field: impl Display, limit: usize) -> Self {
        Self::too_long_for(field, Some(limit))
    }

    /// As [`too_long`](Self::too_long); `None` stands for a negative limit, which the message does not show.
    pub(crate) fn too_long_for(field: impl Display, limit: Option<usize>) -> Self {
        let message = match limit {
            None => "Too long: value is too long".into(),
            Some(1) => "Too long: may not be more than 1 byte".into(),
            Some(limit) => format!("Too long: may not be more than {limit} bytes"),
        };
        Self { reason: "FieldValueTooLong", message, field: field.to_string(), more: 0 }
    }

    /// As [`too_long`](Self::too_long), for a limit in characters instead of bytes.
    pub(crate) fn too_long_in_characters(field: impl Display, limit: usize) -> Self {
        let unit = if limit == 1 { "character" } else { "characters" };
        let message = format!("Too long: may not be more than {limit} {unit}");
        Self { reason: "FieldValueTooLong", message, field: field.to_string(), more: 0 }
    }

    /// Returns the cause for a value that is not of its schema's type. `value` is printed verbatim.
    pub(crate) fn type_invalid(field: impl Display, value: &str, detail: &str) -> Self {
        let message = format!("Invalid value: {value}: {detail}");
        Self { reason: "FieldValueTypeInvalid", message, field: field.to_string(), more: 0 }
    }

    /// Returns true if CEL rules are not evaluated on an object with this cause. Upstream: `hasBlockingErr`.
    #[cfg(feature = "cel")]
    pub(crate) fn blocks_rules(&self) -> bool {
        const BLOCKING: [&str; 5] = [
            "FieldValueNotSupported",
            "FieldValueRequired",
            "FieldValueTooLong",
            "FieldValueTooMany",
            "FieldValueTypeInvalid",
        ];
        BLOCKING.contains(&self.reason)
    }

    pub fn terminating(namespace: &str) -> Self {
        let message = format!("namespace {namespace} is being terminated");
        Self { reason: "NamespaceTerminating", message, field: "metadata.namespace".into(), more: 0 }
    }

    /// Returns the cause for a value outside of an enumeration. `value` is printed verbatim, so a string must be
    /// passed with its quotes.
    pub fn unsupported(field: impl Display, value: &str, supported: &[&str]) -> Self {
        let supported: Vec<String> = supported.iter().map(|value| format!("{value:?}")).collect();
        let message = format!("Unsupported value: {value}: supported values: {}", supported.join(", "));
        Self { reason: "FieldValueNotSupported", message, field: field.to_string(), more: 0 }
    }

    /// As [`unsupported`](Self::unsupported), for a string, which gets its quotes here.
    pub(crate) fn unsupported_text(field: impl Display, text: &str, supported: &[&str]) -> Self {
        Self::unsupported(field, &quote(text), supported)
    }

    /// As [`unsupported`](Self::unsupported), with supported values that are known at run time only, perhaps none.
    pub(crate) fn unsupported_value(field: impl Display, value: &str, supported: &[String]) -> Self {
        let mut message = format!("Unsupported value: {value}");
        if !supported.is_empty() {
            let supported: Vec<String> = supported.iter().map(|value| quote(value)).collect();
            message = format!("{message}: supported values: {}", supported.join(", "));
        }
        Self { reason: "FieldValueNotSupported", message, field: field.to_string(), more: 0 }
    }

    pub(crate) fn too_many(field: impl Display, count: usize, most: usize) -> Self {
        Self::too_many_of(field, count, Some(most))
    }

    /// As [`too_many`](Self::too_many); `None` stands for a negative limit, which the message does not show.
    pub(crate) fn too_many_of(field: impl Display, count: usize, most: Option<usize>) -> Self {
        let message = match most {
            None => format!("Too many: {count}: has too many items"),
            Some(1) => format!("Too many: {count}: must have at most 1 item"),
            Some(most) => format!("Too many: {count}: must have at most {most} items"),
        };
        Self { reason: "FieldValueTooMany", message, field: field.to_string(), more: 0 }
    }

    /// The last cause of a list that has reached its limit.
    pub(super) fn and_more(more: usize) -> Self {
        Self { reason: "", message: format!("and {more} more"), field: String::new(), more }
    }

    /// Returns the number of causes in [`and_more`](Self::and_more); `None` for any other cause.
    pub(super) fn stands_for(&self) -> Option<usize> {
        Some(self.more).filter(|more| *more > 0)
    }

    /// Returns the cause of a part as a cause of the whole, in which the part is at `path`.
    pub(crate) fn below(self, path: &str) -> Self {
        if path.is_empty() || self.more > 0 {
            return self;
        }
        if self.field == "<nil>" {
            return Self { field: path.to_owned(), ..self }; // the cause concerns the part itself
        }
        let dot = if self.field.is_empty() || self.field.starts_with('[') { "" } else { "." };
        Self { field: format!("{path}{dot}{}", self.field), ..self }
    }

    /// As [`below`](Self::below), but with a dot even before a bracket, as upstream joins a name to a path.
    pub(crate) fn named_below(self, path: &str) -> Self {
        if self.field.starts_with('[') {
            Self { field: format!("{path}.{}", self.field), ..self }
        } else {
            self.below(path)
        }
    }

    /// Returns the size of the texts, in bytes.
    pub(crate) fn size(&self) -> usize {
        self.message.len() + self.field.len()
    }

    pub(crate) fn field(&self) -> &str {
        &self.field
    }

    /// Returns the cause as a line for people: `field: message`.
    pub fn sentence(&self) -> String {
        if self.more > 0 { self.message.clone() } else { format!("{}: {}", self.field, self.message) }
    }
}
