//! DecodeError: the error of an answer that cannot be decoded. It is logged, so it must not contain any part of the
//! answer, which may be a Secret.

use std::fmt;

use serde_json::error::Category;

/// The error of an answer that cannot be decoded: the fault, its position, and the type that was expected there. Of
/// `serde_json`'s message it keeps only the parts that do not come from the decoded text.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DecodeError {
    category: Category,
    line: usize,
    column: usize,
    fault: String,
}

impl DecodeError {
    /// Returns true if the text ended too early.
    pub fn is_eof(&self) -> bool {
        self.category == Category::Eof
    }

    /// Returns true if the text is not JSON.
    pub fn is_syntax(&self) -> bool {
        self.category == Category::Syntax
    }

    /// Returns true if the text is JSON but does not match the type, or is not UTF-8.
    pub fn is_data(&self) -> bool {
        self.category == Category::Data
    }

    /// Returns the line in the object's text, counted from 1; 0 if unknown.
    pub fn line(&self) -> usize {
        self.line
    }

    /// Returns the column in that line, counted from 1; 0 if unknown.
    pub fn column(&self) -> usize {
        self.column
    }

    #[cfg(feature = "client")]
    pub(crate) fn not_utf_8() -> Self {
        Self { category: Category::Data, line: 0, column: 0, fault: "it is invalid utf-8".to_owned() }
    }
}

impl From<serde_json::Error> for DecodeError {
    fn from(error: serde_json::Error) -> Self {
        let category = error.classify();
        let text = error.to_string();
        let fault = match category {
            Category::Eof => "it breaks off".to_owned(),
            Category::Syntax => "it is no JSON".to_owned(),
            Category::Io => "it could not be received".to_owned(),
            Category::Data => match expected(&text) {
                Some(expected) => format!("a value is not what the type expects: {expected}"),
                None => "a value is not what the type expects".to_owned(),
            },
        };
        Self { category, line: error.line(), column: error.column(), fault }
    }
}

/// Extracts the expected type from a message such as `invalid type: string "x", expected u8 at line 1 column 3`. The
/// part before `expected` may contain the value and is dropped. Only serde's own messages are used, because a message
/// of a type's own code may contain a value anywhere.
fn expected(text: &str) -> Option<&str> {
    let serde_starts = ["invalid type: ", "invalid value: ", "invalid length "];
    let text = text.rsplit_once(" at line ").map_or(text, |(text, _)| text);
    let (_, expected) = serde_starts.iter().find_map(|start| text.strip_prefix(start))?.rsplit_once(", expected ")?;
    Some(expected)
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.fault)?;
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

    fn message<T: serde::de::DeserializeOwned + fmt::Debug>(text: &str) -> String {
        DecodeError::from(serde_json::from_str::<T>(text).unwrap_err()).to_string()
    }

    #[test]
    fn the_message_has_the_expected_type_and_the_position_but_no_value() {
        let data = "a value is not what the type expects";
        assert_eq!(message::<u8>("\n \"hunter2\""), format!("{data}: u8, at line 2 column 10"));
        assert_eq!(message::<u8>(r#"", expected hunter2""#), format!("{data}: u8, at line 1 column 20"));
        assert_eq!(message::<u8>("300"), format!("{data}: u8, at line 1 column 3"));
        assert_eq!(message::<Vec<u8>>("[hunter2"), "it is no JSON, at line 1 column 2");
        assert_eq!(message::<String>("\"hunter2"), "it breaks off, at line 1 column 8");
        let custom = DecodeError::from(serde_json::Error::custom("hunter2, expected hunter2"));
        assert_eq!(custom.to_string(), data);
    }
}
