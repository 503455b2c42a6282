//! LabelSelector: objects by their labels. Upstream: `Selector` in `apimachinery/pkg/labels/selector.go`.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use crate::{BadSelector, LabelRequirement, parser};

/// Requirements that all have to be met; or "nothing", which no object meets.
///
/// The text form is Kubernetes' canonical one: ordered by key, set values sorted.
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
    /// Selects every object, also one without metadata.
    pub fn everything() -> Self {
        Self(Some(Vec::new()))
    }

    /// Selects no object. No text means this; it is what an absent `metav1.LabelSelector` means.
    pub fn nothing() -> Self {
        Self(None)
    }

    /// Selects the objects that meet all of these requirements.
    pub(crate) fn of(requirements: Vec<LabelRequirement>) -> Self {
        Self(Some(ordered(requirements)))
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

fn ordered(mut requirements: Vec<LabelRequirement>) -> Vec<LabelRequirement> {
    requirements.sort_by(|a, b| a.key().cmp(b.key()));
    requirements
}
