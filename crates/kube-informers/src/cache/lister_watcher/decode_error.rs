//! DecodeError: why an answer of the API server cannot be read, without anything of what it holds.

use std::fmt;

use serde_json::error::Category;

/// An answer of the API server cannot be read: what is wrong, where, and what the type expects there.
///
/// It has no value of an object, which may be a Secret: of what `serde_json` says, only the parts remain that do not come from
/// the text that was read.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DecodeError {
    category: Category,
    line: usize,
    column: usize,
    what: String,
}

impl DecodeError {
    /// The text breaks off.
    pub fn is_eof(&self) -> bool {
        self.category == Category::Eof
    }

    /// The text is no JSON.
    pub fn is_syntax(&self) -> bool {
        self.category == Category::Syntax
    }

    /// The text is JSON, but not of the type.
    pub fn is_data(&self) -> bool {
        self.category == Category::Data
    }

    /// The line in the text of the object; zero if it is not known.
    pub fn line(&self) -> usize {
        self.line
    }

    /// The column in that line; zero if it is not known.
    pub fn column(&self) -> usize {
        self.column
    }

    /// The text is not even UTF-8.
    #[cfg(feature = "client")]
    pub(crate) fn not_utf_8() -> Self {
        Self { category: Category::Data, line: 0, column: 0, what: "it is invalid utf-8".to_owned() }
    }
}

impl From<serde_json::Error> for DecodeError {
    fn from(error: serde_json::Error) -> Self {
        let category = error.classify();
        let text = error.to_string();
        let what = match category {
            Category::Eof => "it breaks off".to_owned(),
            Category::Syntax => "it is no JSON".to_owned(),
            Category::Io => "it could not be received".to_owned(),
            Category::Data => match expected(&text) {
                Some(expected) => format!("a value is not what the type expects: {expected}"),
                None => "a value is not what the type expects".to_owned(),
            },
        };
        Self { category, line: error.line(), column: error.column(), what }
    }
}

/// What the type expects. Only the messages of serde itself are looked at: what a type's own code says may be anything. What they
/// expect stands behind the value that they found.
fn expected(text: &str) -> Option<&str> {
    let of_serde = ["invalid type: ", "invalid value: ", "invalid length "];
    let text = text.rsplit_once(" at line ").map_or(text, |(text, _)| text);
    let (_, expected) = of_serde.iter().find_map(|start| text.strip_prefix(start))?.rsplit_once(", expected ")?;
    Some(expected)
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)?;
        if self.line > 0 {
            write!(f, ", at line {} column {}", self.line, self.column)?;
        }
        Ok(())
    }
}

impl std::error::Error for DecodeError {}

#[cfg(test)]
mod tests {
    use serde::de::Error as _;

    use super::*;

    fn told<T: serde::de::DeserializeOwned + fmt::Debug>(text: &str) -> String {
        DecodeError::from(serde_json::from_str::<T>(text).unwrap_err()).to_string()
    }

    #[test]
    fn it_says_what_was_expected_and_where_but_no_value() {
        let data = "a value is not what the type expects";
        assert_eq!(told::<u8>("\n \"hunter2\""), format!("{data}: u8, at line 2 column 10"));
        assert_eq!(told::<u8>(r#"", expected hunter2""#), format!("{data}: u8, at line 1 column 20"));
        assert_eq!(told::<u8>("300"), format!("{data}: u8, at line 1 column 3"));
        assert_eq!(told::<Vec<u8>>("[hunter2"), "it is no JSON, at line 1 column 2");
        assert_eq!(told::<String>("\"hunter2"), "it breaks off, at line 1 column 8");
        let custom = DecodeError::from(serde_json::Error::custom("hunter2, expected hunter2"));
        assert_eq!(custom.to_string(), data);
    }
}
