//! Stores several short strings in one allocation. The test cluster's store and the controllers keep such a list for
//! each of many objects, and an allocation for each string would take twice as much memory.

use std::ops::RangeFrom;

use super::varint;

/// A list of strings: the length of each, followed by its bytes.
#[derive(Debug, Default)]
pub struct PackedStrings(Box<[u8]>);

impl PackedStrings {
    /// Returns the string at a position, after skipping those before it.
    pub fn get(&self, index: usize) -> Option<&str> {
        self.range(index..).next()
    }

    /// Returns the strings from a position on.
    pub fn range(&self, indexes: RangeFrom<usize>) -> impl Iterator<Item = &str> {
        Parts(&self.0).skip(indexes.start).map(|text| str::from_utf8(text).unwrap_or_default()) // always UTF-8, because they were strings
    }
}

struct Parts<'a>(&'a [u8]);

impl<'a> Iterator for Parts<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        let length = usize::try_from(varint::read(&mut self.0).ok()?).ok()?;
        let (text, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(text)
    }
}

impl<T: AsRef<str>> FromIterator<T> for PackedStrings {
    fn from_iter<I: IntoIterator<Item = T>>(texts: I) -> Self {
        let mut joined = Vec::with_capacity(128);
        for text in texts {
            let text = text.as_ref();
            varint::write(&mut joined, text.len() as u64);
            joined.extend_from_slice(text.as_bytes());
        }
        Self(joined.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_are_found_by_their_position() {
        let texts: PackedStrings = ["a", "", "bc"].into_iter().collect();
        assert_eq!([0, 1, 2, 3].map(|index| texts.get(index)), [Some("a"), Some(""), Some("bc"), None]);
        assert_eq!(texts.range(1..).collect::<Vec<_>>(), ["", "bc"]);
        assert_eq!((texts.range(3..).count(), PackedStrings::default().get(0)), (0, None));
    }

    #[test]
    fn strings_of_any_length_are_stored() {
        let long: Vec<String> =
            [0, 1, 127, 128, 129, 16_383, 16_384, 3 << 20].map(|length| "ä".repeat(length / 2)).into();
        let texts: PackedStrings = long.iter().collect();
        assert!(texts.range(0..).eq(long.iter().map(String::as_str)));
    }
}
