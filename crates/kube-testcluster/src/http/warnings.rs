//! The `Warning` headers of a response, which kubectl prints.

use std::collections::HashSet;

use axum::response::Response;
use http::{HeaderValue, header};

/// The most characters that the warnings of a response may have together.
const MOST: usize = 4 * 1024;

/// The number of characters to which each warning is cut if all warnings together have more than [`MOST`].
const MOST_OF_ONE: usize = 256;

/// Adds the warnings to a response, without duplicates. Upstream: `endpoints/filters/warning.go`.
pub(crate) fn warn(mut response: Response, warnings: &[String]) -> Response {
    let mut seen = HashSet::new();
    let warnings: Vec<&str> = warnings.iter().map(String::as_str).filter(|text| seen.insert(*text)).collect();
    let length: usize = warnings.iter().map(|text| text.chars().count()).sum();
    let longest = if length > MOST { MOST_OF_ONE } else { usize::MAX };
    let mut written = 0;
    for text in warnings {
        if written >= MOST {
            break;
        }
        let text: String = text.chars().take(longest).collect();
        written += text.chars().count();
        let text = text.replace('\\', "\\\\").replace('"', "\\\"");
        if let Ok(value) = HeaderValue::from_str(&format!("299 - \"{text}\"")) {
            response.headers_mut().append(header::WARNING, value);
        }
    }
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    fn warnings(texts: &[String]) -> Vec<String> {
        let response = warn(Response::default(), texts);
        response.headers().get_all(header::WARNING).iter().map(|value| value.to_str().unwrap().to_owned()).collect()
    }

    #[test]
    fn each_warning_is_sent_once() {
        let sent = warnings(&["unknown field \"a\"".to_owned(), "b".to_owned(), "unknown field \"a\"".to_owned()]);
        assert_eq!(sent, [r#"299 - "unknown field \"a\"""#, r#"299 - "b""#]);
    }

    #[test]
    fn many_warnings_are_truncated_and_limited_in_number() {
        let many: Vec<String> = (0..100).map(|n| format!("{n:03}{}", "x".repeat(297))).collect();
        let sent = warnings(&many);
        assert_eq!(sent.len(), 16); // of 256 characters each
        assert!(sent.iter().all(|text| text.len() == 256 + "299 - \"\"".len()));
    }
}
