//! LabelRequirement: one condition of a label selector on one label. Upstream: `Requirement` in
//! `apimachinery/pkg/labels/selector.go`.

use std::collections::{BTreeMap, HashSet};
use std::fmt;

use super::{BadSelector, validate};
use crate::quote::Quoted;

/// The operator of a label requirement (apimachinery's `selection.Operator`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum LabelOperator {
    /// `=`: the label exists and has the value.
    Equals,
    /// `==`: the same as [`Equals`](Self::Equals), but printed as `==`.
    DoubleEquals,
    /// `!=`: the label is absent or has another value.
    NotEquals,
    /// `in`: the label exists and has one of the values.
    In,
    /// `notin`: the label is absent or has none of the values.
    NotIn,
    /// Only the key: the label exists.
    Exists,
    /// `!`: the label is absent.
    DoesNotExist,
    /// `>`: the label is an integer greater than the value.
    GreaterThan,
    /// `<`: the label is an integer less than the value.
    LessThan,
}

impl LabelOperator {
    /// Returns the operator's name in Kubernetes (`selection.Operator`), such as `exists` or `gt`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Equals => "=",
            Self::DoubleEquals => "==",
            Self::NotEquals => "!=",
            Self::In => "in",
            Self::NotIn => "notin",
            Self::Exists => "exists",
            Self::DoesNotExist => "!",
            Self::GreaterThan => "gt",
            Self::LessThan => "lt",
        }
    }
}

/// A condition on one label (apimachinery's `labels.Requirement`). `Display` writes it in the syntax of label
/// selectors, with sorted values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LabelRequirement {
    key: String,
    operator: LabelOperator,
    values: Vec<String>,
}

impl LabelRequirement {
    /// Makes a valid requirement.
    ///
    /// # Errors
    /// The key or a value is not valid for a label, or the number of values does not fit the operator, or a value for
    /// `>` or `<` is not an integer.
    pub fn new(key: impl Into<String>, operator: LabelOperator, values: Vec<String>) -> Result<Self, BadSelector> {
        let key = key.into();
        let mut wrong = Vec::new();
        if let Err(why) = validate::label_key(&key) {
            wrong.push(invalid("key", Quoted(&key), &why));
        }
        if let Some(why) = number_fits(operator, values.len()).err() {
            wrong.push(invalid("values", json(&values), why));
        }
        if matches!(operator, LabelOperator::GreaterThan | LabelOperator::LessThan) {
            let wrongs = values.iter().enumerate().filter(|(_, value)| value.parse::<i64>().is_err());
            wrong.extend(wrongs.map(|(n, value)| {
                let why = "for 'Gt', 'Lt' operators, the value must be an integer";
                invalid(format_args!("values[{n}]"), Quoted(value), why)
            }));
        }
        for (n, value) in values.iter().enumerate() {
            if let Err(why) = validate::label_value(value) {
                wrong.push(invalid(format_args!("values[{n}][{key}]"), Quoted(value), &why));
            }
        }
        // As upstream's `ErrorList.ToAggregate`, each message counts once.
        let mut seen = HashSet::new();
        wrong.retain(|wrong| seen.insert(wrong.clone()));
        match wrong.as_slice() {
            [] => Ok(Self { key, operator, values }),
            [one] => Err(BadSelector(one.clone())),
            several => Err(BadSelector(format!("[{}]", several.join(", ")))),
        }
    }

    /// Returns the label's key.
    pub fn key(&self) -> &str {
        &self.key
    }

    /// Returns the operator.
    pub fn operator(&self) -> LabelOperator {
        self.operator
    }

    /// Returns the values in their original order. A parsed requirement has them sorted and without duplicates.
    pub fn values(&self) -> &[String] {
        &self.values
    }

    /// Returns true if the labels meet the requirement.
    pub fn matches(&self, labels: &BTreeMap<String, String>) -> bool {
        self.matches_value(labels.get(&self.key).map(String::as_str))
    }

    /// Returns true if the value of the label meets the requirement. `None` is a missing label.
    pub(crate) fn matches_value(&self, value: Option<&str>) -> bool {
        let is_one = |value: &str| self.values.iter().any(|one| one == value);
        let number = |text: &str| text.parse::<i64>().ok();
        let numbers = || Some((number(value?)?, number(self.values.first()?)?));
        match self.operator {
            LabelOperator::Equals | LabelOperator::DoubleEquals | LabelOperator::In => value.is_some_and(is_one),
            LabelOperator::NotEquals | LabelOperator::NotIn => !value.is_some_and(is_one),
            LabelOperator::Exists => value.is_some(),
            LabelOperator::DoesNotExist => value.is_none(),
            LabelOperator::GreaterThan => numbers().is_some_and(|(is, than)| is > than),
            LabelOperator::LessThan => numbers().is_some_and(|(is, than)| is < than),
        }
    }
}

impl fmt::Display for LabelRequirement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut values: Vec<_> = self.values.iter().map(String::as_str).collect();
        values.sort_unstable();
        let (key, values) = (&self.key, values.join(","));
        match self.operator {
            LabelOperator::Equals | LabelOperator::DoubleEquals | LabelOperator::NotEquals => {
                write!(f, "{key}{}{values}", self.operator.as_str())
            }
            LabelOperator::In | LabelOperator::NotIn => write!(f, "{key} {} ({values})", self.operator.as_str()),
            LabelOperator::Exists => write!(f, "{key}"),
            LabelOperator::DoesNotExist => write!(f, "!{key}"),
            LabelOperator::GreaterThan => write!(f, "{key}>{values}"),
            LabelOperator::LessThan => write!(f, "{key}<{values}"),
        }
    }
}

/// Checks that an operator can have this number of values. The error is Kubernetes' message.
fn number_fits(operator: LabelOperator, number: usize) -> Result<(), &'static str> {
    match (operator, number) {
        (LabelOperator::In | LabelOperator::NotIn, 0) => Err("for 'in', 'notin' operators, values set can't be empty"),
        (LabelOperator::In | LabelOperator::NotIn, _) => Ok(()),
        (LabelOperator::Exists | LabelOperator::DoesNotExist, 0) => Ok(()),
        (LabelOperator::Exists | LabelOperator::DoesNotExist, _) => {
            Err("values set must be empty for exists and does not exist")
        }
        (_, 1) => Ok(()),
        (LabelOperator::GreaterThan | LabelOperator::LessThan, _) => {
            Err("for 'Gt', 'Lt' operators, exactly one value is required")
        }
        (_, _) => Err("exact-match compatibility requires one single value"),
    }
}

/// Formats a message of Kubernetes' field validation (`field.Invalid`).
pub(super) fn invalid(field: impl fmt::Display, value: impl fmt::Display, why: &str) -> String {
    format!("{field}: Invalid value: {value}: {why}")
}

/// Formats a list as Go does in messages: as JSON with HTML characters escaped, or as `null` if it is empty.
fn json(values: &[String]) -> String {
    if values.is_empty() {
        return "null".to_owned();
    }
    let escaped = |text: String| {
        ["&", "<", ">", "\u{2028}", "\u{2029}"]
            .iter()
            .fold(text, |text, c| text.replace(c, &format!("\\u{:04x}", c.chars().next().map_or(0, u32::from))))
    };
    escaped(serde_json::Value::from(values).to_string())
}
