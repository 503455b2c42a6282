//! Parses PEM blocks, the text form of certificates and keys (`-----BEGIN CERTIFICATE-----`), as leniently as Go. Go:
//! `encoding/pem`.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Block<'a> {
    /// The word after `BEGIN`, such as `CERTIFICATE`.
    pub(crate) kind: &'a str,
    pub(crate) has_headers: bool,
    pub(crate) bytes: Vec<u8>,
}

const BEGIN: &str = "-----BEGIN ";
const END: &str = "-----END ";
const DASHES: &str = "-----";

/// Returns the next block and the text after it. Text outside of blocks is skipped.
pub(crate) fn next(text: &str) -> Option<(Block<'_>, &str)> {
    let mut rest = text;
    loop {
        let end = rest.find(END)?;
        let found = rest[..end].rfind(BEGIN).filter(|begin| *begin == 0 || rest[..*begin].ends_with('\n'));
        let behind = &rest[end + END.len()..];
        if let Some((block, after)) = found.and_then(|begin| block(&rest[begin + BEGIN.len()..end], behind)) {
            return Some((block, after));
        }
        rest = behind;
    }
}

/// Parses a block: `inside` is the text between `BEGIN` and `END`, `behind` the text after `END`.
fn block<'a>(inside: &'a str, behind: &'a str) -> Option<(Block<'a>, &'a str)> {
    let (first, mut body) = inside.split_once('\n')?;
    let kind = first.trim_end().strip_suffix(DASHES)?;
    let (last, after) = behind.split_once('\n').unwrap_or((behind, ""));
    if last.trim_end().strip_suffix(DASHES) != Some(kind) {
        return None;
    }
    let mut has_headers = false;
    while let Some((_, next)) = body.split_once('\n').filter(|(line, _)| line.contains(':')) {
        has_headers = true;
        body = next;
    }
    let encoded: String = body.split_ascii_whitespace().collect();
    STANDARD.decode(encoded).ok().map(|bytes| (Block { kind, has_headers, bytes }, after))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_found_among_other_text() {
        let text = "text\n-----BEGIN A-----\nK: v\n\nAAAA\n-----END A-----\nmore\n-----BEGIN B-----\r\nAA==\r\n-----END B-----";
        let (first, rest) = next(text).unwrap();
        assert_eq!((first.kind, first.has_headers), ("A", true));
        let (second, rest) = next(rest).unwrap();
        assert_eq!((second.kind, second.has_headers, rest), ("B", false, ""));
        for wrong in ["", "x-----BEGIN A-----\n-----END A-----", "-----BEGIN A-----\nAAAA\n-----END B-----\n"] {
            assert_eq!(next(wrong), None, "{wrong}");
        }
        assert_eq!(next("-----BEGIN A-----\n!\n-----END A-----\n"), None);
    }
}
