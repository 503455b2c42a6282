//! LabelSelector: objects by their labels. Upstream: `Selector` in `apimachinery/pkg/labels/selector.go`.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use k8s_openapi::apimachinery::pkg::apis::meta::v1;
use kube_core::Expression;

use super::{BadSelector, LabelOperator, LabelRequirement, parser};
use crate::quote::Quoted;

/// Requirements that all have to be met; or "nothing", which no object meets.
///
/// The text form is Kubernetes' canonical one: ordered by key, set values sorted.
///
/// ```
/// use kube_informers::selector::LabelSelector;
/// use std::collections::BTreeMap;
///
/// let selector: LabelSelector = "tier!=cache,app in (web, db)".parse()?;
/// assert_eq!(selector.to_string(), "app in (db,web),tier!=cache");
/// assert!(selector.matches(&BTreeMap::from([("app".into(), "web".into())])));
///
/// let wrong = "app in web".parse::<LabelSelector>().unwrap_err();
/// assert_eq!(wrong.to_string(), "unable to parse requirement: found 'web' expected: '('");
/// # Ok::<(), kube_informers::selector::BadSelector>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LabelSelector(Option<Vec<LabelRequirement>>);

static NO_LABELS: BTreeMap<String, String> = BTreeMap::new();

impl LabelSelector {
    /// Selects every object, also one without metadata.
    pub fn everything() -> Self {
        Self(Some(Vec::new()))
    }

    /// Selects no object. No text means this; it is what an absent `metav1.LabelSelector` means.
    pub fn nothing() -> Self {
        Self(None)
    }

    /// One more requirement to meet. "Nothing" stays nothing.
    #[must_use]
    pub fn and(self, requirement: LabelRequirement) -> Self {
        Self(self.0.map(|requirements| ordered(requirements.into_iter().chain([requirement]).collect())))
    }

    /// Are these labels selected? An object without labels has none.
    pub fn matches<'a>(&self, labels: impl Into<Option<&'a BTreeMap<String, String>>>) -> bool {
        let labels = labels.into().unwrap_or(&NO_LABELS);
        self.0.as_ref().is_some_and(|requirements| requirements.iter().all(|requirement| requirement.matches(labels)))
    }

    /// Is an object selected? `value` gives its labels' values.
    pub fn matches_values<'a>(&self, value: impl Fn(&str) -> Option<&'a str>) -> bool {
        let all =
            |requirements: &Vec<LabelRequirement>| requirements.iter().all(|one| one.matches_value(value(one.key())));
        self.0.as_ref().is_some_and(all)
    }

    /// Is every object selected?
    pub fn is_everything(&self) -> bool {
        self.0.as_ref().is_some_and(Vec::is_empty)
    }

    /// Is this the special "nothing"? Requirements that contradict each other are not found out.
    pub fn is_nothing(&self) -> bool {
        self.0.is_none()
    }

    /// The requirements, ordered by key; none for "everything" and for "nothing".
    pub fn requirements(&self) -> &[LabelRequirement] {
        self.0.as_deref().unwrap_or_default()
    }
}

impl Default for LabelSelector {
    fn default() -> Self {
        Self::everything()
    }
}

impl FromStr for LabelSelector {
    type Err = BadSelector;

    /// Reads a selector as `kubectl -l` takes it; the empty text selects everything.
    fn from_str(text: &str) -> Result<Self, BadSelector> {
        Ok(Self(Some(ordered(parser::requirements(text)?))))
    }
}

impl fmt::Display for LabelSelector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (n, requirement) in self.requirements().iter().enumerate() {
            write!(f, "{}{requirement}", if n > 0 { "," } else { "" })?;
        }
        Ok(())
    }
}

/// The same selector as `kube` has it.
///
/// ```
/// use kube::core::{Expression, Selector};
/// use kube_informers::selector::LabelSelector;
///
/// let mut web: Selector = Expression::In("app".into(), ["web".into(), "db".into()].into()).into();
/// web.extend(Expression::DoesNotExist("old".into()));
/// assert_eq!(LabelSelector::try_from(web)?.to_string(), "app in (db,web),!old");
/// assert!(LabelSelector::try_from(Selector::from(Expression::Exists("no name!".into()))).is_err());
/// # Ok::<(), kube_informers::selector::BadSelector>(())
/// ```
///
/// # Errors
/// A key or a value is none that a label can have, or a set is empty.
impl TryFrom<kube_core::Selector> for LabelSelector {
    type Error = BadSelector;

    fn try_from(selector: kube_core::Selector) -> Result<Self, BadSelector> {
        let requirement = |expression| {
            let (key, operator, values) = match expression {
                Expression::In(key, values) => (key, LabelOperator::In, values.into_iter().collect()),
                Expression::NotIn(key, values) => (key, LabelOperator::NotIn, values.into_iter().collect()),
                Expression::Equal(key, value) => (key, LabelOperator::Equals, vec![value]),
                Expression::NotEqual(key, value) => (key, LabelOperator::NotEquals, vec![value]),
                Expression::Exists(key) => (key, LabelOperator::Exists, Vec::new()),
                Expression::DoesNotExist(key) => (key, LabelOperator::DoesNotExist, Vec::new()),
            };
            LabelRequirement::new(key, operator, values)
        };
        selector.into_iter().try_fold(Self::everything(), |all, expression| Ok(all.and(requirement(expression)?)))
    }
}

impl TryFrom<Option<&v1::LabelSelector>> for LabelSelector {
    type Error = BadSelector;

    /// What the API's type means (`LabelSelectorAsSelector`): absent it selects nothing, empty everything.
    fn try_from(selector: Option<&v1::LabelSelector>) -> Result<Self, BadSelector> {
        let Some(selector) = selector else { return Ok(Self::nothing()) };
        let mut requirements = Vec::new();
        for (key, value) in selector.match_labels.iter().flatten() {
            requirements.push(LabelRequirement::new(key, LabelOperator::Equals, vec![value.clone()])?);
        }
        for expression in selector.match_expressions.iter().flatten() {
            let operator = match expression.operator.as_str() {
                "In" => LabelOperator::In,
                "NotIn" => LabelOperator::NotIn,
                "Exists" => LabelOperator::Exists,
                "DoesNotExist" => LabelOperator::DoesNotExist,
                other => return Err(BadSelector(format!("{} is not a valid label selector operator", Quoted(other)))),
            };
            let values = expression.values.clone().unwrap_or_default();
            requirements.push(LabelRequirement::new(&expression.key, operator, values)?);
        }
        Ok(Self(Some(ordered(requirements))))
    }
}

fn ordered(mut requirements: Vec<LabelRequirement>) -> Vec<LabelRequirement> {
    requirements.sort_by(|a, b| a.key().cmp(b.key()));
    requirements
}
