//! Decodes percent-encoding (`%2F`) in the paths and queries of requests, as Go's `net/url` does.

/// Decodes a text; bytes that are not UTF-8 are replaced. Returns `None` if an escape is malformed.
pub fn decode(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'%' => 16 * digit(rest.next()?)? + digit(rest.next()?)?,
            byte => byte,
        });
    }
    Some(String::from_utf8(bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned()))
}

fn digit(byte: u8) -> Option<u8> {
    let digit = char::from(byte).to_digit(16)?;
    u8::try_from(digit).ok()
}

/// Returns true if a query parameter counts. As upstream, one with a malformed escape or a semicolon is ignored.
pub fn is_readable(parameter: &str) -> bool {
    !parameter.contains(';') && decode(parameter).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_are_decoded_or_refused() {
        assert_eq!(decode("a%2Fb+c%25").as_deref(), Some("a/b+c%"));
        assert_eq!(decode("%c3%a9%ff%00").as_deref(), Some("é\u{fffd}\0"));
        for broken in ["%", "a%4", "%zz", "%+1", "%é"] {
            assert_eq!(decode(broken), None, "{broken}");
        }
    }
}
