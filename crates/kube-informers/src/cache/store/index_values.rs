//! IndexValues: the result of an index function, which is the index values of one object. A store computes them for
//! each write, so the values borrow from the object where they can.

use std::borrow::Cow;
use std::fmt;
use std::ops::Deref;
use std::slice;

/// The values of one object in one index: none, one or several. A single value needs no allocation of a list.
///
/// ```
/// use kube_informers::cache::IndexValues;
///
/// assert_eq!(*IndexValues::from("web"), ["web"]);
/// assert_eq!(*IndexValues::from(format!("web-{}", 1)), ["web-1"]);
/// assert_eq!(*IndexValues::from(Some("web")), ["web"]); // a label that may be missing: `labels.get("app").into()`
/// assert_eq!(*IndexValues::from_iter("a,b".split(',')), ["a", "b"]);
/// assert!(IndexValues::default().is_empty());
/// ```
#[derive(Clone, Default)]
pub struct IndexValues<'a>(Values<'a>);

/// The values of one object. Most objects have one value, and a variant for this case makes it cheap to compare.
#[derive(Clone, Default)]
enum Values<'a> {
    #[default]
    None,
    One(Cow<'a, str>),
    Several(Vec<Cow<'a, str>>),
}

impl<'a> From<&'a str> for IndexValues<'a> {
    #[inline]
    fn from(value: &'a str) -> Self {
        Self(Values::One(Cow::Borrowed(value)))
    }
}

impl<'a> From<&'a String> for IndexValues<'a> {
    fn from(value: &'a String) -> Self {
        value.as_str().into()
    }
}

impl From<String> for IndexValues<'_> {
    fn from(value: String) -> Self {
        Self(Values::One(Cow::Owned(value)))
    }
}

impl<'a, V: Into<Cow<'a, str>>> From<Option<V>> for IndexValues<'a> {
    fn from(value: Option<V>) -> Self {
        value.into_iter().collect()
    }
}

impl<'a, V: Into<Cow<'a, str>>> FromIterator<V> for IndexValues<'a> {
    fn from_iter<I: IntoIterator<Item = V>>(values: I) -> Self {
        let mut values = values.into_iter().map(Into::into);
        Self(match (values.next(), values.next()) {
            (None, _) => Values::None,
            (Some(only), None) => Values::One(only),
            (Some(first), Some(second)) => Values::Several([first, second].into_iter().chain(values).collect()),
        })
    }
}

impl<'a> Deref for IndexValues<'a> {
    type Target = [Cow<'a, str>];

    #[inline]
    fn deref(&self) -> &Self::Target {
        match &self.0 {
            Values::None => &[],
            Values::One(value) => slice::from_ref(value),
            Values::Several(values) => values,
        }
    }
}

impl PartialEq for IndexValues<'_> {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (Values::One(ours), Values::One(theirs)) => ours == theirs,
            _ => **self == **other,
        }
    }
}

impl Eq for IndexValues<'_> {}

impl fmt::Debug for IndexValues<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.deref().fmt(f)
    }
}
