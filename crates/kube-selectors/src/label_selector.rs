//! LabelSelector: selects objects by their labels, as `kubectl -l` does. Upstream: `Selector` in
//! `apimachinery/pkg/labels/selector.go`.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use crate::{BadSelector, LabelRequirement, parser};

/// A label selector: requirements that an object must all meet, or "nothing", which matches no object (apimachinery's
/// `labels.Selector`).
///
/// `Display` writes Kubernetes' canonical form: ordered by key, with sorted values.
///
/// ```
/// use kube_selectors::LabelSelector;
/// use std::collections::BTreeMap;
///
/// let selector: LabelSelector = "tier!=cache,app in (web, db)".parse()?;
/// assert_eq!(selector.to_string(), "app in (db,web),tier!=cache");
/// assert!(selector.matches(&BTreeMap::from([("app".into(), "web".into())])));
///
/// let wrong = "app in web".parse::<LabelSelector>().unwrap_err();
/// assert_eq!(wrong.to_string(), "unable to parse requirement: found 'web' expected: '('");
/// # Ok::<(), kube_selectors::BadSelector>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LabelSelector(Option<Vec<LabelRequirement>>);

static NO_LABELS: BTreeMap<String, String> = BTreeMap::new();

impl LabelSelector {
    /// Returns the selector that matches every object.
    pub fn everything() -> Self {
        Self(Some(Vec::new()))
    }

    /// Returns the selector that matches no object, the meaning of an absent `metav1.LabelSelector`. It has no text
    /// form.
    pub fn nothing() -> Self {
        Self(None)
    }

    pub(crate) fn of(requirements: Vec<LabelRequirement>) -> Self {
        Self(Some(sorted_by_key(requirements)))
    }

    /// Adds a requirement. "Nothing" stays "nothing".
    #[must_use]
    pub fn and(self, requirement: LabelRequirement) -> Self {
        Self(self.0.map(|requirements| sorted_by_key(requirements.into_iter().chain([requirement]).collect())))
    }

    /// Returns true if the labels match. `None` means no labels.
    pub fn matches<'a>(&self, labels: impl Into<Option<&'a BTreeMap<String, String>>>) -> bool {
        let labels = labels.into().unwrap_or(&NO_LABELS);
        self.0.as_ref().is_some_and(|requirements| requirements.iter().all(|requirement| requirement.matches(labels)))
    }

    /// Returns true if the object matches. `value` returns the value of a label, `None` for a missing one.
    pub fn matches_values<'a>(&self, value: impl Fn(&str) -> Option<&'a str>) -> bool {
        let all =
            |requirements: &Vec<LabelRequirement>| requirements.iter().all(|one| one.matches_value(value(one.key())));
        self.0.as_ref().is_some_and(all)
    }

    /// Returns true if the selector has no requirements and matches every object.
    pub fn is_everything(&self) -> bool {
        self.0.as_ref().is_some_and(Vec::is_empty)
    }

    /// Returns true if this is the special "nothing". Contradictory requirements are not detected.
    pub fn is_nothing(&self) -> bool {
        self.0.is_none()
    }

    /// Returns the requirements, ordered by key; none for "everything" and "nothing".
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

    /// Parses a selector in the syntax of `kubectl -l`. An empty text matches every object.
    fn from_str(text: &str) -> Result<Self, BadSelector> {
        Ok(Self::of(parser::requirements(text)?))
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

/// Returns the requirements ordered by key, which is the order of Kubernetes' canonical form.
fn sorted_by_key(mut requirements: Vec<LabelRequirement>) -> Vec<LabelRequirement> {
    requirements.sort_by(|a, b| a.key().cmp(b.key()));
    requirements
}
