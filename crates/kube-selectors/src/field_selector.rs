//! FieldSelector: selects objects by the values of their fields, as `kubectl --field-selector` does. The caller looks
//! up the fields, because they differ from kind to kind. Upstream: `apimachinery/pkg/fields/selector.go`.

use std::fmt;
use std::str::FromStr;

use super::BadSelector;

/// The operator of a field requirement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FieldOperator {
    /// `=` or `==`: the field has the value.
    Equals,
    /// `!=`: the field has another value.
    NotEquals,
}

impl FieldOperator {
    /// Returns the operator's text form.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Equals => "=",
            Self::NotEquals => "!=",
        }
    }
}

/// A requirement on the value of one field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldRequirement {
    /// The field's path, such as `metadata.name`.
    pub field: String,
    /// The comparison between the field and the value.
    pub operator: FieldOperator,
    /// The value, without escapes.
    pub value: String,
}

/// A field selector: requirements that an object must all meet (apimachinery's `fields.Selector`). Any field path is
/// accepted, because only the API server knows the fields of a kind.
///
/// ```
/// use kube_selectors::FieldSelector;
///
/// let selector: FieldSelector = "spec.nodeName==node-1,metadata.name!=nettool".parse()?;
/// assert_eq!(selector.to_string(), "metadata.name!=nettool,spec.nodeName=node-1");
/// assert!(selector.matches(|field| if field == "spec.nodeName" { "node-1" } else { "" }));
/// # Ok::<(), kube_selectors::BadSelector>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FieldSelector(Vec<FieldRequirement>);

impl FieldSelector {
    /// Returns the selector that matches every object.
    pub fn everything() -> Self {
        Self::default()
    }

    /// Adds a requirement.
    #[must_use]
    pub fn and(mut self, requirement: FieldRequirement) -> Self {
        self.0.push(requirement);
        self
    }

    /// Returns true if the object matches. `value` returns the value of a field path, empty for a missing field.
    pub fn matches<'a>(&self, value: impl Fn(&str) -> &'a str) -> bool {
        self.0.iter().all(|requirement| {
            (value(&requirement.field) == requirement.value) == (requirement.operator == FieldOperator::Equals)
        })
    }

    /// Returns true if the selector has no requirements and matches every object.
    pub fn is_everything(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the requirements. A parsed selector has them in the alphabetical order of their texts.
    pub fn requirements(&self) -> &[FieldRequirement] {
        &self.0
    }
}

impl FromStr for FieldSelector {
    type Err = BadSelector;

    /// Parses a selector. An empty text matches every object, and empty terms are skipped.
    fn from_str(text: &str) -> Result<Self, BadSelector> {
        let mut terms = terms(text);
        terms.sort_unstable();
        let requirement = |term: &str| {
            let (field, operator, value) = split(term)
                .ok_or_else(|| BadSelector(format!("invalid selector: '{text}'; can't understand '{term}'")))?;
            let value = unescape_field_value(value)?;
            // A term without field and value, such as `=`, is skipped.
            Ok((!field.is_empty() || !value.is_empty()).then(|| FieldRequirement {
                field: field.into(),
                operator,
                value,
            }))
        };
        let requirements = terms.into_iter().filter(|term| !term.is_empty()).map(requirement);
        Ok(Self(requirements.filter_map(Result::transpose).collect::<Result<_, _>>()?))
    }
}

impl fmt::Display for FieldSelector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (n, FieldRequirement { field, operator, value }) in self.0.iter().enumerate() {
            let comma = if n > 0 { "," } else { "" };
            write!(f, "{comma}{field}{}{}", operator.as_str(), escape_field_value(value))?;
        }
        Ok(())
    }
}

/// Escapes a value for a field selector: `\`, `,` and `=` get a backslash (apimachinery's `EscapeValue`).
pub fn escape_field_value(value: &str) -> String {
    value.replace('\\', "\\\\").replace(',', "\\,").replace('=', "\\=")
}

/// Removes the escapes from a value in a field selector (apimachinery's `UnescapeValue`).
///
/// # Errors
/// A `,` or `=` has no backslash, or a backslash precedes another character.
pub fn unescape_field_value(text: &str) -> Result<String, BadSelector> {
    let wrong = |escape: &str| BadSelector(format!("invalid field selector: invalid escape sequence: {escape}"));
    let mut value = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        value.push(match c {
            '\\' => match chars.next() {
                Some(escaped @ ('\\' | ',' | '=')) => escaped,
                Some(other) => return Err(wrong(&format!("\\{other}"))),
                None => return Err(wrong("\\")),
            },
            ',' | '=' => {
                let code = u32::from(c);
                return Err(BadSelector(format!("invalid field selector: unescaped character in value: {code}")));
            }
            other => other,
        });
    }
    Ok(value)
}

/// Splits a selector at its commas, except escaped ones.
fn terms(text: &str) -> Vec<&str> {
    let mut escaped = false;
    text.split(|c: char| {
        let is_separator = c == ',' && !escaped;
        escaped = c == '\\' && !escaped;
        is_separator
    })
    .collect()
}

/// Splits a term at its first operator into field, operator and value.
fn split(term: &str) -> Option<(&str, FieldOperator, &str)> {
    let operators = [("!=", FieldOperator::NotEquals), ("==", FieldOperator::Equals), ("=", FieldOperator::Equals)];
    term.char_indices().find_map(|(position, _)| {
        let (field, rest) = term.split_at(position);
        operators.iter().find_map(|(sign, operator)| Some((field, *operator, rest.strip_prefix(sign)?)))
    })
}
