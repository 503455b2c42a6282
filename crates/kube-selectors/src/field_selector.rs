//! FieldSelector: objects by their fields. Upstream: `apimachinery/pkg/fields/selector.go`.

use std::fmt;
use std::str::FromStr;

use super::BadSelector;

/// How a field's value relates to a requirement's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FieldOperator {
    /// `=` or `==`: the field has the value.
    Equals,
    /// `!=`: the field has another value.
    NotEquals,
}

impl FieldOperator {
    /// The operator as it is printed.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Equals => "=",
            Self::NotEquals => "!=",
        }
    }
}

/// What one field has to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldRequirement {
    /// The field's path, as in `metadata.name`.
    pub field: String,
    /// How the field relates to the value.
    pub operator: FieldOperator,
    /// The value, not escaped.
    pub value: String,
}

/// Requirements that all have to be met. Which fields there are is not known here; the API server says that.
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
    /// Selects every object.
    pub fn everything() -> Self {
        Self::default()
    }

    /// One more requirement to meet.
    #[must_use]
    pub fn and(mut self, requirement: FieldRequirement) -> Self {
        self.0.push(requirement);
        self
    }

    /// Is an object selected? `value` gives its fields' values; that of a missing one is empty.
    pub fn matches<'a>(&self, value: impl Fn(&str) -> &'a str) -> bool {
        self.0.iter().all(|requirement| {
            (value(&requirement.field) == requirement.value) == (requirement.operator == FieldOperator::Equals)
        })
    }

    /// Is every object selected?
    pub fn is_everything(&self) -> bool {
        self.0.is_empty()
    }

    /// The requirements; those of a text in the order of the terms' own texts.
    pub fn requirements(&self) -> &[FieldRequirement] {
        &self.0
    }
}

impl FromStr for FieldSelector {
    type Err = BadSelector;

    /// Reads a selector as `kubectl --field-selector` takes it; the empty text selects everything, and empty terms are
    /// passed over.
    fn from_str(text: &str) -> Result<Self, BadSelector> {
        let mut terms = terms(text);
        terms.sort_unstable();
        let requirement = |term: &str| {
            let (field, operator, value) = split(term)
                .ok_or_else(|| BadSelector(format!("invalid selector: '{text}'; can't understand '{term}'")))?;
            // A term without field and value says nothing.
            let value = unescape_field_value(value)?;
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

/// Writes a value so that it can stand in a field selector: `\`, `,` and `=` get a backslash.
pub fn escape_field_value(value: &str) -> String {
    value.replace('\\', "\\\\").replace(',', "\\,").replace('=', "\\=")
}

/// Reads a value that stands in a field selector.
///
/// # Errors
/// A `,` or `=` stands without backslash, or a backslash before something else.
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

/// The texts between the commas that no backslash precedes.
fn terms(text: &str) -> Vec<&str> {
    let mut escaped = false;
    text.split(|c: char| {
        let ends = c == ',' && !escaped;
        escaped = c == '\\' && !escaped;
        ends
    })
    .collect()
}

/// A term's field, operator and value, split at the first operator.
fn split(term: &str) -> Option<(&str, FieldOperator, &str)> {
    let operators = [("!=", FieldOperator::NotEquals), ("==", FieldOperator::Equals), ("=", FieldOperator::Equals)];
    term.char_indices().find_map(|(place, _)| {
        let (field, rest) = term.split_at(place);
        operators.iter().find_map(|(sign, operator)| Some((field, *operator, rest.strip_prefix(sign)?)))
    })
}
