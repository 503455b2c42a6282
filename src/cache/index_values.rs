//! IndexValues: under which values an index has an object.

use std::borrow::Cow;
use std::fmt;
use std::ops::Deref;

use smallvec::SmallVec;

/// The values of one object in one index: none, one or several. What is borrowed from the object is not copied, and a single
/// value takes no allocation.
///
/// ```
/// use informer_lab::cache::IndexValues;
///
/// assert_eq!(*IndexValues::from("web"), ["web"]);
/// assert_eq!(*IndexValues::from(format!("web-{}", 1)), ["web-1"]);
/// assert_eq!(*IndexValues::from_iter("a,b".split(',')), ["a", "b"]);
/// assert!(IndexValues::default().is_empty());
/// ```
#[derive(Clone, Default, PartialEq, Eq)]
pub struct IndexValues<'a>(SmallVec<[Cow<'a, str>; 1]>);

impl<'a> From<&'a str> for IndexValues<'a> {
    #[inline]
    fn from(value: &'a str) -> Self {
        Self(SmallVec::from_buf([Cow::Borrowed(value)]))
    }
}

impl<'a> From<&'a String> for IndexValues<'a> {
    fn from(value: &'a String) -> Self {
        value.as_str().into()
    }
}

impl From<String> for IndexValues<'_> {
    fn from(value: String) -> Self {
        Self(SmallVec::from_buf([Cow::Owned(value)]))
    }
}

impl<'a, V: Into<Cow<'a, str>>> FromIterator<V> for IndexValues<'a> {
    fn from_iter<I: IntoIterator<Item = V>>(values: I) -> Self {
        Self(values.into_iter().map(Into::into).collect())
    }
}

impl<'a> Deref for IndexValues<'a> {
    type Target = [Cow<'a, str>];

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl fmt::Debug for IndexValues<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
