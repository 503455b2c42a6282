//! Several short texts as one. In an allocation of its own, each would take twice its length.

use std::ops::RangeFrom;

/// Texts in their order.
#[derive(Debug, Default)]
pub(crate) struct Texts {
    joined: Box<str>,
    /// Where each of them ends.
    ends: Box<[u32]>,
}

impl Texts {
    /// The text at a place.
    pub(crate) fn get(&self, place: usize) -> Option<&str> {
        let end = *self.ends.get(place)? as usize;
        let start = place.checked_sub(1).map_or(0, |before| self.ends[before] as usize);
        self.joined.get(start..end)
    }

    /// The texts from a place on.
    pub(crate) fn range(&self, places: RangeFrom<usize>) -> impl Iterator<Item = &str> {
        (places.start..self.ends.len()).filter_map(|place| self.get(place))
    }
}

impl<T: AsRef<str>> FromIterator<T> for Texts {
    fn from_iter<I: IntoIterator<Item = T>>(texts: I) -> Self {
        let (mut joined, mut ends) = (String::new(), Vec::with_capacity(16));
        for text in texts {
            joined.push_str(text.as_ref());
            ends.push(joined.len() as u32); // they are of one object, which has 3 MiB at most
        }
        Self { joined: joined.into(), ends: ends.into() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_text_is_found_at_its_place() {
        let texts: Texts = ["a", "", "bc"].into_iter().collect();
        assert_eq!([0, 1, 2, 3].map(|place| texts.get(place)), [Some("a"), Some(""), Some("bc"), None]);
        assert_eq!(texts.range(1..).collect::<Vec<_>>(), ["", "bc"]);
        assert_eq!((texts.range(3..).count(), Texts::default().get(0)), (0, None));
    }
}
