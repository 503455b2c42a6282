//! Detects lines of YAML that are indented by a tab. YAML allows tabs between words, but not as indentation; the parser
//! here (serde-saphyr) takes them for spaces, and upstream's refuses the text.
//!
//! The words are YAML's: a scalar is a text or a number; it is plain without quotes. Block style uses indentation, flow
//! style brackets.
//!
//! Upstream: `yaml_parser_scan_to_next_token` and `yaml_parser_scan_plain_scalar`.

/// Returns true if a line of the text is indented by a tab where only spaces are allowed.
pub(super) fn indents(text: &str) -> bool {
    let mut inside = Inside::Blocks;
    text.lines().any(|line| {
        let (tab, next) = line_after(&inside, line);
        inside = next;
        tab
    })
}

/// The construct that the beginning of a line is in.
#[derive(Clone, Debug, PartialEq)]
enum Inside {
    /// Block style, where a tab cannot indent.
    Blocks,
    /// A plain scalar, which continues on lines with at least this many spaces.
    Plain(usize),
    /// A block scalar (`|` or `>`) in a block with this indentation.
    Lines(usize),
    /// A quoted scalar.
    Quotes(char),
    /// Flow collections, by the number of open brackets.
    Flow(usize),
}

/// Returns true if a tab indents the line, and the construct that the next line begins in.
fn line_after(inside: &Inside, line: &str) -> (bool, Inside) {
    let spaces = line.len() - line.trim_start_matches(' ').len();
    let content = &line[spaces..];
    match *inside {
        Inside::Lines(outer) if content.is_empty() || spaces > outer => return (false, inside.clone()),
        Inside::Quotes(_) | Inside::Flow(_) => return (false, rest_of(content, spaces, inside.clone())),
        Inside::Plain(least) if spaces >= least => {
            // The scalar goes on if the line is empty, or plain text from its first column on.
            let next = rest_of(content.trim_start_matches('\t'), spaces, Inside::Blocks);
            let goes_on = next == Inside::Plain(spaces + 1) || content.trim().is_empty();
            return (false, if goes_on { Inside::Plain(least) } else { next });
        }
        _ => {}
    }
    (content.starts_with('\t'), rest_of(content, spaces, Inside::Blocks))
}

/// Returns the construct that is open after a piece of a line, which begins in this column.
fn rest_of(mut text: &str, mut column: usize, mut inside: Inside) -> Inside {
    loop {
        inside = match inside {
            Inside::Quotes(quote) => match behind_quote(text, quote) {
                Some(rest) => {
                    text = rest;
                    Inside::Blocks
                }
                None => return inside,
            },
            Inside::Flow(depth) => match behind_flow(text, depth) {
                Ok(rest) => {
                    text = rest;
                    Inside::Blocks
                }
                Err(depth) => return Inside::Flow(depth),
            },
            _ => {
                let trimmed = text.trim_start();
                let Some(first) = trimmed.chars().next() else { return Inside::Blocks };
                let rest = &trimmed[first.len_utf8()..];
                match first {
                    '#' => return Inside::Blocks,
                    '"' | '\'' => Inside::Quotes(first),
                    '[' | '{' => Inside::Flow(1),
                    '|' | '>' => return Inside::Lines(column),
                    // An anchor, an alias or a tag.
                    '&' | '*' | '!' => {
                        text = rest.split_once([' ', '\t']).map_or("", |(_, rest)| rest);
                        continue;
                    }
                    '-' | '?' | ':' if rest.is_empty() || rest.starts_with([' ', '\t']) => {
                        // The text behind a dash is a block of its own, which begins in its own column.
                        if first == '-' {
                            column += 1 + rest.len() - rest.trim_start_matches(' ').len();
                        }
                        text = rest;
                        continue;
                    }
                    _ => match behind_key(trimmed) {
                        Some(rest) => {
                            text = rest;
                            continue;
                        }
                        None if trimmed.contains(" #") => return Inside::Blocks,
                        None => return Inside::Plain(column + 1),
                    },
                }
            }
        };
        // Skip the quotation mark or the bracket that opens the construct.
        if !matches!(inside, Inside::Blocks) {
            text = text.trim_start().get(1..).unwrap_or_default();
        }
    }
}

/// Returns the text after `key:`.
fn behind_key(text: &str) -> Option<&str> {
    let end = text.match_indices(':').map(|(at, _)| at + 1).find(|end| {
        let rest = &text[*end..];
        rest.is_empty() || rest.starts_with([' ', '\t'])
    })?;
    Some(&text[end..])
}

/// Returns the text after the closing quote; `None` if the line does not close it.
fn behind_quote(text: &str, quote: char) -> Option<&str> {
    let mut chars = text.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '\\' if quote == '"' => drop(chars.next()),
            c if c == quote => return Some(&text[at + 1..]),
            _ => {}
        }
    }
    None
}

/// Returns the text after the closing bracket, or the number of brackets that the line leaves open. Quotes inside of
/// brackets are assumed to close on the same line.
fn behind_flow(text: &str, mut depth: usize) -> Result<&str, usize> {
    let mut quote = None;
    for (at, c) in text.char_indices() {
        match (quote, c) {
            (Some(open), c) if open == c => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => quote = Some(c),
            (None, '[' | '{') => depth += 1,
            (None, ']' | '}') => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Ok(&text[at + 1..]);
        }
    }
    Err(depth)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each result is that of `sigs.k8s.io/yaml`.
    #[test]
    fn a_tab_may_not_indent_a_line() {
        for text in [
            "\ta: 1",
            "\n\t{}",
            "\t# comment",
            "a:\n\tb: 1",
            "a:\n  b: 1\n\tc: 2",
            "a: 1\n\t\n",
            "a: x\n\ty",
            "a: \"x\"\n\tb: 1",
            "a: 1 # c\n\t# d",
            "a:\n- b\n\t- c",
            "a: |\n\ttext",
            "a: {b: c}\n\td: e",
        ] {
            assert!(indents(text), "{text:?}");
        }
        for text in [
            "a:\tb",
            "a: 1\t\nb: 2",
            "a: x\n  \ty",
            "a: {\n\tb: c}",
            "a: \"x\n\ty\"",
            "a: |\n  text\n  \tmore\nb: 1",
            "a: b\t# c\nd: e",
            "a:\n  - b: x\n    c: y\n",
            "- a: '\n\tx'\n  b: 1",
        ] {
            assert!(!indents(text), "{text:?}");
        }
    }
}
