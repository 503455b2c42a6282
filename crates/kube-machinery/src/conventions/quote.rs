//! Quotes texts as Go does, for messages that contain a value (`Invalid value: "a\n"`). Upstream: `strconv.Quote`.

use kube_selectors::quote::Quoted;
pub use kube_selectors::quote::is_printable;

/// Returns a text in double quotes, with escapes for quotes, backslashes and unprintable characters.
pub fn quote(text: &str) -> String {
    Quoted(text).to_string()
}

/// Returns a list of texts in quotes, as Go prints a slice: `["a" "b"]`.
pub fn quote_list(texts: &[String]) -> String {
    format!("[{}]", texts.iter().map(|text| quote(text)).collect::<Vec<_>>().join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unprintable_characters_are_escaped_as_go_does() {
        assert_eq!(quote("a \"b\" \\"), r#""a \"b\" \\""#);
        assert_eq!(quote("\x07\n\x01\u{7f}"), r#""\a\n\x01\x7f""#);
        assert_eq!(quote("ä\u{a0}\u{feff}"), r#""ä\u00a0\ufeff""#);
    }
}
