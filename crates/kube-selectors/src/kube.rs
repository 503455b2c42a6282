//! Converts the label selectors of kube and of k8s-openapi, so that a program can use the selector in an object such as
//! a Deployment.

use k8s_openapi::apimachinery::pkg::apis::meta::v1;
use kube_core::Expression;

use crate::quote::Quoted;
use crate::{BadSelector, LabelOperator, LabelRequirement, LabelSelector};

/// Converts `kube`'s selector.
///
/// ```
/// use kube::core::{Expression, Selector};
/// use kube_selectors::LabelSelector;
///
/// let mut web: Selector = Expression::In("app".into(), ["web".into(), "db".into()].into()).into();
/// web.extend(Expression::DoesNotExist("old".into()));
/// assert_eq!(LabelSelector::try_from(web)?.to_string(), "app in (db,web),!old");
/// assert!(LabelSelector::try_from(Selector::from(Expression::Exists("no name!".into()))).is_err());
/// # Ok::<(), kube_selectors::BadSelector>(())
/// ```
///
/// # Errors
/// A key or a value is not valid for a label, or a set of values is empty.
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

    /// Converts the API's type (apimachinery's `LabelSelectorAsSelector`). `None` matches nothing, an empty selector
    /// everything.
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
        Ok(Self::of(requirements))
    }
}
